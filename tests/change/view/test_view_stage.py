"""The view as artefacts, against a plain recount of the sentences."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from view_making import EMPTY, SPEC, corpus, measured_in, prepare, spec_of, tasks_of, viewed_in, write_parts

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.change.view import view_stage
from lexbeam.transforms.change.view.feeds import read_counts
from lexbeam.transforms.change.view.view_stage import MeasureTokens, ViewSlices, limits_of
from lexbeam.transforms.change.view.words import ViewOptions, ViewTargets, load_targets
from lexbeam.transforms.common.store.artefacts import Workspace, files_of


@pytest.fixture
def rows():
    return corpus()


@pytest.fixture
def part(rows, tmp_path):
    return write_parts(tmp_path, rows)[0]


def inside(rows, index):
    chosen = SPEC.slices[index]
    return [row for row in rows if chosen.start <= row["year"] <= chosen.end]


def expected(rows, index):
    return [row for row in inside(rows, index) if len(row["lemmas"]) >= 3]


def test_counts_are_those_of_a_plain_recount(rows, tmp_path):
    slices, feeds, viewed = prepare(tmp_path / "a", rows, parts=3)
    for index in range(2):
        kept = expected(rows, index)
        words = [(row["document_id"], word) for row in kept for word in row["lemmas"][:-1]]
        counts = Counter(word for _, word in words)
        documents = Counter(word for _, word in set(words))
        table = read_counts(slices[index].counts).to_pylist()
        assert {row["word"]: row["count"] for row in table} == counts
        assert {row["word"]: row["documents"] for row in table} == documents
        assert {row["word"]: [(UPOS[tag], uses) for tag, uses in row["tags"]] for row in table} == {
            word: [("PROPN" if word == "w3" else "NOUN", counts[word])] for word in counts
        }
        assert slices[index].tokens == len(words)
        assert slices[index].types == len(counts)
        assert slices[index].sentences == len(kept)
        assert slices[index].documents == len({row["document_id"] for row in kept})
        longest = Counter(document for document, _ in words).most_common(1)[0][1]
        assert slices[index].largest_document == longest
        every = inside(rows, index)
        assert slices[index].tokens_before == sum(len(row["lemmas"]) for row in every)
        assert slices[index].short == len(every) - len(kept)
        held = sum(len(row["lemmas"]) for row in kept)
        assert slices[index].short_tokens == slices[index].tokens_before - held
        assert Counter(map(tuple, feeds[index])) == Counter(tuple(row["lemmas"][:-1]) for row in kept)
        seen = {row["document_id"] for row in every}
        assert sum(found[index].seen for found in viewed) == len(seen)
    outside = {row["document_id"] for row in rows if row["year"] > 1890 or row["year"] in range(1841, 1850)}
    assert sum(found[0].of - sum(one.seen for one in found) for found in viewed) == len(outside)


@pytest.mark.parametrize("budget", ["smallest", 300])
def test_downsampling_keeps_targets_and_the_budget(rows, tmp_path, budget):
    slices, feeds, _ = prepare(tmp_path / "a", rows, parts=2, budget=budget)
    full, everything, _ = prepare(tmp_path / "b", rows)
    limit = min(row.tokens for row in full) if budget == "smallest" else budget
    for index in range(2):
        with_target = [words for words in everything[index] if "w7" in words]
        assert [words for words in feeds[index] if "w7" in words] == with_target
        least = sum(map(len, with_target))
        assert slices[index].tokens <= max(limit, least)
        assert slices[index].tokens == sum(map(len, feeds[index]))
        dropped = slices[index].sampled_out
        assert dropped == len(everything[index]) - len(feeds[index])


def test_documents_left_out_are_as_if_they_were_not_there(rows, part, tmp_path):
    gone = [f"{number:032x}" for number in range(0, 40, 3)]
    space = Workspace(str(tmp_path / "w"))
    found = viewed_in(space, part, left_out=gone)
    (tmp_path / "less").mkdir()
    (less,) = write_parts(tmp_path / "less", [r for r in rows if r["document_id"] not in gone])
    same = viewed_in(space, less)
    for one, other in zip(found, same, strict=True):
        assert one.counts.sha256 == other.counts.sha256
        assert replace(one, staged=None, counts=None) == replace(other, staged=None, counts=None)
    assert found[0].of == 40 - len(gone)


def digests(receipt):
    return [file.sha256 for file in files_of(receipt)]


def state_of(receipts):
    """Content and time of the files of receipts."""
    paths = [Path(file.path) for receipt in receipts for file in files_of(receipt)]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


@pytest.fixture
def derived(monkeypatch):
    """The names of the slices that the view is derived for, a list for each row group."""
    names = []
    derive = view_stage.derive

    def noted(table, slices, targets, options):
        names.append([slice.name for slice in slices])
        return derive(table, slices, targets, options)

    monkeypatch.setattr(view_stage, "derive", noted)
    return names


THREE = spec_of("1800-1840,1841-1849,1850-1890")


def test_another_slice_leaves_those_that_are_there_as_they_are(part, tmp_path, derived):
    space = Workspace(str(tmp_path / "w"))
    early, late = viewed_in(space, part, SPEC)
    before = state_of([early, late])
    assert derived.pop() == ["1800-1840", "1850-1890"]
    found = viewed_in(space, part, THREE)
    assert derived == [["1841-1849"]]
    assert [found[0], found[2]] == [early, late]
    assert state_of([early, late]) == before
    # And what is made alone is what is made in one go.
    fresh = viewed_in(Workspace(str(tmp_path / "fresh")), part, THREE)
    assert list(map(digests, fresh)) == list(map(digests, found))
    assert [(one.seen, one.of) for one in fresh] == [(one.seen, one.of) for one in found]
    # One less needs nothing at all.
    assert viewed_in(space, part, SPEC) == [early, late]
    assert len(derived) == 2


def test_a_slice_s_view_does_not_depend_on_whether_other_slices_are_tagged(rows, tmp_path):
    for row in rows:
        if row["year"] >= 1850:
            row["upos"] = None
    (part,) = write_parts(tmp_path, rows)
    late = spec_of("1850-1890")
    (alone,) = viewed_in(Workspace(str(tmp_path / "alone")), part, late)
    _, together = viewed_in(Workspace(str(tmp_path / "together")), part, SPEC)
    assert digests(alone) == digests(together)


def test_another_slice_measures_the_others_not_again(part, tmp_path, derived):
    space = Workspace(str(tmp_path / "w"))
    first = measured_in(space, part)
    derived.clear()
    found = measured_in(space, part, THREE)
    assert derived == [["1841-1849"]]
    assert [found[0], found[2]] == first
    # Nor does it change what a fixed budget keeps of them.
    fewer, more = limits_of([first], 300), limits_of([found], 300)
    assert fewer == [more[0], more[2]]


def test_the_name_of_a_slice_does_not_count(part, tmp_path, derived):
    space = Workspace(str(tmp_path / "w"))
    first = viewed_in(space, part, SPEC)
    derived.clear()
    assert viewed_in(space, part, spec_of("old=1800-1840,new=1850-1890")) == first
    assert derived == []


def identities(part, spec, limits=None, **more):
    step = ViewSlices.of_spec(spec, limited=limits is not None)
    return [step.identity(task) for task in tasks_of(part, spec, limits, **more)]


def measured(part, spec):
    return [MeasureTokens(spec.targets, spec.options).identity(task.of) for task in tasks_of(part, spec)]


@pytest.mark.parametrize("targets", [["w7", "w9"], ["w1"], []])
def test_plain_targets_count_only_where_they_decide_what_is_kept(part, tmp_path, derived, targets):
    space = Workspace(str(tmp_path / "w"))
    first = viewed_in(space, part, SPEC)
    derived.clear()
    other = replace(SPEC, targets=load_targets(targets, SPEC.options) if targets else ViewTargets())
    assert viewed_in(space, part, other) == first
    assert derived == []
    for place, (one, two) in enumerate(
        zip(identities(part, SPEC, limits=[5, 5]), identities(part, other, limits=[5, 5]), strict=True)
    ):
        assert one != two, place
    assert measured(part, SPEC) != measured(part, other)


def test_a_target_joined_to_a_part_of_speech_derives_the_view_anew(part, tmp_path):
    space = Workspace(str(tmp_path / "w"))
    first = viewed_in(space, part, SPEC)
    joined = replace(SPEC, targets=load_targets(["w1_nn"], ViewOptions()))
    found = viewed_in(space, part, joined)
    for one, two in zip(first, found, strict=True):
        assert digests(one) != digests(two)
        words = read_counts(two.counts)["word"].to_pylist()
        assert "w1_nn" in words
        assert "w1" not in words


def test_what_decides_the_view_counts(part):
    one = [SPEC.slices[0]]
    variants = [
        SPEC,
        replace(SPEC, ranges=(2,)),
        *(
            replace(SPEC, options=replace(SPEC.options, **changed))
            for changed in (
                {"unit": "form"},
                {"case": "keep"},
                {"homonym_marks": "keep"},
                {"min_sentence": 4},
                {"length_counts": "words"},
                {"seed": 1},
            )
        ),
    ]
    found = [identities(part, replace(spec, slices=one, ranges=spec.ranges[:1]))[0] for spec in variants]
    first = replace(SPEC, slices=one, ranges=SPEC.ranges[:1])
    found += identities(part, first, limits=[5])
    found += identities(part, first, left_out=["x"])
    found += identities(part._replace(sha256="else"), first)
    found += identities(part, spec_of("1800-1841"))
    assert len({str(identity) for identity in found}) == len(found) == 12


def test_where_a_part_lies_does_not_count(part):
    moved = part._replace(path="/else/where.parquet")
    assert identities(part, SPEC) == identities(moved, SPEC)


def test_a_part_without_a_sentence_in_a_slice_gives_an_empty_view(tmp_path):
    (tmp_path / "p").mkdir()
    row = {**EMPTY, "document_id": "0" * 32, "sentence": 0, "year": 1800, "lemmas": ["a"] * 5}
    (part,) = write_parts(tmp_path / "p", [row])
    early, late = viewed_in(Workspace(str(tmp_path / "w")), part, SPEC)
    assert (early.seen, early.tokens, late.seen, late.tokens, late.of) == (1, 5, 0, 0, 1)
    assert (len(early.ranges), late.ranges) == (1, ())
    assert read_counts(late.counts).num_rows == 0
