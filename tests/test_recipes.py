"""Each recipe of docs/inside/recipes.md that adds an entry to a registry, word for word.

Layers, encoders, metrics and commands have tests of their own, beside what they are about.
"""

import importlib
import io

import numpy as np
import pyarrow as pa
import pytest
from outsiders import blocks_of, entry_of

from lexbeam.transforms.common.code.code_identity import code_identity


@pytest.fixture
def recipe(outsider):
    """A function that installs the package of a recipe, and returns its entry's name."""

    def installed(heading):
        (code,) = blocks_of(heading)
        assert len(code.splitlines()) <= 16
        group, line = entry_of(heading)
        name, _, where = (part.strip() for part in line.partition("="))
        outsider(group, line, **{where.partition(":")[0]: code})
        return name

    return installed


def test_a_format(recipe):
    from lexbeam.transforms.formats.readers.registry import READERS, read_file

    name = recipe("Add a format")
    page = b"One.\n==\n \n==\nThree.\n"
    for format in (name, "auto"):
        found = [entry for _, entry in read_file("a.blocks", "a.blocks", format=format, open=lambda: io.BytesIO(page))]
        assert [type(entry).__name__ for entry in found] == ["Record", "Reject", "Record"]
    assert list(READERS)[-1] == name
    # The code of an entry from outside counts for what is made with it.
    found = code_identity(read_file, chosen={"lexbeam.transforms.formats.readers.registry:READERS": [name]})
    assert "toy_blocks:read" in found.names


def test_a_format_that_can_be_edited(recipe, monkeypatch):
    from lexbeam.transforms.formats.readers.registry import READERS
    from lexbeam.transforms.formats.spans.spanned import SPANS, TextEdit, spanned

    name = recipe("Add a format that can be edited")
    reader = {}
    exec(blocks_of("Add a format")[0], reader)
    monkeypatch.setitem(READERS, name, reader["BLOCKS"])
    assert list(SPANS)[-1] == name
    source = spanned(b"One.\r\n==\n Two  words.\n", "a.blocks")
    assert [block.text for block in source.blocks] == ["One.", "Two  words."]
    assert source.replaced([TextEdit(1, 0, 3, "2"), TextEdit(0, 0, 3, "1")]) == b"1.\r\n==\n 2  words.\n"


def test_an_engine(recipe):
    from lexbeam.transforms.annotation.engines.engine import annotate_text
    from lexbeam.transforms.annotation.engines.known_engines import load_engine

    name = recipe("Add an annotation engine")
    found = annotate_text("To be\n\nor not", load_engine(f"{name}:en"))
    assert [sentence.lemmas for sentence in found] == [["To", "be"], ["or", "not"]]


def test_a_format_of_vectors(recipe, tmp_path):
    from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

    name = recipe("Add a format of vectors")
    (tmp_path / "v").write_text("sea 3 4\nship 0 1\n")
    options = LexiconOptions(resources=(f"v=vectors:{tmp_path / 'v'}:format={name}",), cache=str(tmp_path / "cache"))
    found, known = prepare(options).held[0].open().vectors(pa.array(["ship", "sea", "land"]))
    assert known.tolist() == [True, True, False]
    assert found[:2].tolist() == [[0, 1], [3, 4]]


def space(vectors):
    from lexbeam.transforms.embeddings.spaces import Space

    words = sorted("abcd")
    return Space(words, np.full(4, 9), np.array(vectors, np.float32), 99)


EARLY, LATE = [[3, 0], [0, 2], [1, 1], [2, 5]], [[0, 1], [4, 1], [2, 2], [1, 0]]


def test_a_measure(recipe):
    from lexbeam.transforms.change.scores.pair_scores import ScoredSlice, score_pair
    from lexbeam.transforms.change.view.counts import COUNTS
    from lexbeam.transforms.embeddings.alignment import fit_alignment

    name = recipe("Add a measure")
    spaces = [space(EARLY), space(LATE)]
    counts = pa.table([list("abcd"), [9] * 4, [9] * 4, [None] * 4], schema=COUNTS)
    slices = [ScoredSlice(str(n), own, counts, 99, 9, 2) for n, own in enumerate(spaces)]
    alignments = {"none": fit_alignment("none", *spaces)}
    found = score_pair(*slices, seed=1, alignments=alignments, measures=[name]).to_pylist()
    assert {row["word"]: row["score"] for row in found if row["measure"] == name} == dict(
        zip("abcd", np.abs(np.subtract(EARLY, LATE)).sum(axis=1), strict=True)
    )


