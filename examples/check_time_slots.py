"""Compare the years that a corpus run found for ELTeC novels with the time slots in their headers.

    python examples/check_time_slots.py novels/ corpus

`novels/` holds the TEI files, `corpus` is what `lexbeam corpus novels/ --out corpus --dates header`
published. It prints a line for each novel whose year lies outside its slot, or that has no year or no
slot, then the counts. ELTeC's slots are T1 1840-1859, T2 1860-1879, T3 1880-1899, T4 1900-1920.
"""

import argparse
import re
from pathlib import Path

import pyarrow.parquet as pq

SLOTS = {"T1": (1840, 1859), "T2": (1860, 1879), "T3": (1880, 1899), "T4": (1900, 1920)}


def time_slot(path: Path) -> str | None:
    """Return the key of `<timeSlot>` in a file's header, found without any XML parser."""
    header = path.read_text(encoding="utf-8").partition("</teiHeader>")[0]
    element = re.search(r"<(?:\w+:)?timeSlot\b[^>]*>", header)
    key = re.search(r"\bkey=[\"'](T[1-4])[\"']", element[0]) if element else None
    return key[1] if key else None


def main() -> None:
    """Print every disagreement, and how many novels were looked at."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("novels", type=Path)
    parser.add_argument("corpus", type=Path)
    options = parser.parse_args()
    now = (options.corpus / "current").resolve(strict=True)
    rows = pq.read_table(now / "documents", columns=["source", "year"]).to_pylist()
    years = {row["source"]: row["year"] for row in rows}
    paths = sorted(options.novels.glob("*.xml"))
    disagreements = 0
    for path in paths:
        slot, year = time_slot(path), years.get(path.name)
        first, last = SLOTS.get(slot or "", (0, -1))
        if year is None or not first <= year <= last:
            disagreements += 1
            print(f"{path.name}: slot {slot}, year {year}")
    print(f"{len(paths)} novels, {disagreements} disagreements")


if __name__ == "__main__":
    main()
