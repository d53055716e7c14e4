"""Rankings of instances whose candidates have not changed are those of the part that was made before."""

from dataclasses import replace

from generated import files_of, write_world
from inherited import check_inherited
from instances_made import drawn_parts, numbered, written

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates, GenerationTask
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.generation.generators import generation_inputs
from lexbeam.transforms.simplification.ranking import rankers
from lexbeam.transforms.simplification.ranking.options import RankingFiles, RankingOptions, rankings_of
from lexbeam.transforms.simplification.ranking.ranked_parts import RankCandidates, RankTask
from lexbeam.transforms.simplification.records import JoinTask


def task_of(folder, rows, world, k=10):
    """Return the task of a part: instances, and their candidates, of each setting at most `k`."""
    part = written(folder, INSTANCES, rows)
    settings = {"a": GenerationOptions(k=k), "b": GenerationOptions(names="replace")}
    inputs = generation_inputs(settings, files_of(world))
    generated = make(Workspace(str(folder)), GenerateCandidates(inputs), GenerationTask(part))
    return RankTask(JoinTask(part, {CANDIDATES.name: Part.of(CANDIDATES.name, 0, generated.part)}))


def rankings(world):
    files = RankingFiles(
        wordlist=(f"frequency={world / 'freq.tsv'}:word=word,value=value",),
        vectors=f"vectors_=vectors:{world / 'es.vec'}",
        cache=str(world / "cache"),
    )
    settings = {
        "a": RankingOptions(ranker=("frequency", "similarity"), keep_target="if-more-frequent"),
        "b": RankingOptions(ranker=("senses", "average"), average_of=("frequency", "generation"), min_simpler=1.0),
    }
    return rankings_of(settings, files)


def test_a_part_that_follows_another_is_as_one_that_does_not(tmp_path):
    write_world(tmp_path)
    for seed in range(2):
        tasks = [
            task_of(tmp_path / f"{seed}-{step}", rows, tmp_path, k) for step, (rows, k) in enumerate(drawn_parts(seed))
        ]
        receipts = check_inherited(RankCandidates(rankings(tmp_path)), tasks, tmp_path / str(seed))
        assert [len(receipt.counts) for receipt in receipts] == [4, 4, 4, 0]


def test_rankers_are_asked_for_what_is_new(tmp_path, monkeypatch):
    write_world(tmp_path)
    asked = []
    plain = rankers.RANKERS["senses"]

    def rank(ranked, ranking, name):
        asked.append(len(ranked))
        return plain.rank(ranked, ranking, name)

    monkeypatch.setitem(rankers.RANKERS, "senses", replace(plain, rank=rank))
    work = Workspace(str(tmp_path / "work"))
    for name, rows in (("a", numbered(range(300))), ("b", numbered(range(303), {7}))):
        make(work, RankCandidates(rankings(tmp_path)), task_of(tmp_path / name, rows, tmp_path))
    assert asked == [256, 44, 4]
