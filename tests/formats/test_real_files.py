"""Real corpora, where they are at hand: every record arrives, or is named."""

from collections import Counter

import pytest

from transforms.formats.base import ReaderOptions, Reject
from transforms.formats.dates import date_of, parse_date_rule
from transforms.formats.metadata import load_metadata
from transforms.formats.registry import read_file

pytestmark = pytest.mark.data


def take_in(paths, dates=None, format="auto", **options):
    """Return counts of records and reject reasons, the rejects, and years by source."""
    rule = parse_date_rule(dates) if dates else None
    metadata = load_metadata(rule) if rule else None
    counts, rejects, years = Counter(), [], {}
    for path in sorted(paths):
        found = read_file(
            str(path), path.name, format=format, options=ReaderOptions(**options),
            open=lambda path=path: path.open("rb"),
        )  # fmt: skip
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
        found, _, dated = take_in((data / f"eltec-{language}").glob("*.xml"), "header")
        counts += found
        years |= dated
    assert counts == {"records": 55, "no_date": 1}
    # First editions, where the printed sources are reprints of 1959 and 1961; a range.
    assert years["DEU017.xml"] == 1843
    assert years["DEU091.xml"] == 1918
    assert years["SPA1022_GomezDeAvellaneda_DosMujeres.xml"] == 1842


def test_tables_with_stray_quotes_arrive_whole(data):
    counts, _, _ = take_in((data / "lcp").iterdir(), text_field="sentence", quoting=False)
    assert counts == {"records": 9699}
    options = {"header": False, "quoting": False, "text_field": "2"}
    counts, _, _ = take_in((data / "cwi2018-es").iterdir(), **options)
    assert counts == {"records": 15372}


def test_json_lines_and_treebanks_arrive_whole(data):
    assert take_in((data / "recam").iterdir(), text_field="article")[0] == {"records": 3000}
    assert take_in((data / "ud").iterdir())[0] == {"records": 360}


@pytest.mark.slow
def test_an_archive_is_read_in_place(data):
    archive = data / "latinise" / "lemmas.tar.gz"
    counts, _, years = take_in([archive], r"name:lat_([+-]?\d+(?:\.0)?)", "lines")
    assert counts == {"records": 1247}
    assert (min(years.values()), max(years.values())) == (-450, 2005)