def test_a_representation(recipe):
    from scipy.sparse import csr_array

    from lexbeam.transforms.embeddings.counted_vectors import Cooccurrences
    from lexbeam.transforms.embeddings.representations import RepresentationOptions, represent

    contexts = Cooccurrences(["a", "b", "z"], csr_array(np.array([[1, 2, 4], [2, 0, 3], [4, 3, 0]])))
    found = represent(contexts, 1, RepresentationOptions(representation=recipe("Add a representation")))
    assert found.tolist() == [[3, 4], [2, 3], [7, 0]]


def test_an_alignment(recipe):
    from lexbeam.transforms.embeddings.alignment import fit_alignment
    from lexbeam.transforms.embeddings.spaces import apply

    found = fit_alignment(recipe("Add an alignment"), space(EARLY), space(LATE))
    for side, own in ((found.source, EARLY), (found.target, LATE)):
        np.testing.assert_allclose(apply(side, np.array(own, np.float32)), np.array(own) - np.mean(own, axis=0))


def test_a_joint_training(recipe):
    from lexbeam.transforms.embeddings.joint_trainings import JOINT_TRAININGS, JointSlices, SliceText
    from lexbeam.transforms.embeddings.sgns import SgnsOptions

    texts = [[["a", "b", "c"]] * 9, [["b", "c", "d"]] * 9]
    counts = ({"a": 9, "b": 9, "c": 9}, {"b": 9, "c": 9, "d": 9})
    slices = [
        SliceText(str(n), lambda some=some: [pa.array(some)], known, 2, 9, 27)
        for n, (some, known) in enumerate(zip(texts, counts, strict=True))
    ]
    train = JOINT_TRAININGS[recipe("Add a joint training")].train
    first, second = train(JointSlices(slices, 1), SgnsOptions(dim=3, epochs=1))
    assert (first.words, second.words) == (list("abc"), list("bcd"))
    assert np.abs(first.vectors[1] - second.vectors[0]).max() < 0.1


def test_a_threshold(recipe):
    from lexbeam.transforms.change.scores.thresholds import THRESHOLDS

    name = recipe("Add a threshold")
    assert THRESHOLDS[name].cut(np.array([1.0, np.nan, 2.0, 9.0])).value == 2.0


def test_a_system(recipe):
    from lexbeam.pipelines.commands.change.options import ChangeOptions
    from lexbeam.transforms.common.options.fields import from_mapping, value_of

    options = from_mapping(ChangeOptions, {"slices": "1..2,3..4", "out": "out", "system": recipe("Add a system")})
    assert [value_of(options, name) for name in ("measure", "alignment", "window")] == [("cosine",), ("none",), 3]


def test_a_feature(recipe, tmp_path):
    from featured import computed, instance, setting_with

    name = recipe("Add a feature")
    rows = (instance("NASA"), instance("New York"))
    one, two = computed(setting_with(tmp_path, use=("form", name)), *rows)
    assert (one["shouted"], two["shouted"], two["shouted_first"]) == (4, 1, 1)


def test_a_scorer(recipe):
    from lexbeam.transforms.learning.scorer import ScorerOptions, ScorerTraining
    from lexbeam.transforms.learning.scorers import SCORERS, members

    name = recipe("Add a scorer")
    assert name in members()
    rows = np.arange(8.0).reshape(4, 2)
    options = ScorerOptions(members=(name,), inner_folds=2)
    training = ScorerTraining(rows, ("x", "y"), np.array([0.1, 0.2, 0.3, 0.4]), list("abcd"))
    for scorer in (name, "stack"):
        fitted = SCORERS[scorer].fit(training, options)
        assert SCORERS[scorer].predict(fitted, rows) == pytest.approx(np.full(4, 0.25), abs=0.1)


