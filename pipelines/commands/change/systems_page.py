"""The page docs/systems.md, made from the registry of systems and from what `benchmarks.systems` has measured.

python -m lexbeam.pipelines.commands.change.systems_page > docs/systems.md
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from lexbeam.transforms.change.scores.measures import needs_alignment
from lexbeam.transforms.change.scores.named_systems import SYSTEMS, shown_value
from lexbeam.transforms.embeddings.representations import SGNS

MEASURED = Path(__file__).resolve().parents[3] / "docs" / "systems"  # tables by `benchmarks.systems`


def page() -> str:
    """Return docs/systems.md."""
    lines = [
        "# Systems by name",
        "",
        "`lexbeam change --system NAME[,NAME]` scores and classes words as these systems of SemEval-2020 Task 1 did,",
        "side by side in table `change/systems`; `lexbeam change --list-systems` lists them. This page is made from",
        "the registry, and from the tables below:",
        "",
        "    python -m lexbeam.pipelines.commands.change.systems_page > docs/systems.md",
        "",
        "A system sets options that are not given. Systems that set the same share their spaces, others have spaces of",
        "their own ([more](tasks/change/methods.md#systems-by-name)).",
        "",
        "| system | what | source | needs | options | what differs |",
        "|---|---|---|---|---|---|",
    ]
    for name, system in SYSTEMS.ours().items():
        chosen = {"alignment": system.alignment if needs_alignment(system.measure) and system.measure else ""}
        chosen |= {"measure": system.measure, "threshold": system.threshold} | system.sets
        options = " ".join(
            f"--{o.replace('_', '-')} {shown_value(value)}" for o, value in chosen.items() if value not in ("", SGNS)
        )
        cells = (
            f"`{name}`",
            system.doc,
            system.source,
            system.takes,
            f"`{options}`" if options else "",
            system.differs,
        )
        lines.append(f"| {' | '.join(cells)} |")
    for name, told in (("sample", _sample), ("sotu", _sotu), ("latin", _latin)):
        if (MEASURED / f"{name}.tsv").exists():
            lines += ["", *told(_rows(name))]
    return "\n".join(lines) + "\n"


def _rows(name: str) -> list[dict[str, str]]:
    with (MEASURED / f"{name}.tsv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def _table(header: str, rows: Iterator[list[str]]) -> Iterator[str]:
    yield header
    yield "|" + "---|" * header.count(" |")
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _sample(rows: list[dict[str, str]]) -> Iterator[str]:
    yield from (
        "## On a corpus with planted changes",
        "",
        "    python -m benchmarks.systems sample --out trials --datings 1",
        "",
        "A sample corpus of 200,000 tokens, 60 targets, 18 of which changed; one seed, `--trainer fast`.",
        "Spearman's rho is that with the share of changed uses. The last column has the same texts under random dates,",
        "so that what is called changed there is called so by chance ([systems/sample.tsv](systems/sample.tsv)).",
        "",
    )
    names = ("average_precision", "spearman", "called", "called_random")
    yield from _table(
        "| system | average precision | rho | called changed | called changed, random dates |",
        ([f"`{row['system']}`", *(f"{float(row[name]):.3f}" if row[name] else "" for name in names)] for row in rows),
    )


def _sotu(rows: list[dict[str, str]]) -> Iterator[str]:
    words, names = max(int(row["words"]) for row in rows), [rows[0]["system"]]
    names += [row["other"] for row in rows if row["system"] == names[0]]
    some = (
        [] if names == [name for name, one in SYSTEMS.ours().items() if one.measure] else ["--system", ",".join(names)]
    )
    yield from (
        "## How they agree",
        "",
        " ".join(["    python -m benchmarks.systems sotu --corpus sotu --out trials", *some]),
        "",
        f"Spearman's rho of the scores of two systems, of up to {words} nouns of the",
        "State of the Union with 100 uses in 1790-1860 and in 1960-2024; `sotu` is the corpus of",
        "[results](tasks/change/results.md) ([systems/sotu.tsv](systems/sotu.tsv)).",
        "",
        "![Spearman's rho of every two systems](pictures/systems-sotu.svg)",
    )


def _latin(rows: list[dict[str, str]]) -> Iterator[str]:
    words = len({row["word"] for row in rows})
    yield from (
        "## Scores of the Latin targets",
        "",
        "    python -m benchmarks.systems latin --corpus latin --out trials",
        "",
        f"Scores and classes of the {words} targets of the task in LatinISE, before year 0 and from it on, by one",
        "seed, are in [systems/latin.tsv](systems/latin.tsv). With `--seeds 5` the same command trains the four others",
        "beside what is there; cut off, it goes on. The table is of before SGNS had zeros for words that stand alone",
        "in all their sentences: of the targets that moved scores after `op` by .002 in the mean, .007 at most.",
    )


if __name__ == "__main__":
    print(page(), end="")
