"""Real corpora, where they are at hand: every record arrives, or is named."""

import functools
import json
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lexbeam.schemas.common_tables import RejectRow
from lexbeam.transforms.formats.ingest.date_rules import date_of, load_metadata, parse_date_rule
from lexbeam.transforms.formats.ingest.ingestion import IngestOptions, InputFile, read_documents
from lexbeam.transforms.formats.readers.registry import read_file
from lexbeam.transforms.formats.records.base import ReaderOptions, Reject

pytestmark = pytest.mark.data

SLOTS_SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "check_time_slots.py"


def take_in(paths, dates=None, format="auto", **options):
    """Return counts of records and reject reasons, the rejects, and years by source."""
    rule = parse_date_rule(dates) if dates else None
    metadata = load_metadata(rule) if rule else None
    counts, rejects, years = Counter(), [], {}
    for path in sorted(paths):
        found = read_file(
            str(path),
            path.name,
            format=format,
            options=ReaderOptions(**options),
            open=lambda path=path: path.open("rb"),
        )
        for source, entry in found:
            result = entry
            if rule is not None and not isinstance(entry, Reject):
                result = date_of(rule, entry, source, "first", metadata)
            if isinstance(result, Reject):
                counts[result.reason] += 1
                rejects.append((source, result))
                continue
            counts["records"] += entry.block == 0
            years[source] = getattr(result, "year", None)
    return counts, rejects, years


@functools.cache
def novels(data, language):
    return take_in((data / f"eltec-{language}").glob("*.xml"), "header")


def records_and_copies(folder, pattern, **options):
    """Return how many records a folder has, and how many are like one that goes before."""
    records, keys = 0, set()
    made = IngestOptions(reader=ReaderOptions(**options))
    for path in sorted(folder.glob(pattern)):
        name = path.relative_to(folder).as_posix()
        for entry in read_documents(InputFile(name, str(path), path.stat().st_size, folder.name), made):
            if not isinstance(entry, RejectRow) and entry[1].block == 0:
                records += 1
                # A document that comes in blocks has no key, and no copies.
                keys.add(entry[2][0] or entry[0]["key"])
    return records, records - len(keys)


def lines_of(folder, pattern):
    for path in folder.glob(pattern):
        yield from path.read_text(encoding="utf-8").rstrip("\n").split("\n")


def test_bbc_has_one_file_that_is_not_utf_8(data):
    counts, rejects, _ = take_in((data / "bbc").glob("*/*"))
    assert counts == {"records": 1807, "undecodable": 1}
    assert rejects[0][0] == "199.txt"


def test_addresses_are_dated_by_their_table(data):
    folder = data / "sotu"
    rule = f"table:{folder}/SOTU_metadata.csv:key=filename,date=Date,author=President"
    counts, _, years = take_in(folder.glob("*.txt"), rule)
    assert counts == {"records": 245}
    assert (min(years.values()), max(years.values())) == (1790, 2024)
    assert all(int(source[2:6]) == year for source, year in years.items())


