"""Sentences of instances whose candidates and rankings have not changed are those of the part that was made before."""

from generated import files_of, write_world
from inherited import check_inherited
from instances_made import drawn_parts, numbered, written

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates, GenerationTask
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.generation.generators import generation_inputs
from lexbeam.transforms.simplification.ranking.options import RankingFiles, RankingOptions, rankings_of
from lexbeam.transforms.simplification.ranking.ranked_parts import RankCandidates, RankTask
from lexbeam.transforms.simplification.records import JoinTask
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import RewriteSentences


def task_of(folder, rows, world, k=10):
    """Return the task of a part: instances, their candidates, of each setting at most `k`, and how these rank."""
    part, work = written(folder, INSTANCES, rows), Workspace(str(folder))
    settings = {"a": GenerationOptions(k=k), "b": GenerationOptions(names="replace")}
    generated = make(work, GenerateCandidates(generation_inputs(settings, files_of(world))), GenerationTask(part))
    candidates = Part.of(CANDIDATES.name, 0, generated.part)
    rankings = rankings_of(
        {"a": RankingOptions(ranker=("senses",)), "b": RankingOptions(ranker=("generation",))},
        RankingFiles(cache=str(world / "cache")),
    )
    ranked = make(work, RankCandidates(rankings), RankTask(JoinTask(part, {CANDIDATES.name: candidates})))
    return JoinTask(part, {CANDIDATES.name: candidates, RANKINGS.name: Part.of(RANKINGS.name, 0, ranked.part)})


def test_a_part_that_follows_another_is_as_one_that_does_not(tmp_path):
    write_world(tmp_path)
    for seed in range(2):
        tasks = [
            task_of(tmp_path / f"{seed}-{step}", rows, tmp_path, k) for step, (rows, k) in enumerate(drawn_parts(seed))
        ]
        receipts = check_inherited(RewriteSentences(), tasks, tmp_path / str(seed))
        assert [sum(count.instances for count in receipt.counts) for receipt in receipts] == [
            receipt.part.rows for receipt in receipts
        ]
        assert [bool(receipt.counts) for receipt in receipts] == [True, True, True, False]


def test_what_is_new_is_rewritten(tmp_path, monkeypatch):
    write_world(tmp_path)
    rewritten, plain = [], RewriteSentences.simplified
    monkeypatch.setattr(
        RewriteSentences, "simplified", lambda step, joined: rewritten.append(joined) or plain(step, joined)
    )
    work = Workspace(str(tmp_path / "work"))
    for name, rows in (("a", numbered(range(60))), ("b", numbered(range(63), {7}))):
        make(work, RewriteSentences(), task_of(tmp_path / name, rows, tmp_path))
    assert len(rewritten) == 60 + 4
