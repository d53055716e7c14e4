"""Corpora found again from what was made of them."""

import json
import os

import pytest

from lexbeam.transforms.common.publish.layout import LOG
from lexbeam.transforms.common.publish.sections import table_digest
from lexbeam.transforms.common.publish.snapshots import MANIFEST_VERSION, Snapshot
from lexbeam.transforms.corpora.annotated_corpora import find_corpora


def parts(content):
    return [{"file": "p", "rows": 1, "bytes": 1, "sha256": content}]


def publish(folder, manifest, log=None):
    """Publish a manifest as a run does, without the parts that it names."""
    place = folder / "_snapshots" / "s"
    place.mkdir(parents=True, exist_ok=True)
    text = {"lexbeam": {"manifest_version": MANIFEST_VERSION}, **manifest}
    if not (folder / "current").exists():
        (folder / "current").symlink_to("_snapshots/s")
    (place.parent / f"s{LOG}").write_text(json.dumps(log or {}))
    return Snapshot(str(folder), "s", str(place), text)


def tables(**contents):
    return {name: {"rows": 1, "parts": parts(content)} for name, content in contents.items()}


@pytest.fixture
def corpora(monkeypatch):
    """A function that lets a corpus lie in a folder: what opens folders knows it."""
    known = {}

    def find(place):
        return known.get(os.path.realpath(place))

    monkeypatch.setattr("lexbeam.transforms.corpora.annotated_corpora.find_snapshot", find)

    def put(folder, **contents):
        known[os.path.realpath(folder)] = Snapshot(str(folder), "c", str(folder), {"tables": tables(**contents)})

    put.known = known
    return put


def change(folder, corpus, *, sentences="s1", documents="d1", section=None, log=True):
    """Publish a section made from a corpus in another folder, or in its own."""
    reads = [{"table": "sentences", "digest": table_digest(parts(sentences)), "section": section}]
    source = {
        "folder": str(corpus),
        "relative": os.path.relpath(corpus, folder),
        "tables": {"documents": table_digest(parts(documents)), "sentences": table_digest(parts(sentences))},
    }
    noted = {"sections": {"change": {"sources": [source], "folders": [str(corpus)]}}}
    manifest = {"tables": tables(sentences="own"), "change": {"reads": reads}}
    return publish(folder, manifest, noted if log else None)


def test_the_corpus_of_the_same_folder_needs_no_note(tmp_path):
    snapshot = change(tmp_path, tmp_path, section="corpus", log=False)
    assert find_corpora(snapshot, "change") == ((snapshot,), ())


def test_a_corpus_elsewhere_is_found_and_not_that_of_the_own_folder(tmp_path, corpora):
    corpora(tmp_path / "corpus", sentences="s1", documents="d1")
    snapshot = change(tmp_path / "out", tmp_path / "corpus")
    places, notes = find_corpora(snapshot, "change")
    assert [place.out for place in places] == [str(tmp_path / "corpus")]
    assert notes == ()


def test_both_may_be_moved_together(tmp_path, corpora):
    change(tmp_path / "old" / "out", tmp_path / "old" / "corpus")
    (tmp_path / "old").rename(tmp_path / "new")
    corpora(tmp_path / "new" / "corpus", sentences="s1", documents="d1")
    moved = tmp_path / "new" / "out"
    reads = [{"table": "sentences", "digest": table_digest(parts("s1")), "section": None}]
    manifest = {"tables": {}, "change": {"reads": reads}}
    places, notes = find_corpora(Snapshot(str(moved), "s", "", manifest), "change")
    assert [place.out for place in places] == [str(tmp_path / "new" / "corpus")]
    assert notes == ()


def test_a_corpus_that_was_annotated_anew_is_taken_and_told(tmp_path, corpora):
    corpora(tmp_path / "corpus", sentences="other", documents="d1")
    places, (note,) = find_corpora(change(tmp_path / "out", tmp_path / "corpus"), "change")
    assert len(places) == 1
    assert "annotated anew since; its documents are the same" in note


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"sentences": "other", "documents": "d2"}, "has other documents now"),
        ({"sentences": "other"}, "has other documents now"),
        ({"documents": "d1"}, "no longer at"),
        (None, "no longer at"),
    ],
)
def test_what_is_gone_or_another_is_not_taken(tmp_path, corpora, there, told):
    if there is not None:
        corpora(tmp_path / "corpus", **there)
    places, (note,) = find_corpora(change(tmp_path / "out", tmp_path / "corpus"), "change")
    assert places == ()
    assert told in note
    assert str(tmp_path / "corpus") in note
    assert "`corpus`" in note


def test_without_a_log_a_person_is_asked(tmp_path):
    places, (note,) = find_corpora(change(tmp_path, tmp_path / "c", log=False), "change")
    assert places == ()
    assert "name its folder by `corpus`" in note
