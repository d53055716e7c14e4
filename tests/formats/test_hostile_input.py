"""Any bytes, through every reader: no crash, nothing lost, and records that tables can hold.

Examples of hypothesis, which are of more kinds and shrink; `fuzzing.py` makes many more of its own.
"""

import gzip
import io
import json
import re
import unicodedata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from counting import PACKED, count
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import entries, reader_options, records

from lexbeam.schemas.common_tables import REASONS
from lexbeam.transforms.common.store.batches import annotation_batch
from lexbeam.transforms.formats.records.base import Record

ODD = st.text(alphabet=st.sampled_from("ab \t\n\r\"',;.-\u00ad\u0301\u200bé\x00\x1c\u2028#1_<>&"))
TEXT = ODD | st.text(max_size=20)
CELL = TEXT | ODD.map(lambda text: '"' + text.replace('"', '""') + '"')  # as it should be, too
WORD = TEXT | st.sampled_from(["a", "b", "|", "||"])
RANGE = re.compile(rb"^\d+-\d+\t", re.MULTILINE)
BYTES = st.binary(max_size=40)


def _mangled(valid):
    """Valid files, files with bytes cut out, put in or changed, and any bytes at all."""
    cuts = st.tuples(st.floats(0, 1), st.floats(0, 1), BYTES)

    def mangle(made):
        data, (start, end, inserted) = made
        first, last = sorted((int(start * len(data)), int(end * len(data))))
        return data[:first] + inserted + data[last:]

    return valid | st.tuples(valid, cuts).map(mangle) | BYTES


def _conllu(sentences):
    """Sentences, each with a comment before it; a bar in a form asks for a range of words."""
    blocks = []
    for comment, forms in sentences:
        rows = [comment] if comment else []
        for n, form in enumerate(forms, 1):
            if form.startswith("|"):
                rows.append(f"{n}-{n + len(form)}\t{form}\t_" + "\t_" * 7)
            rows.append(f"{n}\t{form}\t_" + "\t_" * 7)
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks).encode("utf-8", "replace")


def _tei(texts):
    """One text is a <TEI>, several or none are a <teiCorpus>."""
    tags = ["p", "hi", "note", "l", "w", "s", "choice", "pb", "div", "lb"]
    made = []
    for parts in texts:
        inner = "".join(f"<{tags[n]}>{re.sub('[<>&]|[^ -~]', '', text)}</{tags[n]}>" for n, text in parts)
        made.append(f"<TEI><text><body>{inner}</body></text></TEI>")
    whole = made[0] if len(made) == 1 else f"<teiCorpus>{''.join(made)}</teiCorpus>"
    return whole.encode()


_INNER = st.recursive(
    st.none() | TEXT | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.fixed_dictionaries({}, optional={"a": inner, "b": inner, "text": inner})
    ),
    max_leaves=12,
)
NESTED = st.fixed_dictionaries({"a": st.lists(_INNER, max_size=3)}) | _INNER


def _table(rows):
    return ("text,b\n" + "\n".join(map(",".join, rows))).encode("utf-8", "replace")


def _html(parts):
    tags = ["p", "div", "b", "script", "td", "title", "!--", "pre", "meta name=a content=b", "br"]
    return "".join(f"<{tags[n]}>{text}" for n, text in parts).encode("utf-8", "replace")


def _parquet(values):
    out = io.BytesIO()
    pq.write_table(pa.table({"text": pa.array(values, pa.string())}), out)
    return out.getvalue()


OPTIONS = {"": {}, "without quoting": {"quoting": False}, "with records": {"records": "a[].b[]"}}
VALID = {
    "text": TEXT.map(lambda text: text.encode("utf-8", "replace")),
    "lines": TEXT.map(lambda text: text.encode("utf-8", "replace")),
    "jsonl": st.lists(
        st.one_of(st.dictionaries(st.sampled_from(["text", "date"]), TEXT | st.integers() | st.none()), st.integers()),
        max_size=5,
    ).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
    "json": st.recursive(
        st.none() | st.floats() | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("text"), inner),
        max_leaves=6,
    ).map(lambda value: json.dumps(value).encode()),
    "jsonl with records": st.lists(NESTED, max_size=4).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
    "json with records": (st.lists(NESTED, max_size=4) | NESTED).map(lambda value: json.dumps(value).encode()),
    "csv": st.lists(st.lists(CELL, min_size=1, max_size=3), max_size=5).map(_table),
    "csv without quoting": st.lists(st.lists(CELL, max_size=3), max_size=5).map(_table),
    "conllu": st.lists(
        st.tuples(
            st.sampled_from(["", "# newdoc", "#newdoc id = a", "# newdocs = b", "# year = 1790"]),
            st.lists(WORD, max_size=3),
        ),
        max_size=4,
    ).map(_conllu),
    "tei": st.lists(st.lists(st.tuples(st.integers(0, 9), TEXT), max_size=6), max_size=3).map(_tei),
    "html": st.lists(st.tuples(st.integers(0, 9), TEXT), max_size=6).map(_html),
    "parquet": st.lists(st.none() | TEXT.map(lambda t: t.encode("utf-8", "replace").decode()), max_size=5).map(
        _parquet
    ),
}


def check(format, data):
    reader, _, how = format.partition(" ")
    options = OPTIONS[how]
    found = entries(data, reader, **options)
    accepted, rejected = records(found)
    if not PACKED.match(data):  # else taken for compressed, and not what it seems
        expected = count(reader, data, reader_options(**options))
        assert expected is None or accepted + rejected == expected
    assert accepted + rejected >= 1
    for entry in found:
        if not isinstance(entry, Record):
            assert entry.reason in REASONS
            entry.detail.encode()
            continue
        assert all(value and value.encode() for value in entry.fields.values())
        assert entry.text or entry.sentences
        if entry.text is not None:
            entry.text.encode()
            assert unicodedata.is_normalized("NFC", entry.text)
            assert "\x00" not in entry.text
        if entry.sentences is not None:
            annotation_batch(entry.sentences)
            for sentence in entry.sentences:
                assert len({len(column) for column in sentence[:-1] if column is not None}) == 1
                if sentence.starts is not None and reader == "conllu":
                    spans = zip(sentence.starts, sentence.ends, strict=True)
                    shown = [entry.text[a:b] for a, b in spans]
                    # The words of a range share its span.
                    assert shown == sentence.forms or (all(shown) and RANGE.search(data))
    if data and not PACKED.match(data):
        assert entries(gzip.compress(data), reader, **options) == found


@pytest.mark.parametrize("format", VALID)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_bytes_end_as_records_or_rejects(format, data):
    check(format, data.draw(_mangled(VALID[format])))
