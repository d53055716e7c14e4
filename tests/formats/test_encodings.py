"""Encodings tried in order, byte order marks, control characters, marks: through every reader."""

import io
import json
from collections import Counter

import hostile_making as make
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import ends
from reading import entries, reader_options, summary

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import ReaderOptions, Reject

WORD = "{}\t{}\t{}" + "\t_" * 7 + "\n"
MARKS = "\u0300\u0316"
# A file of each format that holds one text.
HOLDING = {
    "text": lambda text: text,
    "lines": lambda text: text + "\n",
    "jsonl": lambda text: json.dumps({"text": text}, ensure_ascii=False) + "\n",
    "json": lambda text: json.dumps([{"text": text}], ensure_ascii=False),
    "csv": lambda text: f"text,n\n{text},1\n",
    "conllu": lambda text: WORD.format(1, text, "a") + "\n",
    "tei": lambda text: make.tei(text).decode(),
}
BYTES = [*HOLDING, "parquet"]


def made(format, text):
    return make.parquet(text=[text]) if format == "parquet" else HOLDING[format](text).encode()


def noted(data, format, **options):
    """The entries, and what was noted while they were read."""
    notes = Counter()
    found = read_file(
        "a", "a", format=format, options=reader_options(**options), open=lambda: io.BytesIO(data), notes=notes
    )
    return [entry for _, entry in found], dict(notes)


def text_of(record):
    if record.text is not None:
        return record.text
    return " ".join(record.sentences[0].lemmas)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-be", "utf-32-be"])
@pytest.mark.parametrize("format", HOLDING)
def test_a_byte_order_mark_tells_the_encoding(format, encoding):
    mark = "\ufeff" if encoding.endswith("be") else ""
    data = (mark + HOLDING[format]("één")).encode(encoding)
    (record,), notes = noted(data, format)
    assert text_of(record) == "één"
    family = encoding.removesuffix("-be")
    assert notes == ({} if format == "tei" else {f"encoding {family} by its byte order mark": 1})
    (record,) = entries(data, format, encoding="cp1252,utf-8" if format != "tei" else "utf-8")
    assert text_of(record) == "één"
    if format != "tei":  # where UTF-8 is not among the encodings, no mark is looked for
        (record, *_) = entries(data, format, encoding="latin-1")
        assert isinstance(record, Reject) or text_of(record) != "één"


@pytest.mark.parametrize("format", HOLDING)
def test_encodings_are_tried_in_order(format):
    latin = HOLDING[format]("’één’").encode("cp1252")
    (record,), notes = noted(latin, format, encoding="utf-8,cp1252")
    assert text_of(record) == "’één’"
    assert notes["encoding cp1252"] == 1
    (record,), notes = noted(HOLDING[format]("één").encode(), format, encoding="utf-8,cp1252")
    assert text_of(record) == "één"
    assert notes["encoding utf-8"] >= 1
    assert "encoding cp1252" not in notes
    (reject, *_) = entries(HOLDING[format]("\x9d é").encode("latin-1"), format, encoding="utf-8,cp1252")
    assert reject.reason == "undecodable"
    if format != "tei":
        assert "not utf-8: byte " in reject.detail
    assert "not cp1252: " in reject.detail


def test_each_line_is_tried_by_itself():
    data = b"een\n" + "één\n".encode() + "één\n".encode("cp1252") + b"\xe9\x81\n"
    (record, reject), notes = sorted_by_kind(*noted(data, "lines", encoding="utf-8,cp1252"))
    assert [s.lemmas for s in record.sentences] == [["een"], ["één"], ["één"]]
    assert (reject.position, reject.reason) == ("4", "undecodable")
    assert notes == {"encoding utf-8": 2, "encoding cp1252": 1}


def sorted_by_kind(found, notes):
    return sorted(found, key=lambda entry: isinstance(entry, Reject)), notes


def test_one_encoding_that_needs_no_trial_is_not_noted():
    assert noted(b"A text.", "text")[1] == {}
    assert noted(b"caf\xe9", "text", encoding="latin-1")[1] == {}


