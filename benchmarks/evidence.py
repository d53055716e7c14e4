"""Whether evidence is calibrated, and what it finds: trials where the truth is known.

    lexbeam corpus $D/sotu --out sotu --exclude '*.csv' --format text --engine spacy:$M/en_ud \\
        --dates "table:$D/sotu/SOTU_metadata.csv:key=filename,date=Date,author=President"
    python -m benchmarks.evidence all --corpus sotu --out trials

or one of them: `datings`, `real`, `power`, `samples`, `series`, with other numbers if asked for.

`datings` deals the documents of two periods out to two dates at random, one by one or by author, so
that no word has changed; `real` leaves them in their periods, with nulls by document (their authors
are taken away) or by author.
`power` deals by document, and then lets words take over a share of another word's uses in the later
slice. `samples` makes corpora with planted changes and controls (`lexbeam sample`). `series` deals
to four dates by document, and lets words take over uses from the third slice on: change points
where nothing changed, and where something did. All else is `lexbeam corpus` and `lexbeam change`. A
trial that is in `--out` is not made again.
"""

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.measure import lexbeam
from lexbeam.transforms.change.scores.null_deals import BY

SLICES = "1790-1860,1960-2024"
EARLY, LATE = 1800, 1900  # the dates that are dealt
SHARES = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
LEAST_USES = 200
LEVEL = 0.05
UNITS = ("document", "author")
FUNCTION = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"}
CLASSES: dict[str, Callable[[str | None], bool]] = {
    "all": lambda upos: True,
    "numerals": lambda upos: upos == "NUM",
    "function words": lambda upos: upos in FUNCTION,
}


class TrialDocument(NamedTuple):
    """A document's author, its year and its sentences as lists of form, lemma and tag."""

    author: str
    year: int
    sentences: list[list[tuple[str, str, str]]]

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return sum(map(len, self.sentences))


def read_documents(corpus: Path, slices: str) -> list[TrialDocument]:
    """Return the documents of an annotated corpus that lie in slices, in the order of their ids."""
    spans = [tuple(map(int, span.split("-"))) for span in slices.split(",")]
    about = pq.read_table(corpus / "documents", columns=["document_id", "author", "year"])
    known = {
        row["document_id"]: (row["author"] or "", row["year"])
        for row in about.to_pylist()
        for first, last in spans
        if row["year"] is not None and first <= row["year"] <= last
    }
    rows = pq.read_table(corpus / "sentences", columns=["document_id", "sentence", "forms", "lemmas", "upos"]).sort_by(
        [("document_id", "ascending"), ("sentence", "ascending")]
    )
    rows = rows.filter(pc.is_in(rows["document_id"], pa.array(sorted(known))))
    found: dict[str, TrialDocument] = {}
    for row in rows.to_pylist():
        name = row["document_id"]
        document = found.setdefault(name, TrialDocument(*known[name], []))
        document.sentences.append(list(zip(row["forms"], row["lemmas"], row["upos"], strict=True)))
    return list(found.values())


def dealt(documents: list[TrialDocument], by: str, seed: int, dates: tuple[int, ...] = (EARLY, LATE)) -> list[int]:
    """Return a year for each document, at random: as many of the tokens to each."""
    draw = random.Random(seed)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        groups[document.author if by == "author" else str(number)].append(number)
    order = sorted(groups)
    draw.shuffle(order)
    share = sum(document.tokens for document in documents) / len(dates)
    years = [dates[-1]] * len(documents)
    tokens = 0.0
    for name in order:
        size = sum(documents[number].tokens for number in groups[name])
        date = dates[min(int((tokens + size / 2) / share), len(dates) - 1)]
        tokens += size
        for number in groups[name]:
            years[number] = date
    return years


class Planted(NamedTuple):
    """Documents with changed words.

    Attributes:
        documents: with their years as before.
        truth: words that took over uses of another one, and the share of theirs that these are.
        touched: words that have given uses away, and those that were made: neither changed nor not.
    """

    documents: list[TrialDocument]
    truth: dict[str, float]
    touched: set[str]


