"""What a report shows of the last publication, and `diff` of documents with their sources."""

from published import CORPUS, change_section, documents, publish, rewritten, scores, sentences

from lexbeam.pipelines.commands.folder import diff
from lexbeam.pipelines.commands.folder.diff import _blocks, _record, last_change_head, last_change_panels
from lexbeam.transforms.report.page import render


def two(folder):
    """Two snapshots: a document is changed, one added; a word's score moves; a table is gone, another is new."""
    sections = {"corpus": {**CORPUS, "options": {"parts": "1"}}, "change": change_section()}
    before = publish(
        folder / "before",
        sections,
        {
            "documents": [documents({"document_id": "a" * 32, "source": "x.txt", "year": 1801})],
            "sentences": [sentences(("a" * 32, ["the", "ship"], None))],
            "scores": [[scores("sea", 0.5, null_mean=0.25), scores("ship", 0.5)]],
            "slices": [[]],
        },
    )
    after = publish(
        folder / "after",
        {**sections, "corpus": {**CORPUS, "options": {"parts": "2"}}},
        {
            "documents": [
                documents(
                    {"document_id": "b" * 32, "source": "x.txt", "title": "<b>X</b>"},
                    {"document_id": "c" * 32, "source": "new.txt"},
                )
            ],
            "sentences": [sentences(("b" * 32, ["a", "ship"], None))],
            "scores": [[scores("sea", 0.75, null_mean=0.25), scores("ship", 0.5)]],
            "vectors": [[]],
        },
    )
    return before, after


def test_panels_tell_of_sections_tables_documents_and_scores(tmp_path):
    before, after = two(tmp_path)
    sections, tables, changed, moved = last_change_panels(before, after)
    assert sections.rows.to_pylist() == [
        {"section": "corpus", "what became of it": "remade", "why": "option parts 1 to 2"}
    ]
    rows = {row.pop("table"): list(row.values()) for row in tables.rows.to_pylist()}
    assert rows == {
        "documents": [1, 2, 2, 1, 0, ""],
        "scores": [2, 2, 0, 0, 1, "score (1)"],
        "sentences": [1, 1, 1, 1, 0, ""],
        "slices": [0, None, None, None, None, ""],
        "vectors": [None, 0, None, None, None, ""],
    }
    assert [tuple(row[name] for name in ("what", "source", "document")) for row in changed.rows.to_pylist()] == [
        ("added", "new.txt", "c" * 32),
        ("added", "x.txt", "b" * 32),
        ("removed", "x.txt", "a" * 32),
    ]
    (row,) = moved.rows.to_pylist()
    assert (row["word"], row["moved"], row["null mean before"], row["score sd after"]) == ("sea", 0.25, 0.25, None)
    assert "what chance gives" in moved.text
    page = render("x", {"last publication": [sections, tables, changed, moved]})
    again = [*last_change_panels(*two(tmp_path / "again"))]
    assert render("x", {"last publication": again}) == page
    assert b"<b>X" not in page
    assert last_change_head(before, after).title == "What the last publication changed"


def test_rows_of_a_large_table_with_other_parts_are_not_compared(tmp_path, monkeypatch):
    before, after = two(tmp_path)
    after.tables["documents"]["parts"].append(
        publish(tmp_path / "after" / "more", {}, {"documents": [documents({"document_id": "d" * 32})]}).tables[
            "documents"
        ]["parts"][0]
        | {"file": "../more/documents/0.parquet"}
    )
    _, tables, *_ = last_change_panels(before, after)
    assert tables.rows.to_pylist()[0]["added"] == 3
    monkeypatch.setattr(diff, "COMPARED", 2)
    _, tables, *_ = last_change_panels(before, after)
    assert tables.rows.to_pylist()[0]["added"] is None


def test_diff_names_documents_with_their_sources(tmp_path):
    before, after = two(tmp_path)
    lines = [block for block in _blocks(before, after, 3) if isinstance(block, str)]
    assert f"  added: {'b' * 32} (x.txt); {'c' * 32} (new.txt)" in lines
    assert f"  removed: {'a' * 32} (x.txt)" in lines
    assert f"  added: {'b' * 32} (x.txt) 0" in lines  # of sentences
    assert _record(before, after, 3)["sources"] == {"a" * 32: "x.txt", "b" * 32: "x.txt", "c" * 32: "new.txt"}


def test_what_cannot_be_compared_leaves_the_rest(tmp_path):
    before, after = two(tmp_path)
    for table, column in (("documents", "document_id"), ("scores", "word")):
        rewritten(before, table, lambda rows, column=column: rows.drop_columns(column))
    lines = [block for block in _blocks(before, after, 3) if isinstance(block, str)]
    assert "documents: 1 to 2 rows; 2 added, 1 removed" in lines
    assert lines[-1].startswith("change: what moved most (not compared: table scores was written by another version")
    record = _record(before, after, 3)
    assert (record["moved"], list(record["notes"])) == ({"change": []}, ["change"])
    sections, _, changed, moved = last_change_panels(before, after)
    assert len(sections.rows) == 1
    assert changed.text.startswith("Not compared: table documents was written by another version")
    assert moved.text.startswith("Not compared: table scores was")


def test_what_moved_has_its_note_in_json(tmp_path):
    record = _record(*two(tmp_path), 3)
    assert record["moved"]["change"][0]["word"] == "sea"
    assert "what chance gives" in record["notes"]["change"]


def test_slices_that_share_no_word_are_compared(tmp_path):
    none, some = (
        publish(tmp_path / name, {"change": change_section()}, {"scores": [rows]})
        for name, rows in (("none", []), ("some", [scores("sea", 0.5)]))
    )
    for before, after in ((none, none), (none, some), (some, none)):
        assert [*_blocks(before, after, 3)][1].startswith("scores: " if before is not after else "no table differs")
        assert (_record(before, after, 3)["moved"], len([*last_change_panels(before, after)])) == ({}, 2)