@pytest.mark.parametrize(
    ("encodings", "cause"),
    [
        ((), "at least one"),
        (("utf-8", "utf-16"), "'utf-16' stands alone"),
        (("cp037", "utf-8"), "'cp037' stands alone"),
        (("latin-1", "utf-8"), "never tried"),
        (("utf-8", "hex"), "called 'hex'"),
        (("idna",), "called 'idna'"),
        (("Punycode",), "called 'Punycode'"),
        (("unicode_escape",), "called"),
        (("",), "called"),
        (("\x00",), "called"),
        (("\ud800",), "called"),
        (("undefined",), "called 'undefined'"),
        ("utf-8", "called 'u'"),
    ],
)
def test_encodings_that_cannot_be_are_errors(encodings, cause):
    with pytest.raises(UsageError, match=cause):
        ReaderOptions(encoding=encodings)


@pytest.mark.parametrize("format", BYTES)
def test_control_characters_are_refused_or_dropped(format):
    data = made(format, "o\x00ne\x07") if format != "tei" else make.tei("o\x00ne\x07")
    (reject, *_), notes = noted(data, format)
    assert reject.reason == "control"
    assert "--control" in reject.detail
    assert notes == {}
    (record,), notes = noted(data, format, control="drop")
    assert text_of(record) == "one"
    # In JSON they are escaped but for the first.
    assert notes == {"control characters dropped": 2}


def test_what_harms_nothing_stays_where_nothing_is_dropped():
    assert summary(b"One\x1a two\x7f.", "text") == ["One\x1a two\x7f."]
    assert summary(b"One\x1a two\x7f.", "text", control="drop") == ["One two."]
    assert summary("\x85a\x1cb\x92".encode(), "text", control="drop") == ["a\x1cb"]
    page = "<TEI><text><body><p>One\x92 two\x80.</p></body></text></TEI>".encode()
    assert summary(page, "tei", control="drop") == ["One two."]
    assert summary(page, "tei") == ["One\x92 two\x80."]


@given(st.text(st.sampled_from("ab \t\n\x00\x07\x1b\x1c\x7f\x85\x92é\u0300\ud800"), max_size=30))
def test_dropping_is_what_reading_without_them_is(text):
    plain = "".join(c for c in text if c not in "\x00\x07\x1b\x7f\x92\ud800")
    data = json.dumps({"text": text}).encode()
    (found,), notes = noted(data, "jsonl", control="drop")
    (expected,) = entries(json.dumps({"text": plain}).encode(), "jsonl")
    assert found == expected or found.text == expected.text
    assert notes.get("control characters dropped", 0) == len(text) - len(plain)


def test_what_is_dropped_from_a_record_depends_on_no_other():
    """A NUL beside it once took control characters from a record's fields, too."""
    rows = [b'{"text": "a", "x": "b\x7fc"}', b'{"text": "d\x00"}']
    alone = entries(rows[0], "json", control="drop")[0]
    beside, other = entries(b"[" + b",".join(rows) + b"]", "json", control="drop")
    assert dict(beside.fields) == dict(alone.fields) == {"x": "b\x7fc"}
    assert other.text == "d"


@pytest.mark.parametrize("format", BYTES)
def test_runs_of_marks_are_refused_or_broken(format):
    good, bad = "a" + MARKS * 15, "a" + MARKS * 15 + "\u0300"
    (record,) = entries(made(format, good), format)
    assert len(text_of(record)) == 30  # of which à is one
    (reject, *_), notes = noted(made(format, bad), format)
    assert (reject.reason, notes) == ("too_many_marks", {})
    (record,), notes = noted(made(format, bad), format, marks="break")
    assert notes == {"U+034F put into runs of marks": 1}
    if format != "conllu":  # there the words are broken, and the lemmas stand
        assert text_of(record).count("\u034f") == 1


@pytest.mark.parametrize("split", ["\u200f", "\u00ad", "\u2060\ufeff"])
@pytest.mark.parametrize("format", ["text", "lines", "jsonl", "csv", "tei", "conllu"])
def test_a_run_is_counted_as_it_stands_when_all_else_is_cleaned(format, split):
    text = "a" + split.join([MARKS * 10] * 2)
    (reject, *_) = entries(made(format, text), format)
    assert reject.reason == "too_many_marks"


