"""What a refresh costs and changes: a hundredth of new documents, every table, splits of instances, nights in a row.

    python -m benchmarks.scale nights --sizes full
    python -m benchmarks.scale.nights build/scale/nights.jsonl docs/pictures      the tables and the plot

All text is `lexbeam sample`; of its files, shuffled, one in a hundred comes later, and for every table those are of the
later slice; WordNet lies where Debian has it. Runs have one process: CPU is that of stages, of what is around them
(lookups, graph, publication), and of the start of Python.
"""

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from benchmarks.scale.figures import Row
from benchmarks.scale.page import number, table
from benchmarks.scale.runs import Checkout, Results, folder_sizes, fresh, measured
from lexbeam.transforms.common.publish.differences import differences
from lexbeam.transforms.common.publish.snapshots import open_snapshot

SIZES = {
    "small": {"tokens": (300_000,), "tables": 40_000, "labelled": 2_000, "night tokens": 30_000, "nights": 3},
    "full": {
        "tokens": (1_000_000, 5_000_000),
        "tables": 200_000,
        "labelled": 10_000,
        "night tokens": 200_000,
        "nights": 30,
    },
}
SHARE = 100  # one of so many is new
WORDNET = {"wordnet": "/usr/share/wordnet", "cache": "cache"}
TASKS = {
    "change": {"slices": "1800-1824,1825-1849,1950-1999", "seeds": 1, "null": 3, "alignment": "op"},
    "cloze": {
        "pairs": {"layout": "corpus"},
        "candidates": {"kind": ["nonspecificity"], "sense": "first", **WORDNET},
        "options": {"readers": ["frequency"], **WORDNET},
        "questions": {},
    },
    "simplify": {
        "instances": {"targets": "content", "layout": "corpus"},
        "generate": {"generators": ["wordnet"], **WORDNET},
        "select": {},
        "rank": {"ranker": ["senses"], "cache": "cache"},
        "rewrite": {},
    },
}
TEXT = {"inputs": "corpus", "engine": "builtin:en", "language": "en", "settings": "settings.yaml", "setting": "plain"}
SEED = 1
TRAINING = "change/train"


def run(checkout: Checkout, results: Results, work: Path, sizes: str) -> Iterator[str]:
    """Measure what is not among the results; yield a line for each run."""
    size = SIZES[sizes]
    for frozen in (False, True):
        key = {"case": "splits", "label": checkout.label, "size": size["labelled"], "frozen": frozen}
        if not results.has(key):
            results.add({**key, **_splits(checkout, work, size["labelled"], frozen), "commit": checkout.commit()})
            yield f"splits of {size['labelled']:,} instances, then a hundredth more{', frozen' * frozen}"
    key = {"case": "night", "label": checkout.label, "size": size["night tokens"]}
    if not results.has({**key, "night": size["nights"]}):
        for night, found in enumerate(_nights(checkout, work, size["night tokens"], size["nights"])):
            results.add({**key, **found, "night": night, "commit": checkout.commit()})
            yield f"night {night}"
    key = {"case": "tables", "label": checkout.label, "size": size["tables"]}
    if not results.has(key):
        found = _share(checkout, work, size["tables"], TASKS, since="19")
        results.add({**key, **found, "commit": checkout.commit()})
        yield "every table, then a hundredth more"
    key = {"case": "texts", "label": checkout.label, "size": size["tables"]}
    if not results.has(key):
        results.add({**key, **_texts(checkout, work, size["tables"]), "commit": checkout.commit()})
        yield "texts with simpler words, then a hundredth more"
    for tokens in size["tokens"]:
        key = {"case": "share", "label": checkout.label, "size": tokens}
        if not results.has(key):
            results.add({**key, **_share(checkout, work, tokens), "commit": checkout.commit()})
            yield f"{tokens:,} tokens, then a hundredth more"


