import gzip
import io
import lzma
import random
import re
import tarfile

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from part_tasks import parts_of, rejects_listed

from lexbeam.schemas.complexity import FLAGS, INSTANCES, LABELS
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import staged
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.complexity.instances.labelled_instances import (
    KEY_DIGITS,
    ReadLabelled,
    SettleLabelled,
    content_key,
    instance_id,
    settle,
    split_of,
    task_of,
)
from lexbeam.transforms.complexity.instances.labelled_layouts import LAYOUTS
from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.formats.ingest.input_listing import unit_of
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.intake import intake_staging
from lexbeam.transforms.intake.intake_staging import sum_loaded
from lexbeam.transforms.intake.settling import TextAnnotationOptions


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("lcp_single_train.tsv", "train"),
        ("a/Spanish_Dev.tsv", "dev"),
        ("TRIAL.tsv", "trial"),
        ("test/all.tsv", None),
        ("contest.tsv", None),
        ("testing.tsv", None),
        ("zip.zip!x-test.tsv", "test"),
        ("train2.tsv", "train"),
    ],
)
def test_the_split_that_a_name_says(name, split):
    assert split_of(name) == split


ONE = {"kind": "single", "genre": "g", "sentence": "A cat.", "token": "cat", "start": 2}


@pytest.mark.parametrize(
    "other",
    [
        {"kind": "mwe"},
        {"genre": None},
        {"sentence": "A cat!"},
        {"sentence": None},
        {"token": "Cat"},
        {"start": None},
        {"source_id": "x"},
        {"source_id": ""},
        {"number": 1},
    ],
)
def test_all_content_decides_an_id(other):
    assert re.fullmatch("[0-9a-f]{32}", instance_id(**ONE))
    assert instance_id(**ONE) == instance_id(**ONE)
    assert instance_id(**ONE | other) != instance_id(**ONE)


def test_targets_of_a_sentence_follow_each_other_in_the_order_of_ids():
    same = instance_id(**ONE)[:12]
    assert instance_id(**ONE | {"token": "A", "start": 0}).startswith(same)
    words = {instance_id(**ONE | {"sentence": None, "token": t})[:12] for t in "abc"}
    assert len(words) == 3  # of a list they are scattered


@given(st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=8), st.randoms())
def test_settling_does_not_depend_on_the_order(source_ids, random):
    key = content_key(**ONE)
    found = settle(key, source_ids)
    names = [one.instance_id for one in found]
    assert names == sorted(set(names))
    assert len(key) == KEY_DIGITS
    assert all(name.startswith(key) for name in names)
    assert sorted(one.place for one in found) == list(range(len(source_ids)))
    assert [one.duplicate_of for one in found] == [None, *[names[0]] * (len(names) - 1)]
    shuffled = [*source_ids]
    random.shuffle(shuffled)
    again = settle(key, shuffled)
    pairs = [(one.instance_id, source_ids[one.place]) for one in found]
    assert [(one.instance_id, shuffled[one.place]) for one in again] == pairs
    own = instance_id(**ONE, source_id=source_ids[0])
    assert own in names


def test_flags_are_told_apart():
    assert len(set(FLAGS.values())) == len(FLAGS)


HEAD = "id\tcorpus\tsentence\ttoken\tcomplexity"


def sentences(count):
    """Rows of CompLex: sentences with several targets, some of them twice, one without an id."""
    rows = []
    for n in range(count):
        text = f'Ship {n} sails "far over the sea {n % 7}.'
        rows += [f"r{n}\tg{n % 2}\t{text}\t{token}\t{n % 5 / 4}" for token in ("Ship", "sea")]
    return [*rows, rows[3], rows[3].replace("r1", "q"), rows[3].replace("r1", ""), rows[5][2:]]


@pytest.fixture
def load(tmp_path):
    """A function that reads files, by name, and returns rows of instances, labels and rejects."""

    def loaded(texts, parts=2, name="work", layout="complex", engine="", **options):
        workspace = Workspace(str(tmp_path / name))
        (tmp_path / name).mkdir()
        how = LAYOUTS[layout]
        reader = ReaderOptions(quoting=how.quoted, delimiter=how.delimiter, max_line_bytes=10_000)
        read = ReadLabelled(layout=layout, reader=reader, **options)
        receipts = []
        for file, content in texts.items():
            data = content if isinstance(content, bytes) else content.encode()
            path = tmp_path / name / file
            path.write_bytes(data)
            unit = unit_of([InputFile(file, str(path), len(data), "")])
            receipts.append(make(workspace, read, unit))
        instances, labels = [], []
        for part in parts_of(receipts, parts):
            task = task_of(part, sum_loaded(receipts))
            found = make(workspace, SettleLabelled(annotate=TextAnnotationOptions(engine=engine)), task)
            instances += pq.read_table(found.tables[INSTANCES.name].file.path).to_pylist()
            if LABELS.name in found.tables:
                labels += pq.read_table(found.tables[LABELS.name].file.path).to_pylist()
        return instances, labels, rejects_listed(workspace, SettleLabelled, receipts)

    return loaded


