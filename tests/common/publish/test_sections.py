"""What becomes of sections when others are made anew."""

import pytest
from making import made_section, put, read_of

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.publish.sections import check_replacing, decide, same_content
from lexbeam.transforms.common.publish.snapshots import open_snapshot


@pytest.fixture
def folder(tmp_path):
    """A folder with a corpus, change made from it, and a section of its own."""
    corpus = made_section(tmp_path / "w", "corpus", {"sentences": [["a"], ["b"]]})
    change = made_section(tmp_path / "w", "change", {"scores": [["s"]]}, reads=(read_of(corpus, "sentences"),))
    later = made_section(tmp_path / "w", "report", {"report/rows": [["r"]]}, reads=(read_of(change, "scores"),))
    other = made_section(tmp_path / "w", "other", {"other/rows": [["o"]]})
    put(tmp_path / "out", corpus)
    put(tmp_path / "out", change)
    put(tmp_path / "out", later, other)
    return tmp_path / "out"


def manifest_of(out):
    return open_snapshot(str(out)).manifest


def corpus_of(tmp_path, *words):
    return made_section(tmp_path / "v", "corpus", {"sentences": [[word] for word in words]})


def test_sections_are_carried_over(folder):
    snapshot = open_snapshot(str(folder))
    assert set(snapshot.sections) == {"corpus", "change", "report", "other"}
    assert snapshot.read("sentences")["word"].to_pylist() == ["a", "b"]
    assert snapshot.read("report/rows")["word"].to_pylist() == ["r"]
    assert (folder / "report" / "rows").is_dir()


def test_other_content_takes_dependants_along_and_theirs(folder, tmp_path):
    outcome = decide(manifest_of(folder), [corpus_of(tmp_path, "a", "c")])
    assert outcome.replaced == ("corpus",)
    assert outcome.dropped == ("change", "report")
    assert outcome.kept == ("other",)


def test_equal_content_drops_nothing(folder, tmp_path):
    outcome = decide(manifest_of(folder), [corpus_of(tmp_path, "a", "b")])
    assert (outcome.replaced, outcome.dropped) == (("corpus",), ())
    assert outcome.kept == ("change", "other", "report")


def test_what_was_read_elsewhere_depends_on_nothing_here(folder, tmp_path):
    corpus = corpus_of(tmp_path, "x")
    change = made_section(
        tmp_path / "v", "change", {"scores": [["t"]]}, reads=(read_of(corpus, "sentences", own=False),)
    )
    put(folder, change)
    outcome = decide(manifest_of(folder), [corpus_of(tmp_path, "y")])
    assert outcome.dropped == ()
    assert "change" in outcome.kept


def test_a_section_that_makes_anothers_table_replaces_it(folder, tmp_path):
    thief = made_section(tmp_path / "v", "thief", {"scores": [["z"]]})
    outcome = decide(manifest_of(folder), [thief])
    assert outcome.replaced == ("change",)
    assert outcome.dropped == ("report",)
    with pytest.raises(UsageError, match=r"section change.*would also drop report"):
        check_replacing(manifest_of(folder), {"thief": ("scores",)}, overwrite=False)


def test_a_published_section_needs_overwrite_with_dependants_or_without(folder):
    with pytest.raises(UsageError, match=r"section corpus.*would also drop change, report"):
        check_replacing(manifest_of(folder), {"corpus": ("sentences",)}, overwrite=False)
    with pytest.raises(UsageError, match="section other: give `overwrite`"):
        check_replacing(manifest_of(folder), {"other": ("other/rows",)}, overwrite=False)
    check_replacing(manifest_of(folder), {"corpus": ("sentences",)}, overwrite=True)
    check_replacing(manifest_of(folder), {"new": ("new/rows",)}, overwrite=False)
    check_replacing(None, {"corpus": ("sentences",)}, overwrite=False)


def test_a_section_to_be_dropped_must_be_there(folder):
    with pytest.raises(UsageError, match="did you mean 'change'"):
        check_replacing(manifest_of(folder), {}, overwrite=True, drop=["chnage"])
    with pytest.raises(UsageError, match="would also drop report"):
        check_replacing(manifest_of(folder), {}, overwrite=False, drop=["change"])


def test_the_same_content_is_that_of_tables_inputs_and_options(folder, tmp_path):
    manifest = manifest_of(folder)
    assert same_content(manifest, corpus_of(tmp_path, "a", "b"))
    assert not same_content(manifest, corpus_of(tmp_path, "a", "c"))
    other = made_section(tmp_path / "v", "corpus", {"sentences": [["a"], ["b"]]}, options={"x": 1})
    assert not same_content(manifest, other)
    assert not same_content({}, other)


def test_sections_made_one_by_one_or_at_once_have_one_manifest(tmp_path):
    corpus = corpus_of(tmp_path, "a")
    change = made_section(tmp_path / "w", "change", {"scores": [["s"]]}, reads=(read_of(corpus, "sentences"),))
    put(tmp_path / "one", corpus)
    put(tmp_path / "one", change)
    put(tmp_path / "two", corpus, change)
    assert open_snapshot(str(tmp_path / "one")).name == open_snapshot(str(tmp_path / "two")).name
