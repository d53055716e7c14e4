"""Documents that are archives: names within that lead out of them lead nowhere."""

import builtins
import io
import os

import pytest
from packages_making import docx, epub, odt, p, page
from reading import summary

OUT = ("../../../../../../etc/passwd", "/etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "file:///etc/passwd")
ENTITY = "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"
CONTAINER = '<container xmlns="c"><rootfiles><rootfile full-path="{}"/></rootfiles></container>'
RELS = '<Relationships xmlns="r"><Relationship Type="x/officeDocument" Target="{}"/></Relationships>'
CLIMBING = {
    **{f"a chapter {name}": ("a.epub", epub({name: page("")}, **{"OEBPS/1": ""})) for name in OUT},
    **{f"a book {name}": ("a.epub", epub({}, **{"META-INF/container.xml": CONTAINER.format(name)})) for name in OUT},
    **{
        f"a main part {name}": ("a.docx", docx(p("<w:t>A</w:t>"), **{"_rels/.rels": RELS.format(name)})) for name in OUT
    },
    "an entity of odt": ("a.odt", odt("", **{"content.xml": ENTITY})),
    "an entity of a chapter": ("a.epub", epub({"1.xhtml": ENTITY})),
}


@pytest.fixture
def opened(monkeypatch):
    """The paths that are opened while a test runs, in order."""
    paths = []

    def noting(function):
        def note(path, *arguments, **named):
            paths.append(str(path))
            return function(path, *arguments, **named)

        return note

    for place, real in ((builtins, builtins.open), (io, io.open), (os, os.open)):
        monkeypatch.setattr(place, "open", noting(real))
    return paths


@pytest.mark.parametrize("kind", CLIMBING)
def test_a_name_that_leads_out_of_an_archive_is_no_file(kind, tmp_path, monkeypatch, opened):
    name, data = CLIMBING[kind]
    monkeypatch.chdir(tmp_path)
    ((_, found),) = summary(data, name=name)
    assert not [path for path in opened if "passwd" in path]
    assert found in ("malformed", "unsafe", "empty")
    assert os.listdir(tmp_path) == []


def test_a_member_whose_name_climbs_is_text_and_is_written_nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = epub({"../../1.xhtml": ""}, **{"../1.xhtml": page("<p>Ships.</p>")})
    assert summary(data, name="a.epub") == ["Ships."]
    assert os.listdir(tmp_path) == []