def planted(
    documents: list[TrialDocument],
    years: list[int],
    seed: int,
    *,
    since: int = LATE,
    shares: tuple[float, ...] = SHARES,
    least: int = LEAST_USES,
) -> Planted:
    """Let words take over a share of another word's uses since a year."""
    draw = random.Random(seed)
    nouns: list[Counter[str]] = [Counter(), Counter()]
    for document, year in zip(documents, years, strict=True):
        for sentence in document.sentences:
            nouns[year >= since].update(lemma for _, lemma, tag in sentence if tag == "NOUN")
    able = sorted(w for w in nouns[0] if min(nouns[0][w], nouns[1][w]) >= least)
    draw.shuffle(able)
    takes: dict[str, tuple[str, float]] = {}
    for place, share in zip(range(0, len(able) - 1, 2), shares * 3, strict=False):
        takes[able[place]] = (able[place + 1], share)
    gives = {giver: (word, share * nouns[1][word] / nouns[1][giver]) for word, (giver, share) in takes.items()}

    def changed(token: tuple[str, str, str]) -> tuple[str, str, str]:
        form, lemma, tag = token
        if tag == "NOUN" and lemma in takes and draw.random() < takes[lemma][1]:
            return form, f"{lemma}x", tag
        if tag == "NOUN" and lemma in gives and draw.random() < gives[lemma][1]:
            return form, gives[lemma][0], tag
        return token

    made = [
        document if year < since else document._replace(sentences=[list(map(changed, s)) for s in document.sentences])
        for document, year in zip(documents, years, strict=True)
    ]
    truth = {word: share for word, (_, share) in takes.items()}
    return Planted(made, truth, {*gives, *(f"{word}x" for word in takes)})


def write_conllu(path: Path, documents: list[TrialDocument], years: list[int]) -> None:
    """Write documents with dates and authors as one CoNLL-U file."""
    with path.open("w", encoding="utf-8") as out:
        for number, (document, year) in enumerate(zip(documents, years, strict=True)):
            out.write(f"# newdoc id = d{number}\n# date = {year}\n# author = {document.author}\n")
            for sentence in document.sentences:
                for place, (form, lemma, tag) in enumerate(sentence, 1):
                    # `_` would be no form and no lemma.
                    cells = (place, *(text.strip(" _") or "-" for text in (form, lemma)), tag)
                    out.write("\t".join(map(str, cells)) + "\t_" * 6 + "\n")
                out.write("\n")


def run_trial(
    folder: Path,
    documents: list[TrialDocument],
    years: list[int],
    words: list[str],
    slices: str = f"early={EARLY},late={LATE}",
) -> list[dict[str, Any]]:
    """Make a corpus and change scores of it; return the rows of `scores` over seeds."""
    if not (folder / "change" / "current").exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_conllu(folder / "dated.conllu", documents, years)
        corpus = folder / "corpus"
        lexbeam(
            "corpus",
            str(folder / "dated.conllu"),
            "--out",
            str(corpus),
            "--overwrite",
            "--format",
            "conllu",
            "--dates",
            "field:date",
        )
        change_scores(folder, corpus, words, slices)
    return means(folder / "change")


def change_scores(folder: Path, corpus: Path, words: list[str], slices: str) -> None:
    """Make change scores of a corpus, unless they are there."""
    if not (folder / "change" / "current").exists():
        lexbeam(
            "change",
            str(corpus),
            "--out",
            str(folder / "change"),
            "--overwrite",
            *words,
            "--slices",
            slices,
            "--keep",
            "published",
        )


def means(change: Path) -> list[dict[str, Any]]:
    """Return the rows of `scores` over seeds, by cosine."""
    rows = pq.read_table(change / "current" / "scores")
    same = pc.and_(rows["seed"].is_null(), pc.equal(rows["measure"], "cosine"))
    return rows.filter(same).to_pylist()