def table(rows):
    return "\n".join([HEAD, *rows]) + "\n"


def test_runs_parts_and_order_change_nothing(load, monkeypatch):
    rows = sentences(40)
    before = load({"a.tsv": table(rows)}, parts=1)
    monkeypatch.setattr(intake_staging, "_ROWS", 7)
    monkeypatch.setattr(staged, "RUN_BYTES", 1)
    monkeypatch.setattr(staged, "BATCH_BYTES", 100)
    monkeypatch.setattr(SettleLabelled, "at_once", 2)
    assert load({"a.tsv": table(rows)}, parts=5, name="small") == before
    random.Random(1).shuffle(rows)
    assert load({"a.tsv": table(rows)}, parts=3, name="shuffled") == before
    instances, labels, rejects = before
    assert (len(instances), len(labels), rejects) == (len(rows), len(rows), [])
    names = [row["instance_id"] for row in instances]
    assert names == sorted(set(names)) == [row["instance_id"] for row in labels]


def test_rows_that_differ_in_their_labels_alone_are_numbered_whatever_their_order(load):
    first = sentences(3)[0].split("\t")
    place = HEAD.split("\t").index("complexity")
    rows = ["\t".join([*first[:place], value, *first[place + 1 :]]) for value in ("0.8", "0.7")]
    before = load({"a.tsv": table(rows)})
    assert len({row["instance_id"] for row in before[0]}) == 2
    assert load({"a.tsv": table(rows[::-1])}, name="turned")[:2] == before[:2]


def test_rows_of_several_files_are_put_together(load):
    rows = sentences(20)
    whole = load({"a.tsv": table(rows)})
    halves = load({"a.tsv": table(rows[::2]), "b_train.tsv": table(rows[1::2])}, name="two")
    known = {"source", "published_split"}

    def plain(found):
        return [{k: v for k, v in row.items() if k not in known} for row in found]

    assert plain(halves[0]) == plain(whole[0])
    assert halves[1] == whole[1]
    splits = {row["source"]: row["published_split"] for row in halves[0]}
    assert splits == {"a.tsv": None, "b_train.tsv": "train"}


def test_duplicates_are_kept_and_name_the_first(load):
    rows = sentences(3)
    instances, _, _ = load({"a.tsv": table(rows)})
    of = [row for row in instances if row["sentence"].startswith("Ship 1") and row["token"] == "sea"]
    assert len(of) == 4
    first, *others = of
    assert first["flags"] == []
    assert first["duplicate_of"] is None
    for row in others:
        assert (row["flags"], row["duplicate_of"]) == (["duplicate"], first["instance_id"])
    assert {row["source_id"] for row in of} == {"r1", "q", None}
    one = next(row for row in of if row["source_id"] == "q")
    assert one["instance_id"] == instance_id(
        kind="single", genre="g1", sentence=one["sentence"], token="sea", start=one["start"], source_id="q"
    )


def test_labels_decide_no_id_no_order_and_no_duplicate(load):
    rows = sentences(15)
    other = [row.rpartition("\t")[0] + "\t1.0" for row in rows]
    before, after = (load({"a.tsv": table(r)}, name=n)[0] for r, n in ((rows, "one"), (other, "two")))
    assert before == after


QUOTES = [
    "id\tsubcorpus\tsentence\ttoken\tcomplexity",
    '1\tbible\t"Go," he said.\tnull\t0.5',
    '2\tbible\t"So it is"\t"is"\t0.25',
    '3\tbible\tHe said "no.\tno\t0',
    '4\tbible\t"Twice ""no"" and\tno\t0',
    "5\tbible\ttoo few",
]


