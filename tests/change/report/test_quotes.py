"""Uses that a report quotes, from a corpus of ten sentences."""

import re

import pytest
from panel_making import HOSTILE, vectors
from panel_making import SLICES as PANEL_SLICES
from published import change_section, publish, scores

from lexbeam.transforms.change.shown.panels import quotes
from lexbeam.transforms.report.page import render
from lexbeam.transforms.report.panels import Note, UsesPanel


def sentence(number, year, forms):
    text = " ".join(forms)
    starts = [len(" ".join(forms[:place])) + bool(place) for place in range(len(forms))]
    ends = [start + len(form) for start, form in zip(starts, forms, strict=True)]
    row = {
        "document_id": f"{number:064x}",
        "sentence": 0,
        "year": year,
        "lang": "en",
        "forms": forms,
        "lemmas": forms,
        "starts": starts,
        "ends": ends,
    }
    about = {
        "document_id": row["document_id"],
        "source": f"{number}.txt",
        "position": "",
        "lang": "en",
        "year": year,
        "author": "Ann",
        "title": HOSTILE,
        "text": text,
    }
    return row, about


@pytest.fixture
def quoted(tmp_path):
    """A snapshot with a corpus and its change, and one whose corpus is elsewhere."""

    def made(own=True, **section):
        both = [
            sentence(number, 1800 + 10 * number, ["The", "sea", f"is{number}", "wide", "."]) for number in range(10)
        ]
        words = ["the", "sea", "wide"]
        tables = {
            "scores": [[scores("sea", 0.5), scores("gone", None, target=True)]],
            "slices": PANEL_SLICES,
            "vectors": [vectors(name, words) for name in ("old", "new")],
            "sentences": [[row for row, _ in both]],
            "documents": [[about for _, about in both]],
        }
        reads = [{"table": "sentences", "section": "corpus" if own else None, "digest": "x"}]
        return publish(tmp_path, {"corpus": {}, "change": change_section(reads=reads, **section)}, tables)

    return made


def test_uses_are_quoted_by_slice_and_marked(quoted):
    (panel,) = quotes(quoted(), ())
    assert isinstance(panel, UsesPanel)
    rows = panel.rows.to_pylist()
    assert [row["slice"] for row in rows] == ["old"] * 4 + ["new"] * 4
    assert {row["word"] for row in rows} == {row["use"] for row in rows} == {"sea"}
    for row in rows:
        number = int(re.search(r"is(\d) wide", row["after"])[1])
        assert row["before"] == "The "
        assert row["from"] == f"Ann, {HOSTILE}, {1800 + 10 * number}"
        assert (number >= 5) == (row["slice"] == "new")
    assert HOSTILE not in render("Report", {"change": [panel]}).decode()


def test_where_the_corpus_is_not_found_a_note_says_so_and_the_log_says_where(quoted, caplog):
    (note,) = quotes(quoted(own=False), ())
    assert isinstance(note, Note)
    assert "Uses are not shown" in note.text
    assert "where the corpus was is not noted" in caplog.text
