"""The list of what a folder has forgotten: marks that say nothing, kept whole or not read at all."""

import pytest

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.publish.forgotten import (
    Forgotten,
    ForgottenMarks,
    document_mark,
    forgotten_at,
    read_marks,
    source_mark,
    write_marks,
)
from lexbeam.transforms.common.publish.layout import SNAPSHOTS, make_marked_folder


@pytest.fixture
def out(tmp_path):
    make_marked_folder(str(tmp_path), SNAPSHOTS)
    return str(tmp_path)


def test_a_folder_that_has_forgotten_nothing_gives_stages_nothing(out):
    assert read_marks(out) == (frozenset(), False)
    assert forgotten_at(out) is None
    assert forgotten_at(None) is None


def test_a_text_is_known_wherever_it_stands_and_a_source_with_its_members():
    marks = ForgottenMarks([document_mark("A secret.", "a.txt", ""), source_mark("b.zip"), source_mark("c.zip!1.txt")])
    assert marks.has_document("A secret.", "other.txt", "7")
    assert not marks.has_document("A secret", "a.txt", "")
    assert marks.has_source("b.zip!inner/1.txt")
    assert marks.has_source("c.zip!1.txt")
    assert not marks.has_source("c.zip!2.txt")
    without = ForgottenMarks([document_mark(None, "a.txt", "3")])
    assert without.has_document(None, "a.txt", "3")
    assert not without.has_document(None, "a.txt", "4")
    assert not without.has_document("3", "a.txt", "3")


def test_the_list_is_whole_or_an_error(out):
    marks = {document_mark("A secret.", "a.txt", ""), source_mark("b.txt")}
    write_marks(out, marks, pending=True)
    assert read_marks(out) == (marks, True)
    given = forgotten_at(out)
    assert given.marks() == marks
    write_marks(out, [source_mark("b.txt")], pending=False)
    with pytest.raises(LexbeamError, match="has changed since the run began"):
        given.marks()
    with open(given.path, "rb+") as stream:
        stream.seek(20)
        stream.write(b"0")
    for read in (lambda: read_marks(out), lambda: forgotten_at(out), Forgotten(given.path, "0").marks):
        with pytest.raises(LexbeamError, match=r"is damaged.*they would come back"):
            read()