def shares(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return shares of ranked words below the level and above bands, and the distance of p from uniform.

    `above_band` is of the band that is drawn, `above_two_sd` of mean and two standard deviations.
    """
    ranked = [row for row in rows if row["ranked"] and row["score"] is not None]
    found: dict[str, float] = {}
    for name in ("p_value", "q_value", "p_relative", "q_relative"):
        values = [row[name] for row in ranked if row[name] is not None]
        found[name] = float(np.mean([v <= LEVEL for v in values])) if values else float("nan")
    p = np.sort([row["p_relative"] for row in ranked])
    steps = np.arange(len(p) + 1) / len(p)
    found["ks"] = float(max((steps[1:] - p).max(), (p - steps[:-1]).max()))
    known = [row for row in ranked if row["null_high"] is not None]
    found["above_band"] = float(np.mean([row["score"] > row["null_high"] for row in known]))
    found["above_two_sd"] = float(
        np.mean([row["score"] > row["null_mean"] + 2 * row["null_sd"] for row in known if row["null_sd"] is not None])
    )
    found["words"] = len(ranked)
    return found


def _datings(given: argparse.Namespace) -> None:
    for by in given.by:
        _datings_by(by, given)


def _datings_by(by: str, given: argparse.Namespace) -> None:
    documents = read_documents(given.corpus / "current", given.slices)
    trials = defaultdict(list)
    for number in range(given.datings):
        years = dealt(documents, by, 1000 + number)
        folder = given.out / f"{by}-{number}"
        rows = run_trial(folder, documents, years, _words(given))
        for alignment in given.alignment.split(","):
            found = shares([row for row in rows if row["alignment"] == alignment])
            trials[alignment].append(found)
            print(f"{by} {number} {alignment}", json.dumps(found), flush=True)
    print(f"| random by {by} | mean | least | most |\n|---|---|---|---|")
    for alignment, some in trials.items():
        for name in some[0]:
            values = [found[name] for found in some]
            told = (np.mean(values), min(values), max(values))
            print(f"| {alignment} {name} | " + " | ".join(f"{v:.4f}" for v in told) + " |")


def _real(given: argparse.Namespace) -> None:
    for by in given.by:
        folder = given.out / f"real-{by}"
        if by == "document":  # without authors documents are what is dealt
            documents = read_documents(given.corpus / "current", given.slices)
            nameless = [document._replace(author="") for document in documents]
            years = [document.year for document in documents]
            run_trial(folder, nameless, years, _words(given), given.slices)
        else:
            change_scores(folder, given.corpus, _words(given), given.slices)
        _tell_real(by, folder, given)


def _tell_real(by: str, folder: Path, given: argparse.Namespace) -> None:
    rows = means(folder / "change")
    tags = {
        row["word"]: row["upos"]
        for row in pq.read_table(folder / "change" / "current" / "change" / "summary").to_pylist()
    }
    print(f"| by {by} | words | ranked | q <= .05 | relative |\n|---|---|---|---|---|")
    for alignment in given.alignment.split(","):
        ranked = [row for row in rows if row["ranked"] and row["alignment"] == alignment]
        for name, wanted in CLASSES.items():
            some = [row for row in ranked if wanted(tags[row["word"]])]
            told = (sum(row[q] <= LEVEL for row in some) for q in ("q_value", "q_relative"))
            print(f"| {alignment} | {name} | {len(some)} | " + " | ".join(map(str, told)) + " |")


def _power(given: argparse.Namespace) -> None:
    documents = read_documents(given.corpus / "current", given.slices)
    flagged: dict[tuple[str, float], list[bool]] = defaultdict(list)
    for number in range(given.datings):
        years = dealt(documents, "document", 2000 + number)
        made, truth, touched = planted(documents, years, number)
        rows = run_trial(given.out / f"power-{number}", made, years, _words(given))
        for row in rows:
            if row["ranked"] and row["score"] is not None and row["word"] not in touched:
                flagged[row["alignment"], truth.get(row["word"], 0.0)].append(row["significant"])
    print("| alignment | share of uses changed | words | flagged |\n|---|---|---|---|")
    for (alignment, share), found in sorted(flagged.items()):
        print(f"| {alignment} | {share} | {len(found)} | {sum(found)} |")


def _samples(given: argparse.Namespace) -> None:
    print("| seed | alignment | planted | controls | other words |\n|---|---|---|---|---|")
    for seed in range(1, given.datings + 1):
        folder = given.out / f"sample-{seed}"
        if not (folder / "change" / "current").exists():
            corpus = str(folder / "corpus")
            lexbeam(
                "sample",
                "--out",
                str(folder / "sample"),
                "--tokens",
                str(given.tokens),
                "--seed",
                str(seed),
                "--overwrite",
            )
            lexbeam(
                "corpus",
                str(folder / "sample" / "corpus"),
                "--out",
                corpus,
                "--overwrite",
                "--engine",
                "builtin:en",
                "--dates",
                r"name:^(\d{4})_",
            )
            lexbeam(
                "change",
                corpus,
                "--out",
                str(folder / "change"),
                "--overwrite",
                "--slices",
                "early=1800-1849,late=1950-1999",
                *_words(given),
            )
        for line in _of_sample(seed, folder):
            print(line, flush=True)


def _of_sample(seed: int, folder: Path) -> Iterator[str]:
    lines = (folder / "sample" / "truth.tsv").read_text("utf-8").splitlines()
    kinds = {cells[0]: cells[1] for cells in (line.split("\t") for line in lines[1:])}
    rows = [row for row in means(folder / "change") if row["significant"] is not None]
    for alignment in sorted({row["alignment"] for row in rows}):
        own = [row for row in rows if row["alignment"] == alignment]
        told = []
        for wanted in (_is_planted, _is_control, _is_other):
            some = [row["significant"] for row in own if wanted(kinds.get(row["word"]))]
            told.append(f"{sum(some)} of {len(some)}")
        yield f"| {seed} | {alignment} | {' | '.join(told)} |"


def _series(given: argparse.Namespace) -> None:
    documents = read_documents(given.corpus / "current", given.slices)
    dates = (1800, 1830, 1860, 1890)
    slices = ",".join(f"s{date}={date}" for date in dates)
    found: dict[float, list[tuple[bool, bool, bool]]] = defaultdict(list)
    for number in range(given.datings):
        years = dealt(documents, "document", 3000 + number, dates)
        made, truth, touched = planted(
            documents, years, number, since=dates[2], shares=(0.5, 0.75, 1.0), least=LEAST_USES * 2
        )
        folder = given.out / f"series-{number}"
        run_trial(folder, made, years, _words(given), slices)
        points = pq.read_table(folder / "change" / "current" / "change" / "points").to_pylist()
        for row in points:
            if row["ranked"] and row["p_value"] is not None and row["word"] not in touched:
                right = row["point_to"] == f"s{dates[2]}"
                low = row["p_value"] <= LEVEL, (row["q_value"] or 1.0) <= LEVEL
                found[truth.get(row["word"], 0.0)].append((*low, right))
    print("| share of uses changed | words | p <= .05 | q <= .05 | at the planted cut |")
    print("|---|---|---|---|---|")
    for share, rows in sorted(found.items()):
        told = np.mean(np.array(rows, np.float64), axis=0)
        print(f"| {share} | {len(rows)} | " + " | ".join(f"{value:.3f}" for value in told) + " |")


def _is_control(kind: str | None) -> bool:
    return kind is not None and kind.startswith("control")


def _is_planted(kind: str | None) -> bool:
    return kind is not None and not kind.startswith("control")


def _is_other(kind: str | None) -> bool:
    return kind is None


def _words(given: argparse.Namespace) -> list[str]:
    numbers = ["--null", str(given.null), "--null-by", given.null_by, "--seeds", str(given.seeds)]
    return [*numbers, "--alignment", given.alignment, "--trainer", given.trainer]


class EvidenceTrial(NamedTuple):
    """A trial, and its numbers unless others are asked for."""

    run: Callable[[argparse.Namespace], None]
    datings: int = 1
    null: int = 5
    seeds: int = 1


TRIALS = {
    "datings": EvidenceTrial(_datings, datings=10),
    "real": EvidenceTrial(_real, seeds=3),
    "power": EvidenceTrial(_power, datings=5),
    "samples": EvidenceTrial(_samples, datings=5, null=3, seeds=3),
    "series": EvidenceTrial(_series, datings=3),
}


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trial", choices=(*TRIALS, "all"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--by", nargs="+", choices=UNITS, default=UNITS)
    parser.add_argument("--datings", type=int, help="trials")
    parser.add_argument("--null", type=int)
    parser.add_argument("--null-by", choices=BY, default=BY[0], help="what nulls deal")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--tokens", type=int, default=300_000)
    parser.add_argument("--alignment", default="op")
    parser.add_argument("--trainer", default="gensim")
    parser.add_argument("--slices", default=SLICES, help="periods whose documents are dealt")
    given = parser.parse_args()
    for name in TRIALS if given.trial == "all" else [given.trial]:
        numbers = TRIALS[name]._asdict()
        run = numbers.pop("run")
        asked = {key: value for key, value in vars(given).items() if value is not None}
        run(argparse.Namespace(**{**numbers, **asked}))
    return 0


if __name__ == "__main__":
    sys.exit(_main())
