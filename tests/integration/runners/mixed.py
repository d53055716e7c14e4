"""A small corpus of many formats and archives, made by code, that exercises every part of a run.

Over 250 records: most are documents of three periods, some are duplicates, some are broken. Files
of noise are so large that all are dealt out to several units.
"""

import csv
import gzip
import io
import itertools
import json
import random
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

DOCUMENTS = 240
SLICES = 3
SEEDS = 2
PARTS = 3
NOISE_BYTES = (4 << 20) - 1

_CONFIG = {
    "parts": PARTS,
    "max-reject-share": 0.2,
    "corpus": {"inputs": ["corpus"], "engine": "builtin:en", "dates": r"name:(\d{4})"},
    "change": {
        "slices": "1800-1849,1850-1899,1900-1949",
        "pairs": "all",
        "seeds": SEEDS,
        "dim": 12,
        "window": 3,
        "epochs": 2,
        "min-count": 3,
        "min-sentence": 5,
        "alignment": ["op", "cca", "none"],
        "rank-min-count": 5,
        "rank-min-documents": 2,
        "neighbour-min-count": 3,
    },
}


def _words(rng: random.Random) -> list[str]:
    syllables = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u", "ain", "or")]
    words = ["".join(rng.sample(syllables, rng.choice((1, 2, 2, 3)))) for _ in range(420)]
    return sorted(set(words))


def _texts(rng: random.Random) -> Iterator[tuple[int, str]]:
    """Yield a year and a text without end, with words that drift from period to period."""
    words = _words(rng)
    weights = [1 / (rank + 4) for rank in range(len(words))]
    for number in itertools.count():
        period = number % SLICES
        year = 1800 + 50 * period + rng.randrange(50)
        used = words[7 * period :] + words[: 7 * period]
        sentences = []
        for _ in range(rng.randrange(8, 14)):
            chosen = rng.choices(used, weights, k=rng.randrange(9, 17))
            sentences.append(" ".join(chosen).capitalize() + ".")
        middle = len(sentences) // 2
        yield year, " ".join(sentences[:middle]) + "\n\n" + " ".join(sentences[middle:]) + "\n"


def _tei(text: str) -> str:
    paragraphs = "".join(f"<p>{part.strip()}</p>" for part in text.split("\n\n"))
    return (
        '<?xml version="1.0"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>'
        "<titleStmt><title>A text</title></titleStmt></fileDesc></teiHeader>"
        f"<text><body>{paragraphs}</body></text></TEI>\n"
    )


def _conllu(text: str) -> str:
    lines = []
    for sentence in text.split("."):
        words = sentence.split()
        for place, word in enumerate(words, 1):
            head = 0 if place == 1 else 1
            lines.append(f"{place}\t{word}\t{word.lower()}\tNOUN\t_\t_\t{head}\tdep\t_\t_")
        if words:
            lines.append("")
    return "\n".join(lines) + "\n"


def _zip(path: Path, members: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name), text)


def _tar(path: Path, members: dict[str, str]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))


def _csv(rows: list[str]) -> str:
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["title", "text"])
    writer.writerows((f"row {number}", text) for number, text in enumerate(rows))
    return table.getvalue()


def write_mixed_corpus(folder: Path) -> Path:
    """Write the corpus and a configuration that runs it; return the configuration's path."""
    rng = random.Random(11)
    texts = _texts(rng)
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)

    def take(number: int) -> list[tuple[int, str]]:
        return list(itertools.islice(texts, number))

    def same_year(number: int) -> tuple[int, list[str]]:
        taken = take(number)
        return taken[0][0], [text for _, text in taken]

    plain = take(60)
    for number, (year, text) in enumerate(plain):
        (corpus / f"a{number:02d}_{year}.txt").write_text(text, "utf-8")
    for number, (year, text) in enumerate(plain[:6]):
        (corpus / f"p{number:02d}_{year}.txt").write_text(text, "utf-8")  # duplicates
    for number, (year, text) in enumerate(take(40)):
        (corpus / f"c{number:02d}_{year}.xml").write_text(_tei(text), "utf-8")
    _zip(corpus / "d.zip", {f"in/{n:02d}_{y}.txt": text for n, (y, text) in enumerate(take(32))})
    _tar(corpus / "e.tar.gz", {f"{n:02d}_{y}.xml": _tei(t) for n, (y, t) in enumerate(take(24))})
    for number in range(4):
        year, rows = same_year(10)
        lines = [json.dumps({"title": f"{n}", "text": text}) for n, text in enumerate(rows)]
        lines.insert(5, '{"text": "broken')
        (corpus / f"f{number}_{year}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    for number in range(2):
        year, rows = same_year(10)
        (corpus / f"h{number}_{year}.csv").write_text(_csv(rows), "utf-8")
    year, rows = same_year(8)
    pq.write_table(pa.table({"text": rows}), corpus / f"i_{year}.parquet")
    for number, (year, text) in enumerate(take(8)):
        (corpus / f"k{number}_{year}.conllu").write_text(_conllu(text), "utf-8")
    for number, (year, text) in enumerate(take(8)):
        content = gzip.compress(text.encode(), mtime=0)
        (corpus / f"l{number}_{year}.txt.gz").write_bytes(content)
    for number, (_, text) in enumerate(take(6)):
        (corpus / f"m{number}_undated.txt").write_text(text, "utf-8")
    (corpus / "n_1901.txt").write_bytes(b"\xff\xff broken \xff")
    (corpus / "o_1902.xml").write_text("<TEI><text>", "utf-8")
    for name in ("b", "c99", "e_noise", "g"):
        with open(corpus / f"{name}_1900.bin", "wb") as noise:
            noise.truncate(NOISE_BYTES)
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump(_CONFIG), "utf-8")
    return config
