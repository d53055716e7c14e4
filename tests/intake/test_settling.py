"""Records staged and merged, in any number of files, runs and parts: what plain sorting and grouping say."""

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from part_tasks import parts_of, rejects_listed
from staged_inputs import staged_inputs

from lexbeam.schemas.columns import Table, column
from lexbeam.schemas.common_tables import REJECTS, RejectRow
from lexbeam.schemas.corpus_tables import INPUTS
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store import staged
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.staged import MergeTask
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import unit_of
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Reject
from lexbeam.transforms.intake import intake_staging
from lexbeam.transforms.intake.intake_staging import ReadRowFiles, RejectRule, RowSchema, sum_loaded
from lexbeam.transforms.intake.settling import SettleRows, grouped_rows, sum_settled

SCHEMA = RowSchema(
    pa.schema([("key", pa.string()), ("source", pa.string()), ("line", pa.int64()), ("word", pa.string())]),
    ("key", "source", "line"),
    lambda row: len(row["word"]),
)
WORD = column("word", pa.string(), "a word")
WORDS = Table(name="test/words", row="a word", key=("word",), columns=[WORD, column("rows", pa.int64(), "its rows")])
PLACES = Table(
    name="test/places", row="a place", key=("word",), columns=[WORD, column("place", pa.string(), "a file and a line")]
)


def key_of(word):
    return hashlib.sha256(word.encode()).hexdigest()


class Word(NamedTuple):
    line: int
    words: list


@dataclass(frozen=True, kw_only=True)
class Read(ReadRowFiles[Word]):
    reader: ReaderOptions = field(default_factory=lambda: ReaderOptions(delimiter="\t"))

    name = "test/read"
    schema = SCHEMA
    by_rule = ("other",)

    def read(self, rows, name, notes):
        for line, cells in rows:
            yield Reject(str(line), "other", "left out") if cells[0] == "no" else Word(line, cells[0].split())

    def rows(self, given, record):
        if record.words == ["bad"]:
            raise BadRecord("malformed", "a bad word")
        at = {"source": given.source, "line": record.line}
        return [{"key": key_of(word), "word": word, **at} for word in record.words]

    def tallied(self, record):
        return "long" if len(record.words) > 1 else ""


@dataclass(frozen=True, kw_only=True)
class Settle(SettleRows[MergeTask]):
    name = "test/settle"
    tables = (WORDS, PLACES)
    rejects = REJECTS
    inputs = INPUTS
    at_once = 2

    def merged(self, task, counts, rejects):
        for _, rows in grouped_rows(task, SCHEMA):
            held = list(rows)
            if held[0]["word"] == "hen":
                rejects.add(RejectRow("hens", "", "settle", "hen", ""))
            yield {"word": held[0]["word"], "rows": len(held), "held": held}

    def finish(self, rows, engine):
        assert engine is None

    def count(self, row, counts):
        counts["words"][row["word"]] += row["rows"]

    def beside(self, row):
        return ({"word": row["word"], "place": f"{one['source']} {one['line']}"} for one in row["held"])


def load(folder, texts):
    receipts = []
    for name, lines in texts.items():
        data = "".join(f"{line}\n" for line in lines).encode()
        (folder / name).write_bytes(data)
        task = unit_of([InputFile(name, str(folder / name), len(data), "")])
        receipts.append(make(Workspace(str(folder / "work")), Read(), task))
    return receipts


def settle(folder, receipts, parts):
    rows = {WORDS.name: [], PLACES.name: []}
    settled = [make(Workspace(str(folder / "work")), Settle(), task) for task in parts_of(receipts, parts)]
    for found in settled:
        for name, part in found.tables.items():
            table = pq.read_table(part.file.path)
            assert table.num_rows == part.rows
            rows[name] += table.to_pylist()
    return rows, settled


