"""Any bytes, through every reader: no crash, nothing lost, and records that tables can hold."""

import gzip
import io
import json
import re
import unicodedata

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import entries, records

from schemas.rejects import REASONS
from transforms.common.records import annotation_batch
from transforms.formats.base import Record

ODD = st.text(alphabet=st.sampled_from("ab \t\n\r\"',;.-\u00ad\u0301\u200bé\x00\x1c\u2028#1_<>&"))
TEXT = ODD | st.text(max_size=20)
PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7z", b"(\xb5", b"PK", b"7z", b"Rar")
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
    rows = ["\n".join(f"{n}\t{form}\t_" + "\t_" * 7 for n, form in enumerate(sentence, 1))
            for sentence in sentences]  # fmt: skip
    return "\n\n".join(rows).encode("utf-8", "replace")


def _tei(parts):
    tags = ["p", "hi", "note", "l", "w", "s", "choice", "pb", "div", "lb"]
    inner = "".join(
        f"<{tags[n % len(tags)]}>{re.sub('[<>&]|[^ -~]', '', text)}</{tags[n % len(tags)]}>"
        for n, text in parts
    )
    return f"<TEI><text><body>{inner}</body></text></TEI>".encode()


def _parquet(values):
    out = io.BytesIO()
    pq.write_table(pa.table({"text": pa.array(values, pa.string())}), out)
    return out.getvalue()


VALID = {
    "text": TEXT.map(lambda text: text.encode("utf-8", "replace")),
    "lines": TEXT.map(lambda text: text.encode("utf-8", "replace")),
    "jsonl": st.lists(
        st.one_of(
            st.dictionaries(st.sampled_from(["text", "date"]), TEXT | st.integers() | st.none()),
            st.integers(),
        ),
        max_size=5,
    ).map(lambda rows: "\n".join(map(json.dumps, rows)).encode()),
    "json": st.recursive(
        st.none() | st.floats() | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("text"), inner),
        max_leaves=6,
    ).map(lambda value: json.dumps(value).encode()),
    "csv": st.lists(st.lists(TEXT, max_size=3), max_size=5).map(
        lambda rows: ("text,b\n" + "\n".join(map(",".join, rows))).encode("utf-8", "replace")
    ),
    "conllu": st.lists(st.lists(TEXT, max_size=3), max_size=4).map(_conllu),
    "tei": st.lists(st.tuples(st.integers(0, 9), TEXT), max_size=6).map(_tei),
    "parquet": st.lists(
        st.none() | TEXT.map(lambda t: t.encode("utf-8", "replace").decode()), max_size=5
    ).map(_parquet),
}  # fmt: skip


def _bounds(format, data):
    """The least and the greatest number of input records, by counting in another way."""
    if data.startswith(PACKED):  # taken for compressed, so its lines are not what they seem
        return 1, 1 << 40
    lines = data.count(b"\n") + 1
    if format in ("text", "tei"):
        return 1, 1 if b"<TEI" not in data[5:] else 1000
    if format == "jsonl":
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        full = max(1, sum(bool(line.strip()) for line in lines))
        return full, full
    return 1, 2 * lines + data.count(b",") + 10 if format != "parquet" else 1 << 40


def check(format, data):
    found = entries(data, format)
    accepted, rejected = records(found)
    least, most = _bounds(format, data)
    assert least <= accepted + rejected <= most
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
                assert len({len(column) for column in sentence if column is not None}) == 1
                if sentence.starts is not None and format == "conllu":
                    spans = zip(sentence.starts, sentence.ends, strict=True)
                    assert [entry.text[a:b] for a, b in spans] == sentence.forms
    if data and not data.startswith(PACKED):
        assert entries(gzip.compress(data), format) == found


@pytest.mark.parametrize("format", VALID)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_bytes_end_as_records_or_rejects(format, data):
    check(format, data.draw(_mangled(VALID[format])))


@pytest.mark.slow
@pytest.mark.parametrize("format", VALID)
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_two_thousand_inputs_of_each_format(format, data):
    check(format, data.draw(_mangled(VALID[format])))
