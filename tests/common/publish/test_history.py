"""What is published, remembered: publications, tags, rollback, retention, and all of it after kills and damage."""

import dataclasses
import hashlib
import json

import pytest
from making import made_section, put, read_of

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish import history as module
from lexbeam.transforms.common.publish import publication
from lexbeam.transforms.common.publish.differences import SectionChange, TableChange
from lexbeam.transforms.common.publish.history import (
    note_told,
    published_at,
    read_history,
    resolve_snapshot,
    tag_snapshot,
    untag,
    untold_publications,
)
from lexbeam.transforms.common.publish.layout import locked, read_record, snapshot_name
from lexbeam.transforms.common.publish.publication import KEEP, Keep, rollback
from lexbeam.transforms.common.publish.snapshots import open_kept, open_snapshot

DAY = 86_400


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def clock(monkeypatch):
    """The time of publications, which a test sets."""
    time = {"now": 1_700_000_000.0}
    for each in (module, publication):
        monkeypatch.setattr(each, "now", lambda: time["now"])
    return time


def publish(out, *words, keep=KEEP, **more):
    put(out, made_section(out.parent / "w", "corpus", {"documents": [[word] for word in words]}, **more), keep=keep)
    return snapshot_name(str(out))


def names(out):
    return [each.snapshot for each in read_history(str(out)).publications]


def kept_words(out):
    record = read_record(str(out)).snapshots
    return ["".join(open_kept(str(out), name).read("documents")["word"].to_pylist()) for name in record]


def back(out, snapshot):
    with locked(str(out)):
        return rollback(str(out), snapshot)


def test_each_publication_is_remembered_with_what_changed(out, clock):
    first = publish(out, "a", "b", options={"dim": 1}, inputs=[{"name": "x", "bytes": 1, "sha256": "y"}])
    clock["now"] += 61
    corpus = made_section(out.parent / "w", "corpus", {"documents": [["a"], ["c", "d"]]}, options={"dim": 2})
    change = made_section(
        out.parent / "w", "change", {"scores": [["s"]]}, reads=(read_of(corpus, "documents"),), options={}
    )
    put(out, corpus, change)
    publish(out, "a")
    entries = read_history(str(out)).publications
    assert [each.snapshot for each in entries] == [first, *names(out)[1:]]
    assert [each.time for each in entries] == ["2023-11-14T22:13:20Z", "2023-11-14T22:14:21Z", "2023-11-14T22:14:21Z"]
    assert entries[0].sections == {"corpus": SectionChange("new")}
    assert entries[0].tables == {"documents": TableChange(rows=2, before=None, parts=2)}
    assert entries[1].sections == {
        "change": SectionChange("new"),
        "corpus": SectionChange("remade", options={"dim": (1, 2)}, inputs=True),
    }
    assert entries[1].tables["documents"] == TableChange(rows=3, before=2, parts=1)
    # Made from another table, the second section went.
    assert entries[2].sections["change"] == SectionChange("dropped")
    assert entries[2].tables == {"documents": TableChange(1, 3, 0), "scores": TableChange(None, 1, 0)}


def test_the_same_again_is_one_publication(out):
    publish(out, "a")
    publish(out, "a")
    assert len(names(out)) == 1


def test_long_values_of_options_are_noted_by_digest(out):
    publish(out, "a", options={"words": ["x"] * 500})
    publish(out, "a", options={"words": ["y"]})
    before, after = read_history(str(out)).publications[-1].sections["corpus"].options["words"]
    assert before.startswith("sha256:")
    assert after == ["y"]


@pytest.mark.parametrize("when", ["before the history", "in the history"])
def test_what_a_killed_run_had_published_is_remembered(out, monkeypatch, when):
    first = publish(out, "a")

    def die(*_, **__):
        raise KeyboardInterrupt

    at = (publication, "note_publication") if when == "before the history" else (module.files, "update_bytes")
    switch = publication._switch

    def switch_then_die(*arguments):
        switch(*arguments)
        monkeypatch.setattr(*at, die)

    monkeypatch.setattr(publication, "_switch", switch_then_die)
    with pytest.raises(KeyboardInterrupt):
        publish(out, "b")
    monkeypatch.undo()
    second = snapshot_name(str(out))
    assert names(out) == [first, second]  # by its log
    publish(out, "c")
    assert names(out) == [first, second, snapshot_name(str(out))]