def test_stray_quotes_are_characters_where_cells_are_separated_by_tabs(load):
    instances, labels, rejects = load({"a.tsv": "\n".join(QUOTES)}, layout="tsv")
    found = {row["source_id"]: row for row in instances}
    assert {name: row["sentence"] for name, row in found.items()} == {
        line.split("\t")[0]: line.split("\t")[2] for line in QUOTES[1:5]
    }
    assert [found[name]["token"] for name in "1234"] == ["null", '"is"', "no", "no"]
    assert {row["genre"] for row in instances} == {"bible"}
    assert len(labels) == 4
    assert [(row["position"], row["reason"]) for row in rejects] == [("6", "malformed")]


def test_quotes_that_pair_up_and_quotes_of_other_tables_mean_something(load):
    paired = 'sentence\ttoken\n"a ""b""\tc"\t"b"\n'
    ((row,), _, rejects) = load({"a.tsv": paired}, layout="tsv")
    assert (row["token"], row["start"], rejects) == ("b", 3, [])
    commas = 'token,sentence\nb,"a, b"\n"so," b,b\n'
    (row,), _, rejects = load({"a.csv": commas}, layout="tsv", name="commas")
    assert row["sentence"] == "a, b"
    assert [row["position"] for row in rejects] == ["3"]