def test_a_cloze_filter(recipe):
    from asked import batch, pair

    from lexbeam.schemas.cloze import CANDIDATES
    from lexbeam.transforms.cloze.filters.cloze_filter import FilterSetting
    from lexbeam.transforms.cloze.filters.cloze_filters import filters_of, judge
    from lexbeam.transforms.lexicon.resources import Lexicon

    assert "long_passed" not in CANDIDATES.schema().names
    name = recipe("Add a cloze filter")
    assert CANDIDATES.schema().field("long_passed").metadata[b"doc"].startswith(b"long: whether it has four letters")
    kind = "nonspecificity"
    assert filters_of(kind, [name, "lemma"]) == [kind, "lemma", name]
    judged = judge(
        batch(pair("Dogs saw us", "nothing")), [kind], [name], FilterSetting(Lexicon()), "all", without=[kind]
    )
    assert judged[kind].passed.tolist() == [True, False, False]


def one_instance():
    from lexbeam.transforms.simplification.records import Instance

    return Instance("1", "es", "Un arduo día", "arduo", 3, 8, None, None, None)


def test_a_generator(recipe):
    from lexbeam.transforms.simplification.generation.candidate_generation import candidates_of
    from lexbeam.transforms.simplification.generation.generator import GenerationOptions
    from lexbeam.transforms.simplification.generation.generators import GenerationFiles, generation_inputs

    name = recipe("Add a generator")
    asking = generation_inputs({"": GenerationOptions(generators=(name,))}, GenerationFiles())
    (row,) = candidates_of([one_instance()], asking, {}).to_pylist()
    assert (row["form"], row[f"{name}_score"], row["thesaurus_score"]) == ("ar", 1.0, None)


def test_a_selection_filter(recipe):
    from lexbeam.schemas.simplification import FUNNEL, SELECTIONS, selection_reasons
    from lexbeam.transforms.common.options.fields import options_of
    from lexbeam.transforms.simplification.selection.candidate_filter import (
        CandidateState,
        InstanceCandidates,
        Selecting,
        SelectionOptions,
    )
    from lexbeam.transforms.simplification.selection.filters import FILTERS

    name = recipe("Add a selection filter")
    group = InstanceCandidates(
        one_instance(), [CandidateState(form, form, None, None, 1.0, None) for form in ("de", "duro")]
    )
    FILTERS[name].drop([group], Selecting(SelectionOptions(filters=(name,))))
    assert [state.reason for state in group.states] == ["tiny", None]
    # Everything that names reasons has this one, and selections those of the filters that were used.
    assert selection_reasons()["tiny"] == "it has fewer than three letters"
    for schema in (FUNNEL.schema(), SELECTIONS.schema(), SELECTIONS.schema(filters=[name])):
        assert "tiny" in schema.field("reason").metadata[b"range"].decode().split(", ")
    assert b"tiny" not in SELECTIONS.schema(filters=["morphology"]).field("reason").metadata[b"range"]
    assert "(tiny)" in options_of(SelectionOptions)["filters"].explained


def test_a_ranker(recipe):
    from lexbeam.transforms.lexicon.resources import Lexicon
    from lexbeam.transforms.simplification.ranking.options import RankingOptions
    from lexbeam.transforms.simplification.ranking.rankers import CandidateScores, Ranked, RankerInputs, scores_of

    name = recipe("Add a ranker")
    ranking = RankerInputs(RankingOptions(ranker=(name,)), Lexicon(), ())
    one = Ranked(one_instance(), ["duro", "difícil"], [1.0, 1.0], [None, None])
    assert scores_of(name, [one], ranking) == [CandidateScores([-4, -7], -5)]


def test_an_entry_from_outside_is_a_choice_with_its_doc_line(recipe):
    from lexbeam.transforms.common.options.fields import options_of
    from lexbeam.transforms.simplification.ranking.options import RankingOptions

    name = recipe("Add a ranker")
    module = importlib.import_module("toy_brevity")
    assert f"{name}: {module.BREVITY.doc}" in options_of(RankingOptions)["ranker"].explained