def test_a_tag_keeps_its_snapshot(out):
    first = publish(out, "a")
    assert tag_snapshot(str(out), first[:8], "paper-v1")
    assert not tag_snapshot(str(out), "paper-v1", "paper-v1")
    for word in "bcd":
        publish(out, word)
    assert kept_words(out) == ["a", "c", "d"]
    assert resolve_snapshot(str(out), "paper-v1") == first
    assert untag(str(out), "paper-v1") == first
    assert kept_words(out) == ["a", "c", "d"]
    publish(out, "e")
    assert kept_words(out) == ["d", "e"]


@pytest.mark.parametrize(
    ("snapshot", "name", "told"),
    [
        ("0" * 8, "x", "no snapshot or tag '00000000'"),
        ("first", "x", "no snapshot or tag 'first' at .*; its snapshots: "),
        ("", "x", "no snapshot or tag ''"),
        ("now", "a/b", "a tag has letters"),
        ("now", "current", "is what readers see"),
        ("now", "abcdef", "might be the name of a snapshot"),
        ("now", "taken", "the tag taken is of snapshot"),
    ],
)
def test_tags_that_cannot_be(out, snapshot, name, told):
    tag_snapshot(str(out), publish(out, "a"), "taken")
    now = publish(out, "b")
    with pytest.raises(UsageError, match=told):
        tag_snapshot(str(out), now if snapshot == "now" else snapshot, name)
    assert set(read_history(str(out)).tags) == {"taken"}


def test_a_snapshot_that_went_is_told_from_one_that_never_was(out):
    first = publish(out, "a")
    publish(out, "b", keep=Keep(1))
    with pytest.raises(UsageError, match="is no longer kept"):
        resolve_snapshot(str(out), first)


def test_snapshots_are_kept_by_age(out, clock):
    for word in "abcd":
        publish(out, word, keep=Keep(1, days=2))
        clock["now"] += DAY
    assert kept_words(out) == ["b", "c", "d"]
    clock["now"] -= 10 * DAY  # a clock that was set back makes nothing older
    publish(out, "e", keep=Keep(1, days=2))
    assert kept_words(out) == ["b", "c", "d", "e"]


def test_rollback_is_one_switch_and_a_publication_goes_on_from_it(out):
    first = publish(out, "a")
    second = publish(out, "b")
    manifest = (out / "manifest.json").read_bytes()
    assert back(out, first[:6]).name == first
    assert open_snapshot(str(out)).read("documents")["word"].to_pylist() == ["a"]
    assert (out / "manifest.json").read_bytes() != manifest
    entry = read_history(str(out)).publications[-1]
    assert (entry.snapshot, entry.how) == (first, "rolled back")
    back(out, second)
    assert (out / "manifest.json").read_bytes() == manifest
    assert names(out) == [first, second, first, second]
    back(out, second)
    assert len(names(out)) == 4
    back(out, first)
    assert published_at(str(out), first) == read_history(str(out)).publications[-1].at
    assert published_at(str(out), "0" * 32) is None
    publish(out, "c")
    assert kept_words(out) == ["a", "c"]  # what was rolled back from goes first


def untold(out):
    return [each.snapshot for each in untold_publications(str(out))]


def test_what_readers_are_to_be_told_of_is_noted_until_they_are(out, clock):
    first = publish(out, "a", keep=Keep(1))
    assert untold(out) == []
    put(out, made_section(out.parent / "w", "corpus", {"documents": [["b"]]}), tells=True, keep=Keep(1))
    second = snapshot_name(str(out))
    put(out, made_section(out.parent / "w", "corpus", {"documents": [["c"]]}), tells=True, keep=Keep(1))
    third = snapshot_name(str(out))
    put(out, made_section(out.parent / "w", "corpus", {"documents": [["c"]]}), tells=True)  # which is nothing new
    publish(out, "d")
    assert untold(out) == [second, third], "whether they are kept or not"
    tokens = {each.snapshot: each.token for each in read_history(str(out)).publications}
    assert (tokens[first], tokens[snapshot_name(str(out))]) == ("", "")
    assert len({tokens[second], tokens[third], ""}) == 3
    note_told(str(out), tokens[second])
    assert untold(out) == [third]
    assert {each.snapshot: each.token for each in read_history(str(out)).publications} == tokens
    note_told(str(out), tokens[third])
    assert untold(out) == []