def test_quotes_are_decided_for_each_file_even_in_archives(load, tmp_path):
    paired = 'token\tsentence\n"b"\t"a b"\n'
    stray = 'token\tsentence\nb\t"a" b\n'
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in (("a.tsv", paired), ("b.tsv", stray), ("c.tsv", paired)):
            about = tarfile.TarInfo(name)
            about.size = len(text)
            archive.addfile(about, io.BytesIO(text.encode()))
    instances, _, rejects = load({"all.tar.gz": packed.getvalue()}, layout="tsv")
    assert sorted((row["source"], row["sentence"]) for row in instances) == [
        ("all.tar.gz!a.tsv", "a b"),
        ("all.tar.gz!b.tsv", '"a" b'),
        ("all.tar.gz!c.tsv", "a b"),
    ]
    assert rejects == []


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes_whatever_its_quotes(load):
    rows = "".join(f'{n}\t"so," {n} said\n' for n in range(40_000))
    data = gzip.compress(b"token\tsentence\n" + rows.encode())
    instances, _, rejects = load({"a.tsv.gz": data[: len(data) // 2]}, layout="tsv")
    assert len(instances) > 1000
    assert all(row["sentence"].startswith('"so,"') for row in instances)
    assert len(rejects) <= 2  # the last line, and the end that is missing
    assert rejects


ODD = [
    '1\tg\tHe said "so.\tso\t0.5',
    "2\tg\tThe group.\tGroup\t0",
    "3\tg\tThe groups, groups.\tgroup\t0",
    "4\tg\tOf null.\tnull\t0",
    "5\tg\tA, a.\ta\t",
    "6\tg\tA cafe\u0301 here.\there\t0",
    "7\tg\t\tword\t0",
    "8\tg\tNo token.\t \t0",
    "9\tg\tshort",
    "10\tg\t" + "x" * 11_000 + "\tx\t0",
    "11\tg\tNUL\0.\tNUL\t0",
    "12\tg\tS\tw\tmuch",
    "13\tg\tS\t" + "w" * 1001 + "\t0",
]


def test_odd_rows_are_flagged_or_rejected_and_none_is_lost(load):
    text = table(ODD).encode() + b"14\tg\t\xff.\tw\t0\n"
    instances, labels, rejects = load({"a_test.tsv": text})
    flags = {row["source_id"]: row["flags"] for row in instances}
    assert flags == {
        "1": [],
        "2": ["not_in_sentence"],
        "3": ["within_word", "several"],
        "4": [],
        "5": ["no_label"],
        "6": [],
        "7": ["no_sentence"],
    }
    assert {(row["position"], row["reason"]) for row in rejects} == {
        ("9", "empty"),
        ("10", "malformed"),
        ("11", "too_large"),
        ("12", "control"),
        ("13", "malformed"),
        ("14", "too_large"),
        ("15", "undecodable"),
    }
    assert len(instances) + len(rejects) == len(ODD) + 1
    composed = next(row for row in instances if row["source_id"] == "6")
    assert composed["sentence"] == "A caf\u00e9 here."
    assert composed["sentence"][composed["start"] : composed["end"]] == "here"
    assert composed["forms"][composed["position"]] == "here"
    null = {row["instance_id"]: (row["complexity"], row["reason"]) for row in labels}
    unlabelled = next(row["instance_id"] for row in instances if row["source_id"] == "5")
    assert null[unlabelled] == (None, "no_label")
    assert sum(value is None for value, _ in null.values()) == 1


CWI = [
    "h\t“El gato” negro e\u0301l gato\t16\t24\tél gato\t10\t0\t1\t0\t1\t0.1",
    "h\tEl gato.\t0\t3\tgato\t10\t0\t0\t0\t0\t0.0",
    "h\tEl gato.\t3\t7\tgato\t10\t0\t3\t0\t1\t0.3",
    "h\tEl gato.\t99\t103\tperro\t10\t0\t3\t0\t1\t0.3",
]


def test_offsets_are_taken_over_mended_or_missed(load):
    # The target's accent is composed in its cell, and takes two signs in the sentence.
    instances, _, rejects = load({"Spanish_Dev.tsv": "\n".join(CWI)}, layout="cwi2018")
    found = {(row["sentence"][:3], row["token"], row["start"], *row["flags"]) for row in instances}
    assert rejects == []
    assert found == {
        ("“El", "él gato", 16),
        ("El ", "gato", 3, "wrong_offsets", "duplicate"),
        ("El ", "gato", 3),
        ("El ", "perro", None, "not_in_sentence", "wrong_offsets"),
    }


def test_another_kind_is_left_out_with_its_reason(load):
    text = "token\nword\nold sea\n"
    instances, labels, rejects = load({"w.txt": text}, layout="tsv", kind="mwe", language="en")
    assert [row["token"] for row in instances] == ["old sea"]
    assert labels == []
    assert [(row["position"], row["reason"]) for row in rejects] == [("2", "other_kind")]
    (row,) = instances
    assert (row["forms"], row["position"], row["sentence"]) == (None, None, None)
    assert row["flags"] == ["no_sentence", "no_label"]


def test_binary_data_is_a_reject(load):
    instances, _, rejects = load({"a.tsv": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"})
    assert (instances, [row["reason"] for row in rejects]) == ([], ["pdf"])


def test_a_file_that_changes_is_read_as_it_is_then(tmp_path):
    (tmp_path / "a.tsv").write_text(table(sentences(4)))
    unit = unit_of([InputFile("a.tsv", str(tmp_path / "a.tsv"), 3, "")])
    unit.readings[0].broken = "gone"
    loaded = make(Workspace(str(tmp_path)), ReadLabelled(layout="complex"), unit)
    assert loaded.records == len(sentences(4))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, lambda data: b"\xef\xbb\xbf" + data])
def test_compressed_files_and_byte_order_marks(load, pack):
    rows = sentences(3)
    plain, packed = (
        load({"a.tsv": data}, name=name)
        for name, data in (("plain", table(rows)), ("packed", pack(table(rows).encode())))
    )
    assert packed == plain


PIECES = st.lists(
    st.one_of(
        st.sampled_from(["\t", "\n", '"', "id", "sentence", "token", "complexity", "0", "1e9", "a"]),
        st.sampled_from(["\r", "\0", "\u0301" * 40, "\u200b", "\ufeff", ",", "-1", "nan", "\x85"]),
        st.binary(max_size=3),
    ),
    max_size=40,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(LAYOUTS)), PIECES, st.booleans())
def test_any_bytes_are_instances_rejects_or_an_error_that_names_the_file(tmp_path_factory, layout, pieces, headed):
    text = b"".join(p if isinstance(p, bytes) else p.encode("utf-8") for p in pieces)
    data = (b"id\tsentence\ttoken\tcomplexity\n" if headed else b"") + text
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "a.tsv").write_bytes(data)
    how = LAYOUTS[layout]
    reader = ReaderOptions(quoting=how.quoted, delimiter=how.delimiter)
    task = unit_of([InputFile("a.tsv", str(folder / "a.tsv"), len(data), "")])
    workspace = Workspace(str(folder))
    refused = ""
    try:
        loaded = make(workspace, ReadLabelled(layout=layout, reader=reader), task)
    except LexbeamError as error:
        refused = str(error)
    if refused:
        assert "a.tsv" in refused
        return
    tasks = [task_of(part, sum_loaded([loaded])) for part in parts_of([loaded], 2)]
    found = [make(workspace, SettleLabelled(), task) for task in tasks]
    assert sum(one.tables[INSTANCES.name].rows for one in found) == loaded.count
    assert len(rejects_listed(workspace, SettleLabelled, [loaded])) == sum(loaded.reasons.values())
    for one in found:
        for row in pq.read_table(one.tables[INSTANCES.name].file.path).to_pylist():
            if row["start"] is not None:
                assert row["sentence"][row["start"] : row["end"]] == row["token"]
