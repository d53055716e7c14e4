"""The view as artefacts, against a plain recount of the sentences."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from schemas import TABLES
from transforms.change import preparing
from transforms.change.preparing import (
    SentencePart,
    StagedView,
    ViewPlan,
    derive_part,
    limits_of,
    measure_part,
    merge_range,
    merge_slice,
    read_counts,
    read_feed,
)
from transforms.change.sgns import sentences_of
from transforms.change.slicing import parse_slices
from transforms.change.targets import load_targets
from transforms.change.words import ViewOptions
from transforms.common.artefacts import Workspace
from transforms.common.tables import write_part

OPTIONS = ViewOptions(min_sentence=3)
PLAN = ViewPlan(
    slices=parse_slices("1800-1840,1850-1890"), targets=load_targets(["w7"], OPTIONS),
    options=OPTIONS,
)  # fmt: skip


@pytest.fixture
def rows():
    random = np.random.default_rng(1)
    made = []
    for document in range(40):
        for sentence in range(random.integers(1, 20)):
            words = [f"w{n}" for n in random.zipf(1.5, random.integers(2, 12)) % 40]
            made.append(
                {
                    **dict.fromkeys(TABLES["sentences"].schema().names),
                    "document_id": f"{document:032x}",
                    "sentence": sentence,
                    "year": 1800 + 2 * document + (10 if document > 35 else 0),
                    "lemmas": [*words, "."],
                    "upos": ["PROPN" if word == "w3" else "NOUN" for word in words] + ["PUNCT"],
                }
            )
    return made


def write_parts(folder, rows, parts):
    schema = TABLES["sentences"].schema()
    written = []
    for number in range(parts):
        mine = [row for row in rows if int(row["document_id"], 16) % parts == number]
        table = pa.Table.from_pylist(mine, schema=schema)
        part = write_part(
            str(folder / f"{number}.parquet"), schema, [table], table="sentences", number=number
        )
        written.append(SentencePart(part.rows, part.path, part.sha256))
    return written


def prepare(folder, rows, *, parts=1, ranges=1, budget=..., plan=PLAN):
    folder.mkdir()
    space = Workspace(str(folder / "work"))
    plan = ViewPlan(slices=plan.slices, targets=plan.targets, options=plan.options, ranges=ranges)
    inputs = write_parts(folder, rows, parts)
    limits = None
    if budget is not ...:
        limits = limits_of([measure_part(space, part, plan) for part in inputs], budget)
    receipts = [derive_part(space, part, plan, limits) for part in inputs]
    slices = [merge_slice(space, index, receipts) for index in range(2)]
    feeds = []
    for index in range(2):
        paths = []
        for number in range(ranges):
            staged = [
                StagedView(receipt["path"], ordinal)
                for receipt in receipts
                for place, where, ordinal in receipt["batches"]
                if (place, where) == (index, number)
            ]
            paths.append(merge_range(space, staged)["path"])
        feeds.append(list(sentences_of(read_feed(paths))))
    return slices, feeds, receipts


def expected(rows, index):
    chosen = PLAN.slices[index]
    inside = [row for row in rows if chosen.start <= row["year"] <= chosen.end]
    return [row for row in inside if len(row["lemmas"]) >= 3]


def test_counts_are_those_of_a_plain_recount(rows, tmp_path):
    slices, feeds, receipts = prepare(tmp_path / "a", rows, parts=3)
    for index in range(2):
        kept = expected(rows, index)
        words = [(row["document_id"], word) for row in kept for word in row["lemmas"][:-1]]
        counts = Counter(word for _, word in words)
        documents = Counter(word for _, word in set(words))
        table = read_counts(slices[index]["path"]).to_pylist()
        assert {row["word"]: row["count"] for row in table} == counts
        assert {row["word"]: row["documents"] for row in table} == documents
        assert {row["word"]: row["proper_nouns"] for row in table if row["proper_nouns"]} == {
            "w3": counts["w3"]
        }
        assert slices[index]["tokens"] == len(words)
        assert slices[index]["sentences"] == len(kept)
        assert slices[index]["documents"] == len({row["document_id"] for row in kept})
        assert Counter(map(tuple, feeds[index])) == Counter(
            tuple(row["lemmas"][:-1]) for row in kept
        )
    outside = {
        row["document_id"] for row in rows if row["year"] > 1890 or row["year"] in range(1841, 1850)
    }
    assert sum(receipt["outside"] for receipt in receipts) == len(outside)


def test_neither_parts_nor_ranges_change_the_order_of_training(rows, tmp_path):
    _, one, _ = prepare(tmp_path / "a", rows)
    _, many, _ = prepare(tmp_path / "b", rows[::-1], parts=4, ranges=5)
    assert one == many


def test_the_order_of_training_is_not_that_of_the_documents(rows, tmp_path):
    _, feeds, _ = prepare(tmp_path / "a", rows)
    assert feeds[0] != [row["lemmas"][:-1] for row in expected(rows, 0)]


@pytest.mark.parametrize("budget", ["smallest", 300])
def test_downsampling_keeps_targets_and_the_budget(rows, tmp_path, budget):
    slices, feeds, _ = prepare(tmp_path / "a", rows, parts=2, budget=budget)
    full, everything, _ = prepare(tmp_path / "b", rows)
    limit = min(row["tokens"] for row in full) if budget == "smallest" else budget
    for index in range(2):
        with_target = [words for words in everything[index] if "w7" in words]
        assert [words for words in feeds[index] if "w7" in words] == with_target
        least = sum(map(len, with_target))
        assert slices[index]["tokens"] <= max(limit, least)
        assert slices[index]["tokens"] == sum(map(len, feeds[index]))
        dropped = slices[index]["sampled_out"]
        assert dropped == len(everything[index]) - len(feeds[index])


def test_long_sentences_are_split_and_stay_in_order(tmp_path):
    long = {
        **dict.fromkeys(TABLES["sentences"].schema().names), "document_id": "0" * 32,
        "sentence": 0, "year": 1800, "lemmas": [f"x{n}" for n in range(25_000)],
    }  # fmt: skip
    slices, feeds, _ = prepare(tmp_path / "a", [long, {**long, "year": 1850, "sentence": 1}])
    assert [len(words) for words in feeds[0]] == [10_000, 10_000, 5_000]
    assert [word for words in feeds[0] for word in words] == long["lemmas"]
    assert slices[0]["split"] == 1


def test_batches_of_the_feed_are_bounded(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(preparing, "FEED_ROWS", 7)
    _, small, _ = prepare(tmp_path / "a", rows)
    monkeypatch.undo()
    _, large, _ = prepare(tmp_path / "b", rows)
    assert small == large