def test_the_same_snapshot_published_again_has_another_token(out, clock):
    first, second = publish(out, "a"), publish(out, "b")
    for snapshot in (first, second, first, second):
        with locked(str(out)):
            rollback(str(out), snapshot, tells=True)
    found = untold_publications(str(out))
    assert [each.snapshot for each in found] == [first, second, first, second]
    assert len({each.token for each in found}) == 4


def test_what_a_killed_run_had_published_is_untold(out, monkeypatch):
    publish(out, "a")

    def die(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(publication, "_remove_old", die)
    with pytest.raises(KeyboardInterrupt):
        put(out, made_section(out.parent / "w", "corpus", {"documents": [["b"]]}), tells=True)
    monkeypatch.undo()
    (found,) = untold_publications(str(out))
    assert found.snapshot == snapshot_name(str(out))
    publish(out, "c")
    assert untold_publications(str(out)) == [found]
    note_told(str(out), found.token)
    assert untold(out) == []


def test_with_a_damaged_history_readers_are_told_of_what_they_see(out):
    for word in "ab":
        put(out, made_section(out.parent / "w", "corpus", {"documents": [[word]]}), tells=True)
    (out / "_snapshots" / ".history").write_bytes(b"x")
    (found,) = untold_publications(str(out))
    assert found.snapshot == snapshot_name(str(out))
    with pytest.raises(LexbeamError, match="is damaged"):
        note_told(str(out), found.token)


def test_rollback_restores_tables_that_were_dropped(out):
    both = made_section(out.parent / "w", "corpus", {"documents": [["a"]], "sentences": [["s"]]})
    put(out, both)
    first = snapshot_name(str(out))
    publish(out, "b")
    assert not (out / "sentences").exists()
    back(out, first)
    assert (out / "sentences").is_dir()


def test_a_damaged_snapshot_is_not_rolled_back_to(out):
    first = publish(out, "a")
    publish(out, "b")
    part = next((out / "_snapshots" / first / "documents").iterdir())
    part.write_bytes(b"x" * part.stat().st_size)
    with pytest.raises(LexbeamError, match="not rolled back: 1 part of snapshot"):
        back(out, first)
    assert open_snapshot(str(out)).read("documents")["word"].to_pylist() == ["b"]


@pytest.mark.parametrize("damage", [b"", b"{", b'{"history":{},"check":"0"}', None])
def test_a_damaged_history_removes_nothing(out, caplog, damage):
    publish(out, "a")
    path = out / "_snapshots" / ".history"
    if damage is None:  # a bit of the tags
        tag_snapshot(str(out), snapshot_name(str(out)), "paper-v1")
        damage = path.read_bytes().replace(b"paper-v1", b"paper-v2")
    path.write_bytes(damage)
    for word in "bcd":
        publish(out, word)
    assert kept_words(out) == ["a", "b", "c", "d"]
    assert "no snapshot is removed" in caplog.text
    with pytest.raises(LexbeamError, match="is damaged: it held what was published when"):
        read_history(str(out))
    path.unlink()
    last = snapshot_name(str(out))
    publish(out, "e")
    assert kept_words(out) == ["d", "e"]
    assert names(out) == [last, snapshot_name(str(out))]


def test_nothing_of_it_is_in_a_manifest(out, clock):
    texts = []
    for day in range(2):
        publish(out, "a")
        texts.append((out / "manifest.json").read_bytes())
        clock["now"] += day * DAY
    assert texts[0] == texts[1]
    assert "publication" not in json.loads(texts[0])


def test_code_and_configuration_are_noted_by_digest(out):
    def made(word, **more):
        section = made_section(out.parent / "w", "corpus", {"documents": [[word]]}, options=more)
        put(out, dataclasses.replace(section, entry={**section.entry, "stages": {"corpus/make": {"code": word}}}))

    for word, dim in (("a", 1), ("a", 2), ("b", 2)):
        made(word, dim=dim)
    first, second, third = read_history(str(out)).publications
    assert len({first.code, first.configuration, third.code, second.configuration}) == 4
    assert (first.code, second.configuration) == (second.code, third.configuration)


def test_what_was_noted_without_them_is_read(out):
    publish(out, "a")
    path = out / "_snapshots" / ".history"
    noted = json.loads(path.read_bytes())["history"]
    for name in ("code", "configuration"):
        del noted["publications"][0][name]
    raw = json.dumps(noted)
    path.write_text(f'{{"history":{raw},"check":"{hashlib.sha256(raw.encode()).hexdigest()}"}}')
    (entry,) = read_history(str(out)).publications
    assert (entry.snapshot, entry.code) == (snapshot_name(str(out)), "")