def _sample(
    checkout: Checkout, work: Path, tokens: int, later: int, tasks: Mapping[str, Any] | None = None, since: str = ""
) -> tuple[Path, list[Path]]:
    """Write a sample and a configuration for it; return their folder, and the files put aside, one of so many.

    These have names from `since` on in the order of names.
    """
    folder = fresh(work / "sample")
    measured(checkout, "sample", "--out", str(folder), "--tokens", str(tokens), processes=0)
    config = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    config["change"] = {"slices": config["change"]["slices"], "seeds": 1, "null": 3, "alignment": "op"}
    config["complexity"] = {"select": {"quota": ["500"]}, "features": {"use": ["form"]}}
    config |= tasks or {}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    aside = folder / "later"
    aside.mkdir()
    names = sorted(path.name for path in (folder / "corpus").iterdir())
    random.Random(SEED).shuffle(names)
    put = [name for name in names if name >= since][: -(-len(names) // later)]
    return folder, [(folder / "corpus" / name).rename(aside / name) for name in put]


def _receipts(out: Path) -> dict[str, set[str]]:
    """Return the artefacts of a folder by stage."""
    stages: dict[str, set[str]] = {}
    for path in (out / "_artefacts").glob("*/*/*.json"):
        stages.setdefault(f"{path.parent.parent.name}/{path.parent.name}", set()).add(path.name)
    return stages


def _share(
    checkout: Checkout, work: Path, tokens: int, tasks: Mapping[str, Any] | None = None, since: str = ""
) -> dict[str, Any]:
    folder, later = _sample(checkout, work, tokens, SHARE, tasks, since)
    return {"files": len(later), **_grown(checkout, folder, later)}


def _texts(checkout: Checkout, work: Path, tokens: int) -> dict[str, Any]:
    folder, later = _sample(checkout, work, tokens, SHARE)
    (folder / "settings.yaml").write_text("plain: {generators: [wordnet], ranker: senses}\n", "utf-8")
    config = {"out": "results", "simplify": {"text": {**TEXT, **WORDNET}}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    return {"files": len(later), **_grown(checkout, folder, later)}


def _grown(checkout: Checkout, folder: Path, later: Sequence[Path]) -> dict[str, Any]:
    """Run a configuration, and again with more files; return what was taken, and what differs."""
    out, config = folder / "results", str(folder / "config.yaml")
    whole = measured(checkout, "run", config, processes=0)
    before, receipts = open_snapshot(str(out)), _receipts(out)
    for path in later:
        path.rename(folder / "corpus" / path.name)
    again = measured(checkout, "refresh", config, processes=0)
    made = {stage: len(names - receipts.get(stage, set())) for stage, names in _receipts(out).items()}
    return {
        "whole": whole,
        "again": again,
        "rows": _rows(before, open_snapshot(str(out))),
        "artefacts": {stage: [made[stage], len(names)] for stage, names in receipts.items()},
    }


def _rows(before: Any, after: Any) -> dict[str, dict[str, Any]]:
    """Return, of each table that differs, its rows before, and how many were added, removed and changed."""
    rows = {name: {"rows": entry["rows"]} for name, entry in before.tables.items()}
    for found in differences(before, after):
        rows[found.name] |= {"added": found.added, "removed": found.removed, "changed": found.changed}
    return rows


def _splits(checkout: Checkout, work: Path, instances: int, frozen: bool) -> dict[str, Any]:
    folder = fresh(work / "labelled")
    (folder / "files").mkdir(parents=True)
    draw = random.Random(SEED)
    lines = []
    for _ in range(instances + instances // SHARE):
        token = f"word{int(draw.paretovariate(0.7)) % (instances // 2)}"
        genre = draw.choice(("news", "novel", "law"))
        lines.append(f"{token}\t{genre}\t{draw.betavariate(2, 5):.3f}\tIn {draw.random()} the {token} stands.")
    head = "token\tgenre\tcomplexity\tsentence"
    (folder / "files" / "1.tsv").write_text("\n".join([head, *lines[:instances]]) + "\n", "utf-8")
    config = {
        "out": "results",
        "complexity": {
            "load": {"inputs": "files", "layout": "tsv", "language": "en"},
            "split": {"method": "balanced"},
            "features": {"use": ["form"]},
            "score": {"scorer": "ridge", "resamples": 0},
        },
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    measured(checkout, "run", str(folder / "config.yaml"), processes=0)
    before = open_snapshot(str(folder / "results"))
    (folder / "files" / "2.tsv").write_text("\n".join([head, *lines[instances:]]) + "\n", "utf-8")
    words = ["--freeze-splits"] if frozen else []
    measured(checkout, "refresh", str(folder / "config.yaml"), *words, processes=0)
    after = open_snapshot(str(folder / "results"))
    distance = max(row["distance"] or 0.0 for row in after.read("complexity/strata").to_pylist() if row["genre"] == "")
    return {"rows": _rows(before, after), "distance": distance}


def _nights(checkout: Checkout, work: Path, tokens: int, nights: int) -> Iterator[dict[str, Any]]:
    folder, later = _sample(checkout, work, tokens, 4)  # a quarter of the files comes night by night
    out, config = folder / "results", str(folder / "config.yaml")
    a_night = max(len(later) // nights, 1)
    for night in range(nights + 1):
        for path in later[(night - 1) * a_night : night * a_night] if night else ():
            path.rename(folder / "corpus" / path.name)
        found = measured(checkout, "refresh", config, "--keep", "used", processes=0)
        held = {path.stat().st_ino: path.stat().st_size for path in out.rglob("*") if path.is_file()}
        snapshots = [path for path in (out / "_snapshots").iterdir() if path.is_dir()]
        yield {
            **{name: found[name] for name in ("cpu", "wall", "load", "stages", "driver")},
            "documents": sum(1 for _ in (folder / "corpus").iterdir()),
            "disk": sum(held.values()),
            "artefacts": sum(map(len, _receipts(out).values())),
            "snapshots": len(snapshots),
            "published": folder_sizes(out)["published"],
        }


def stage_lines(row: Row) -> str:
    """Return the table of CPU by stage: of the run of everything, and of the refresh after a hundredth more."""
    whole, again = row["whole"], row["again"]
    total = sum(stage["cpu"] for stage in whole["stages"].values())
    body = []
    for name in sorted({*whole["stages"], *again["stages"]}):
        first, second = (found["stages"].get(name, {"cpu": 0.0})["cpu"] for found in (whole, again))
        made, of = row["artefacts"].get(name, (0, 0))
        body.append([f"`{name}`", number(first), number(second), f"{made} of {of}"])
    for label, names in (("all stages", None), ("all but training", {TRAINING})):
        sums = [_sum(found["stages"], names or ()) for found in (whole, again)]
        body.append([f"**{label}**", number(sums[0]), f"{number(sums[1])}, {100 * sums[1] / total:.1f} % of a run", ""])
    rest = [found["cpu"] - _sum(found["stages"], ()) for found in (whole, again)]
    body.append(["beside stages: start, lookups, graph, publication", *map(number, rest), ""])
    return table(["CPU seconds", "run of everything", "refresh", "artefacts made"], body)


def _sum(stages: Mapping[str, Mapping[str, float]], without: Sequence[str] | set[str]) -> float:
    return sum(stage["cpu"] for name, stage in stages.items() if name not in without)


def share_lines(rows: Sequence[Row]) -> str:
    """Return the table of rows that differ after a hundredth more, of several runs."""
    body = []
    for name, found in sorted({name: found for row in rows for name, found in row["rows"].items()}.items()):
        counts = [found.get(kind, 0) for kind in ("added", "removed", "changed")]
        share = 100 * sum(counts) / max(found["rows"], 1)
        body.append([f"`{name}`", f"{found['rows']:,}", *(f"{count:,}" for count in counts), f"{share:.1f} %"])
    return table(["table", "rows before", "added", "removed", "changed", "share"], body)


def night_lines(rows: Sequence[Row]) -> str:
    """Return the table of some of the nights."""
    body = [
        [
            row["night"],
            f"{row['documents']:,}",
            number(row["cpu"]),
            number(row["disk"] / 1e6),
            f"{row['artefacts']:,}",
            row["snapshots"],
        ]
        for row in rows
        if row["night"] in (0, 1, 2, 3) or row["night"] % 5 == 0
    ]
    return table(["night", "documents", "CPU, s", "folder, MB", "artefacts", "snapshots"], body)


def main() -> int:
    """Print the tables, and write the plot into a folder."""
    from benchmarks.scale.plots import Point, svg

    rows = Results(Path(sys.argv[1])).rows
    for row in (row for row in rows if row["case"] in ("share", "tables", "texts")):
        print(f"{row['size']:,} tokens, {row['files']} files more, at {row['commit']}\n\n{stage_lines(row)}\n")
        print(share_lines([row]))
    for row in (row for row in rows if row["case"] == "splits"):
        print(f"{row['size']:,} instances, frozen {row['frozen']}, distance {row['distance']:.4f}\n")
        print(share_lines([row]))
    nights = sorted((row for row in rows if row["case"] == "night"), key=lambda row: row["night"])
    print(night_lines(nights))
    points = [
        Point(line, row["night"], value)
        for row in nights
        for line, value in (
            ("CPU, s", row["cpu"]),
            ("of it training, s", row["stages"].get(TRAINING, {"cpu": 0.0})["cpu"]),
            ("folder, MB", row["disk"] / 1e6),
            ("artefacts, hundreds", row["artefacts"] / 100),
        )
    ]
    picture = svg(points, x="night", y="", logarithmic=False)
    (Path(sys.argv[2]) / "refresh-nights.svg").write_text(picture, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