def test_marks_of_conllu_count_without_what_is_not_seen_and_break_in_tags():
    """Once a soft hyphen hid a run from the check, and tags were taken as they stood."""
    row = "1\t{}\ta\t{}" + "\t_" * 6 + "\n"
    hidden = row.format("a" + MARKS * 10 + "\xad" + MARKS * 10, "NOUN").encode()
    assert summary(hidden, "conllu") == [("1", "too_many_marks")]
    tag = "A" + "\u0316" * 40
    (record,) = entries(row.format("a", tag).encode(), "conllu")
    assert record.sentences[0].upos == [tag[:31] + "\u034f" + tag[31:]]


def test_marks_of_annotated_tei_count_by_word_and_text():
    words = '<w lemma="a" join="right">a{0}</w><w lemma="b">{0}b</w>'
    found = entries(make.tei("<s>" + words.format(MARKS * 8) + "</s>"), "tei")
    assert found[0].reason == "too_many_marks"
    (record,) = entries(make.tei("<s>" + words.format(MARKS * 8) + "</s>"), "tei", marks="break")
    assert "\u034f" in record.text
    assert record.sentences[0].starts is None
    (record,) = entries(make.tei("<s>" + words.format(MARKS * 7) + "</s>"), "tei")
    assert "\u034f" not in record.text


@pytest.mark.parametrize("marks", ["reject", "break"])
@pytest.mark.parametrize("format", BYTES)
def test_a_megabyte_of_marks_passes_soon(format, marks):
    data = made(format, "a" + MARKS * 250_000)
    with ends():  # formerly five minutes
        (entry, *_) = entries(data, format, marks=marks)
    assert isinstance(entry, Reject) == (marks == "reject")


def test_marks_in_fields_are_broken():
    data = json.dumps({"text": "a", "title": "a" + MARKS * 400, "x" + MARKS * 20: 1}).encode()
    (record,) = entries(data, "jsonl")
    assert record.fields["title"].count("\u034f") == 26
    (record,) = entries(f"# title = {MARKS * 400}\n{WORD.format(1, 'a', 'a')}\n".encode(), "conllu")
    assert record.fields["title"].count("\u034f") == 26


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("x-sjis", "cp932", "日本①"),
        ("Windows-31J", "cp932", "日本①"),
        ("x-euc-jp", "euc-jp", "日本"),
        ("ks_c_5601-1989", "cp949", "한국똠"),
        ("gb_2312-80", "gb18030", "中国"),
        ("x-x-big5", "big5hkscs", "臺灣"),
        ("x-cp1251", "cp1251", "мир"),
        ("koi8", "koi8-r", "мир"),
        ("koi8-ru", "koi8-u", "їжак"),
        ("x-mac-cyrillic", "mac-cyrillic", "мир"),
        ("x-mac-roman", "mac-roman", "été"),
        ("iso88592", "iso8859-2", "łódź"),
        ("sun_eu_greek", "iso8859-7", "λόγος"),
        ("visual", "iso8859-8", "שלום"),
        ("iso-8859-6-e", "iso8859-6", "سلام"),
        ("dos-874", "cp874", "ไทย"),
        ("csisolatin9", "iso8859-15", "œuf"),
        ("unicode-1-1-utf-8", "utf-8", "mer à l'est"),
    ],
)
def test_an_encoding_may_be_called_as_pages_call_it(label, encoding, text):
    page = f'<html><head><meta charset="{label}"></head><body><p>{text}</p></body></html>'
    assert summary(page.encode(encoding), "html", html="all") == [text]
    tei = make.tei(text).decode()
    declared = f'<?xml version="1.0" encoding="{label}"?>' + tei[tei.index("<TEI") :]
    assert summary(declared.encode(encoding), "tei") == [text]
    assert summary(text.encode(encoding), "text", encoding=label) == [text]
    assert reader_options(encoding=label) == reader_options(encoding=reader_options(encoding=label).encoding[0])


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("x-sjis", "cp932", "日本①"),
        ("ms_kanji", "cp932", "日本①"),
        ("ks_c_5601-1987", "cp949", "한국어"),
        ("l9", "iso8859-15", "œuf"),
        ("koi8_r", "koi8-r", "мир"),
    ],
)
def test_tei_may_call_its_encoding_as_pages_do(label, encoding, text):
    tei = f'<?xml version="1.0" encoding="{label}"?><TEI><text><body><p>{text}</p></body></text></TEI>'
    assert summary(tei.encode(encoding), "tei") == [text]
