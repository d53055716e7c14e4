"""Dates that look like other dates."""

import json
from pathlib import Path
from typing import Any

from hostile_feeding import ingest_options
from hostile_meaning import Meaning

from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.common.names import escape
from lexbeam.transforms.formats.ingest.ingestion import InputFile, read_documents

_OF_TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>T</title></titleStmt>'
    "<publicationStmt><p/></publicationStmt><sourceDesc><bibl><date>{}</date></bibl></sourceDesc></fileDesc>"
    "</teiHeader><text><body><p>Some text.</p></body></text></TEI>"
)


def read_years(path: Path, options: dict[str, Any]) -> str:
    """Return the years of documents, first and last, between ` | `, and the reasons of rejects."""
    file = InputFile(escape(path.name), str(path), path.stat().st_size, "in")
    found = []
    for outcome in read_documents(file, ingest_options({"engine": "", **options}, path.parent)):
        if isinstance(outcome, RejectRow):
            found.append(outcome.reason)
        else:
            row = outcome[0]
            found.append(f"{row['year']} to {row['year_to']}" if row["year_to"] != row["year"] else str(row["year"]))
    return " | ".join(found)


def _dates(*dates: str) -> bytes:
    return "".join(json.dumps({"text": f"House {date}.", "date": date}) + "\n" for date in dates).encode()


def _meaning(dates: str, read: str) -> Meaning:
    given = dates.split("; ")
    fed = ", ".join(f"`{date}`" for date in given)
    return Meaning(fed, "a.jsonl", _dates(*given), read, {"dates": "field:date"}, by=read_years)


DATES: dict[str, list[Meaning]] = {
    "Dates": [
        _meaning(
            "early 19th century; mid-19th century; late 19th century", "1800 to 1832 | 1833 to 1866 | 1867 to 1899"
        ),
        _meaning(
            "2. Hälfte 19. Jh.; fin du XIXe siècle; inizio del Seicento", "1850 to 1899 | 1867 to 1899 | 1600 to 1632"
        ),
        _meaning("turn of the 19th century; late 19th", "bad_date | bad_date"),
        _meaning("2017-9; 2016-1; 1909-8", "2017 | 2016 | 1909"),
        _meaning("1914-18; 1842/3; 1842–5", "1914 to 1918 | 1842 to 1843 | 1842 to 1845"),
        _meaning("2001-21; 2021-22; 1842/5; 2017-13; 1899-00", "bad_date | bad_date | bad_date | bad_date | bad_date"),
        _meaning("1999-21; 1984~", "1999 | 1984"),
        Meaning(
            "TEI of the `late 19th century`",
            "a.xml",
            _OF_TEI.format("late 19th century").encode(),
            "1867 to 1899",
            {"dates": "header"},
            by=read_years,
        ),
    ]
}