LINES = st.lists(st.sampled_from(["cat", "dog", "cat dog", "a b c", "bad", "no", "hen"]), max_size=8)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, min_size=1, max_size=3), st.integers(1, 4), st.integers(1, 3), st.booleans())
def test_rows_and_rejects_are_those_of_plain_loops(tmp_path_factory, monkeypatch, files, parts, run, turned):
    monkeypatch.setattr(intake_staging, "_ROWS", run)
    monkeypatch.setattr(staged, "RUN_BYTES", 1)
    folder = tmp_path_factory.mktemp("intake")
    receipts = load(folder, {f"{number}.tsv": lines for number, lines in enumerate(files)})
    found, settled = settle(folder, receipts[::-1] if turned else receipts, parts)
    places, rejects = {}, []
    for number, lines in enumerate(files):
        for line, text in enumerate(lines, 1):
            if text in ("bad", "no"):
                rejects.append((f"{number}.tsv", str(line), {"bad": "malformed", "no": "other"}[text]))
            else:
                for word in text.split():
                    places.setdefault(word, []).append(f"{number}.tsv {line}")
    words = sorted(places, key=key_of)
    assert found[WORDS.name] == [{"word": word, "rows": len(places[word])} for word in words]
    assert found[PLACES.name] == [{"word": word, "place": place} for word in words for place in places[word]]
    assert sum_loaded(receipts).reasons == Counter(reason for _, _, reason in rejects)
    for one, lines in zip(receipts, files, strict=True):
        good = [text for text in lines if text not in ("bad", "no")]
        assert (one.records, one.count) == (len(good), sum(len(text.split()) for text in good))
        assert one.tally.get("long", 0) == sum(" " in text for text in good)
        (row,) = staged_inputs(one)
        assert (row.records, row.documents, row.rejects) == (len(lines), len(good), len(lines) - len(good))
    counts = sum_settled(settled)
    assert counts["words"] == Counter({word: len(at) for word, at in places.items()})
    assert counts["rejects"] == Counter({"hen": 1} if "hen" in places else {})
    rejects += [("hens", "", "hen")] * counts["rejects"]["hen"]
    written = rejects_listed(Workspace(str(folder / "work")), Settle, [*receipts, *settled])
    listed = [(row["source"], row["position"], row["reason"]) for row in written]
    assert listed == sorted(rejects)


def test_too_many_rejects_are_told_with_examples_that_are_faults(tmp_path):
    counts = sum_loaded(load(tmp_path, {"a.tsv": ["no", "no", "no", "no", "bad"], "b.tsv": ["cat", "bad"]}))
    rule = RejectRule(by_rule=("other",))
    assert (rule.accepts(counts, 0.1), rule.accepts(counts, 0.3)) == (False, True)
    rule.check(counts, 0.3, "")
    assert not RejectRule(uncounted=("other",)).accepts(counts, 0.6)  # two of three
    with pytest.raises(LexbeamError) as caught:
        rule.check(counts, 0.1, "Correct them.")
    message = str(caught.value)
    assert message.startswith("2 of 7 rows were rejected (malformed 2), more than `max_reject_share` 0.1 allows")
    assert message.endswith("Correct them.")
    assert re.findall(r"\n  (\S+ \d+): (.*)", message) == [
        ("a.tsv 5", "malformed, a bad word"),
        ("b.tsv 2", "malformed, a bad word"),
    ]


def test_files_without_records_are_told(tmp_path):
    with pytest.raises(LexbeamError, match=r"^the input has no rows; nothing is published$"):
        RejectRule().check(sum_loaded(load(tmp_path, {"a.tsv": []})), 1, "")


@given(st.lists(st.integers(0, 9)), st.integers(1, 4), st.integers(1, 20))
def test_batches_end_at_their_number_or_size(values, most, largest):
    found = list(batched(values, most, size=lambda value: value, largest=largest))
    assert list(chain.from_iterable(found)) == values
    for batch in found:
        assert len(batch) <= most
        assert sum(batch[:-1]) < largest
    assert all(len(batch) == most or sum(batch) >= largest for batch in found[:-1])
