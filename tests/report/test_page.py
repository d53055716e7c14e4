import base64
import hashlib
import json
import os
import re
from html.parser import HTMLParser

import pyarrow as pa
import pytest

from lexbeam.schemas.columns import column
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.report import page as page_module
from lexbeam.transforms.report.charts import bars_over_time
from lexbeam.transforms.report.page import render, write_report
from lexbeam.transforms.report.panels import Chart, Choice, Head, Note, Rows, UsesPanel

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&\"'\u2028"


class Elements(HTMLParser):
    """The tags of a page with their attributes, and the text of each script."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self.text = [], [], []
        self._script = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._script = tag == "script"
        if self._script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._script = False

    def handle_data(self, data):
        if self._script:
            self.scripts[-1] += data
        else:
            self.text.append(data)


def hostile_panels():
    rows = pa.table({"title": [HOSTILE, "b"], "tokens": [1, 2]})
    uses = pa.table({name: [HOSTILE] for name in ("word", "slice", "before", "use", "after", "from")})
    return [
        Note(HOSTILE, HOSTILE, (HOSTILE,), warning=True),
        Rows(HOSTILE, HOSTILE, rows),
        Choice(HOSTILE, HOSTILE, rows, key="title"),
        UsesPanel(HOSTILE, HOSTILE, uses),
    ]


def parsed(panels, name="corpus", title="Report"):
    return Elements(render(title, {name: panels}).decode())


def data_of(panels):
    return json.loads(parsed(panels).scripts[0])


def test_what_comes_from_data_is_never_markup():
    found = parsed(hostile_panels(), HOSTILE, HOSTILE)
    assert [tag for tag, _ in found.tags].count("script") == 2  # the data and the page's own code
    assert not [tag for tag, _ in found.tags if tag == "img"]
    page, each_panel, item = 4, 2, 1  # title, heading, link, section; title and text
    assert "".join(found.text).count(HOSTILE) == page + 4 * each_panel + item
    panels = json.loads(found.scripts[0])
    assert [panel["columns"][0]["values"][0] for panel in panels] == [HOSTILE] * 3
    assert [column["values"] for column in panels[2]["columns"]] == [[HOSTILE]] * 6


def test_the_data_hold_no_character_that_ends_a_script():
    raw = render("Report", {"corpus": hostile_panels()}).decode()
    data = re.search(r'<script type="application/json" id="panels">(.*?)</script>', raw)
    assert data is not None
    assert not set("<>&\u2028\u2029") & set(data[1])
    assert json.loads(data[1])[0]["title"] == HOSTILE


def test_the_policy_lets_only_the_own_scripts_run():
    chart = Chart("a", "b", {"mark": "bar"}, pa.table({"x": [1]}))
    found = parsed([chart])
    policy = next(attrs["content"] for tag, attrs in found.tags if "http-equiv" in attrs)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    _, library, code = found.scripts
    digests = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in (library, code)
    ]
    assert rules["script-src"].split() == digests
    assert not [attrs for _, attrs in found.tags if "src" in attrs or "on" in str(attrs.keys())[:2]]


def test_without_charts_there_is_no_library_and_none_is_needed(monkeypatch):
    def missing():
        raise LexbeamError("install the extra `report`")

    monkeypatch.setattr(page_module, "bundle", missing)
    assert len(render("Report", {"corpus": hostile_panels()})) < 50_000
    with pytest.raises(LexbeamError, match="extra `report`"):
        render("Report", {"corpus": [Chart("a", "b", {}, pa.table({"x": [1]}))]})


def test_the_same_panels_have_the_same_bytes():
    spec = bars_over_time("from", "before", "tokens", colour="genre")
    rows = pa.table({"from": [1800], "before": [1810], "tokens": [3], "genre": ["a"]})
    pages = [render("Report", {"corpus": [Chart("a", "b", spec, rows)]}) for _ in range(2)]
    assert pages[0] == pages[1]


def test_values_are_what_the_table_has():
    schema = pa.schema(
        [
            column("word", pa.string(), "a word"),
            column("share", pa.float64(), "part", unit="%"),
            column("year", pa.int32(), "of what", unit="year"),
            pa.field("yes", pa.bool_()),
        ]
    )
    rows = pa.table(
        [
            ["a", "b", "a", "a", None],
            [0.1234567891, None, float("nan"), float("inf"), 2.0],
            [1800, None, -3, 0, 5],
            [True, False, None, True, True],
        ],
        schema=schema,
    )
    (panel,) = data_of([Rows("t", "x", rows)])
    word, share, year, flag = panel["columns"]
    assert word == {
        "name": "word",
        "kind": "text",
        "doc": "a word",
        "distinct": ["a", "b"],
        "values": [0, 1, 0, 0, None],
    }
    assert (share["kind"], share["unit"]) == ("float", "%")
    assert share["values"] == [0.123457, None, None, None, 2.0]
    assert (year["kind"], year["unit"]) == ("integer", "year")
    assert year["values"] == [1800, None, -3, 0, 5]
    assert (flag["kind"], flag["values"]) == ("flag", [True, False, None, True, True])


def test_every_panel_has_a_heading_a_text_and_a_place():
    rows = pa.table({"x": [1]})
    panels = [Rows("One", "first", rows), Chart("Two", "second", {}, rows), Note("Three", "third")]
    raw = render("Report", {"corpus": panels, "change": panels[:1]}).decode()
    found = Elements(raw)
    ids = [attrs["id"] for _, attrs in found.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert [p["id"] for p in json.loads(found.scripts[0])] == ["panel-1-1", "panel-1-2", "panel-2-1"]
    assert {"panel-1-1", "panel-1-2", "panel-2-1"} <= set(ids)
    links = [attrs["href"][1:] for tag, attrs in found.tags if tag == "a"]
    assert set(links) <= set(ids)
    assert "<figcaption" in raw


def test_the_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "report.html"
    write_report(str(path), "Report", {"corpus": [Note("a", "b")]})
    assert path.read_bytes() == render("Report", {"corpus": [Note("a", "b")]})
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(LexbeamError, match="cannot be written"):
        write_report(str(tmp_path / "none" / "report.html"), "Report", {})


@pytest.mark.parametrize("content", [b"", b"<!DOCTYPE html>\n<p>mine</p>", b"x" * 3000])
def test_another_file_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "report.html"
    path.write_bytes(content)
    with pytest.raises(LexbeamError, match=r"report\.html' is there .*: name another file"):
        write_report(str(path), "Report", {})
    assert path.read_bytes() == content


@pytest.mark.parametrize("target", ["there.html", "nowhere", "folder"])
def test_links_and_folders_are_left_as_they_are(tmp_path, target):
    write_report(str(tmp_path / "there.html"), "Report", {})
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(target)
    with pytest.raises(LexbeamError, match="link' is a link; name a file"):
        write_report(str(link), "Report", {})
    with pytest.raises(LexbeamError, match="folder' is a folder; name a file in it"):
        write_report(str(tmp_path / "folder"), "Report", {})
    assert os.readlink(link) == target
    assert sorted(os.listdir(tmp_path)) == ["folder", "link", "there.html"]


def test_a_report_takes_the_place_of_a_report(tmp_path):
    path = tmp_path / "report.html"
    write_report(str(path), "A" * 2000, {"corpus": hostile_panels()})
    write_report(str(path), "Report", {"corpus": [Note("a", "b")]})
    assert path.read_bytes() == render("Report", {"corpus": [Note("a", "b")]})


def test_what_is_in_backquotes_is_code():
    rows = pa.table({"x": [1]}, schema=pa.schema([column("x", pa.int64(), "see `dates`")]))
    panels = [
        Note("a", "see `max_tokens`", ("run `lexbeam clean <DIR>`", "`"), warning=True),
        Rows("b", "set by `parts`", rows),
        Chart("c", "of `slices`", {}, rows),
    ]
    raw = render("Report", {"corpus": panels}).decode()
    codes = re.findall("<code>(.*?)</code>", raw)
    assert codes == ["max_tokens", "lexbeam clean &lt;DIR&gt;", "parts", "slices"]
    assert "<li>`</li>" in raw
    shown = json.loads(Elements(raw).scripts[0])
    assert [panel.get("text") for panel in shown] == [None, "of slices"]  # what is read aloud
    assert shown[0]["columns"][0]["doc"] == "see dates"


def test_a_page_and_its_sections_say_what_they_are_about():
    top = Head("results: corpus", "What is <there>.", notes=("Only `invented` words.",))
    head = Head("Corpus: 3 documents", "How many.", (("dim", "100"), ("command", "`lexbeam corpus 'a b'`")))
    raw = render(top, {"corpus": [Note("a", "b")], "change": []}, {"corpus": head}).decode()
    assert "<title>results: corpus</title>" in raw
    assert "What is &lt;there&gt;." in raw
    assert "<p>Only <code>invented</code> words.</p>" in raw
    assert raw.index("invented") < raw.index("<section")
    assert re.findall("<h2[^>]*>(.*?)</h2>", raw) == ["Corpus: 3 documents", "change"]
    assert re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", raw) == [
        ("dim", "100"),
        ("command", "<code>lexbeam corpus &#x27;a b&#x27;</code>"),
    ]


def test_nothing_at_the_head_is_markup():
    head = Head(HOSTILE, HOSTILE, ((HOSTILE, HOSTILE),), (HOSTILE,))
    found = Elements(render(head, {"corpus": []}, {"corpus": head}).decode())
    assert [tag for tag, _ in found.tags].count("script") == 2
    assert not [tag for tag, _ in found.tags if tag == "img"]
    assert "".join(found.text).count(HOSTILE) == 2 * 5 + 1  # heads, and the page's title


def test_a_lone_surrogate_does_not_stop_a_report():
    assert b"before ? after" in render("Report", {"corpus": [Note("a", "before \ud800 after")]})