def test_novels_are_dated_by_their_headers(data):
    years = {}
    counts = Counter()
    for language in ("eng", "spa", "deu"):
        found, _, dated = novels(data, language)
        counts += found
        years |= dated
    assert counts == {"records": 55, "no_date": 1}
    # First editions, where the printed sources are reprints of 1959 and 1961; a range.
    assert years["DEU017.xml"] == 1843
    assert years["DEU091.xml"] == 1918
    assert years["SPA1022_GomezDeAvellaneda_DosMujeres.xml"] == 1842


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("eng", ["ENG18970_Phillpots.xml: slot T4, year 1897", "40 novels, 1 disagreements"]),
        ("spa", ["8 novels, 0 disagreements"]),
        (
            "deu",
            [
                "DEU002.xml: slot T1, year 1863",
                "DEU004.xml: slot T1, year None",
                "DEU092.xml: slot T4, year 1923",
                "8 novels, 3 disagreements",
            ],
        ),
    ],
)
def test_dates_of_novels_against_their_time_slots(data, tmp_path, language, said):
    """The script of docs/running/real-corpora.md, which reads the slots without any of our readers."""
    folder = data / f"eltec-{language}"
    years = novels(data, language)[2]
    (tmp_path / "current" / "documents").mkdir(parents=True)
    table = pa.table({"source": list(years), "year": pa.array(years.values(), pa.int32())})
    pq.write_table(table, tmp_path / "current" / "documents" / "part.parquet")
    command = [sys.executable, str(SLOTS_SCRIPT), str(folder), str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == said


def test_tables_with_stray_quotes_arrive_whole(data):
    counts, _, _ = take_in((data / "lcp").iterdir(), text_field="sentence", quoting=False)
    assert counts == {"records": 9699}
    options = {"header": False, "quoting": False, "text_field": "2"}
    counts, _, _ = take_in((data / "cwi2018-es").iterdir(), **options)
    assert counts == {"records": 15372}


def test_json_lines_and_treebanks_arrive_whole(data):
    assert take_in((data / "recam").iterdir(), text_field="article")[0] == {"records": 3000}
    assert take_in((data / "ud").iterdir())[0] == {"records": 360}


def test_rows_of_a_table_with_stray_quotes_say_what_their_lines_say(data):
    """Cells cut by hand, line by line: no row is lost, and none has run into the next."""
    cut = Counter()
    for path in (data / "lcp").iterdir():
        header, *rows = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
        place = header.split("\t").index("sentence")
        cut.update(" ".join(row.split("\t")[place].split()) for row in rows)
    arrived = Counter()
    options = IngestOptions(reader=ReaderOptions(text_field="sentence", quoting=False))
    for path in (data / "lcp").iterdir():
        file = InputFile(path.name, str(path), path.stat().st_size, "lcp")
        arrived.update(" ".join(row[0]["text"].split()) for row in read_documents(file, options))
    assert cut.total() == 9699
    assert arrived == Counter({unicodedata.normalize("NFC", text): count for text, count in cut.items()})


def test_copies_of_articles_are_as_many_as_plain_python_finds(data):
    texts = []
    for path in (data / "bbc").glob("*/*"):
        if path.name != "199.txt" or path.parent.name != "sport":
            texts.append(path.read_text(encoding="utf-8"))
    assert (len(texts), len(texts) - len(set(texts))) == (1807, 84)
    assert records_and_copies(data / "bbc", "*/*") == (1807, 84)

    articles = [json.loads(line)["article"] for line in lines_of(data / "recam", "*.jsonl")]
    assert (len(articles), len(articles) - len(set(articles))) == (3000, 75)
    assert records_and_copies(data / "recam", "*.jsonl", text_field="article") == (3000, 75)


def test_copies_of_sentences_are_as_many_as_plain_python_finds(data):
    sentences = [line.split("\t")[1] for line in lines_of(data / "cwi2018-es", "*.tsv")]
    assert (len(sentences), len(set(sentences))) == (15372, 1188)
    options = {"header": False, "quoting": False, "text_field": "2"}
    found = records_and_copies(data / "cwi2018-es", "*.tsv", **options)
    assert found == (15372, 15372 - 1188)


def test_one_document_of_a_treebank_has_the_text_of_another(data):
    """Its annotation differs, but it is the text that makes a copy."""
    assert records_and_copies(data / "ud", "*.conllu") == (360, 1)


@pytest.mark.slow
@pytest.mark.soak  # the suite has another one below
def test_an_archive_is_read_in_place(data):
    archive = data / "latinise" / "lemmas.tar.gz"
    counts, _, years = take_in([archive], r"name:lat_([+-]?\d+(?:\.0)?)", "lines")
    assert counts == {"records": 1247}
    assert (min(years.values()), max(years.values())) == (-450, 2005)


@pytest.mark.soak  # of a small archive: tests/formats/sources/test_archives.py
def test_a_hidden_member_of_an_archive_is_no_record(data):
    """Of 1,248 files in the archive one is a folder's `.DS_Store`."""
    archive = data / "latinise" / "tokens.tar.gz"
    rule = r"name:lat_([+-]?\d+(?:\.0)?)"
    counts, _, years = take_in([archive], rule, "lines", lines_hold="forms")
    assert counts == {"records": 1247}
    assert (min(years.values()), max(years.values())) == (-450, 2005)
