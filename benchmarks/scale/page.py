"""docs/scale.md: its tables and plots, made from measured runs and from nothing else."""

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.scale import merging, paper, prose
from benchmarks.scale.figures import STEPS, Row, flatness, marginal, medians, select, slope, steps
from benchmarks.scale.memory import BOUND
from benchmarks.scale.plots import Point, svg
from lexbeam.transforms.common.store.staged import MOST_OPEN

Parts = Mapping[str, Sequence[Row]]

LABELS = ("before", "after")
MOST_SLOPE, MOST_GROWTH = 1.05, 0.2
MIB = 1 << 20
MOST_LOAD = 3.0  # of two processes and what watches them: with more, cores were not free
SHARE = 0.02  # of a run's CPU: the slope of less is that of noise


def told(text: str, **values: object) -> str:
    """Return paragraphs with values in them, lines filled; what is indented, or a heading, stays as it is."""
    paragraphs = text.format(**values).strip("\n").split("\n\n")
    filled = [
        part if part.startswith(("    ", "#")) else textwrap.fill(" ".join(part.split()), 120) for part in paragraphs
    ]
    return "\n\n".join(filled) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table of Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    """Return a number to three digits, or whole; from ten million on, millions to two digits.

    >>> number(1234567.0), number(12.34), number(0.01234), number(1.234e10)
    ('1,234,567', '12.3', '0.0123', '12,000 M')
    """
    if value in (0, math.inf):
        return "0" if value == 0 else "never"
    if abs(value) >= 1e7:
        return f"{float(f'{value:.2g}') / 1e6:,.0f} M"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _known(rows: Sequence[Row], case: str) -> Iterator[tuple[str, Sequence[Row]]]:
    for label in LABELS:
        if found := select(rows, case=case, label=label):
            yield label, found


_SIZES: Mapping[str, tuple[Callable[[Row], float], float]] = {
    "driver, MiB": (lambda row: row["driver_peak"], MIB),
    "worker, MiB": (lambda row: row["worker_peak"], MIB),
    "graph, kB": (lambda row: row["graph"], 1000),
    "manifest, kB": (lambda row: row["manifest"], 1000),
    "shuffled, MB": (lambda row: row["sent"], 1_000_000),
}


def growth_table(rows: Sequence[Row], case: str, unit: str) -> str:
    """Return CPU by step and what should be flat, a line for each size and checkout."""
    body = []
    shown = [step for step in STEPS if any(steps(row)[step] > 0 for row in select(rows, case=case))]
    for label, found in _known(rows, case):
        by_step = {step: medians(found, lambda row, step=step: steps(row)[step]) for step in shown}
        sizes = {name: medians(found, value) for name, (value, _) in _SIZES.items()}
        for size, cpu in medians(found, lambda row: row["cpu"]).items():
            body.append(
                [f"{size:,}", label, number(cpu)]
                + [number(by_step[step][size]) for step in shown]
                + [number(sizes[name][size] / scale) for name, (_, scale) in _SIZES.items()]
            )
    return table([unit, "", "CPU", *shown, *_SIZES], body)


def verdicts(rows: Sequence[Row], case: str) -> str:
    """Return slopes of CPU, and by how much grows what should be flat, each against its bound."""
    body: list[list[str]] = []
    of_label = dict(_known(rows, case))
    measured = {label: _verdicts(found) for label, found in of_label.items()}
    names = list(dict.fromkeys(name for found in measured.values() for name in found))
    if not names:
        return "One size alone: nothing is told of growth.\n"
    for name in names:
        body.append([name, *(measured[label].get(name, "") for label in of_label)])
    return table(["", *of_label], body)


def _verdicts(rows: Sequence[Row]) -> dict[str, str]:
    found = {}
    cpu = medians(rows, lambda row: row["cpu"])
    if len(cpu) < 2:
        return {}
    largest = max(cpu)
    values = {"slope of CPU": cpu}
    for step in STEPS:
        of_step = medians(rows, lambda row, step=step: steps(row)[step])
        if of_step[largest] >= SHARE * cpu[largest] and min(of_step.values()) > 0:
            values[f"slope of {step}"] = of_step
    for name, by_size in values.items():
        steep = slope(list(by_size), list(by_size.values()))
        found[name] = f"{steep:.2f}" + ("" if steep <= MOST_SLOPE else " (missed)")
    for name in ("driver_peak", "worker_peak", "graph", "manifest"):
        grows = flatness(list(medians(rows, lambda row, name=name: row[name]).values()))
        shown = {"driver_peak": "memory of the driver", "worker_peak": "memory of a worker"}.get(name, name)
        missed = grows > MOST_GROWTH and name != "manifest"
        found[f"growth of {shown}"] = f"{grows:.0%}" + (" (missed)" if missed else "")
    return found


def _tokens(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Tokens\n"
    yield told(prose.TOKENS)
    for case, what in (("none", "Annotated input (CoNLL-U), engine `none`"), ("builtin:en", "Text, `builtin:en`")):
        if select(rows, case=case):
            yield f"### {what}\n"
            yield growth_table(rows, case, "tokens")
            yield verdicts(rows, case)
            yield a_million(rows, case)
            yield f"![CPU seconds by tokens](pictures/{_name('tokens', case)})\n"


def a_million(rows: Sequence[Row], case: str) -> str:
    """Return the CPU of a further million tokens, from the smallest size to the largest."""
    found = {
        label: 1e6 * marginal(of_label, lambda row: row["cpu"], lambda row: row["size"])
        for label, of_label in _known(rows, case)
        if len(medians(of_label, lambda row: row["cpu"])) > 1
    }
    return table(["", *found], [["a further million tokens, seconds of CPU", *map(number, found.values())]])


def _files(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Files\n"
    yield told(prose.FILES)
    for case, what in (("files", "Each a file"), ("packed", "The same in ten files")):
        if select(rows, case=case):
            yield f"### {what}\n"
            yield growth_table(rows, case, "documents")
            yield verdicts(rows, case)
    if select(rows, case="files"):
        yield f"![CPU seconds by files](pictures/{_name('files', 'files')})\n"
    yield "### What a file costs by itself\n"
    yield told(prose.A_FILE)
    yield _a_file(rows)


def _a_file(rows: Sequence[Row]) -> str:
    body: list[list[object]] = []
    for label in LABELS:
        files, packed = (select(rows, case=case, label=label) for case in ("files", "packed"))
        both = {row["size"] for row in files} & {row["size"] for row in packed}
        if len(both) < 2:
            continue
        files, packed = ([row for row in some if row["size"] in both] for some in (files, packed))
        for step in (*STEPS, "open", "digest"):
            many, few = (
                marginal(some, lambda row, step=step: {**steps(row), **row["within"]}.get(step, 0.0), _size)
                for some in (files, packed)
            )
            if many * 1e6 >= 1:
                ratio = number(many / few) if few > 0 else ""
                body.append([f"{step}, {label}", number(many * 1e6), number(few * 1e6), ratio])
    for bare in sorted(select(rows, case="bare"), key=_size)[-1:]:
        for step in ("stat", "open", "read", "digest"):
            body.append([f"bare loop, {step}", number(bare[step] / bare["size"] * 1e6), "", ""])
    return table(["step", "files, us", "ten files, us", "ratio"], body)


def _size(row: Row) -> float:
    return float(row["size"])


def _refresh(rows: Sequence[Row]) -> Iterator[str]:
    yield "## One file more\n"
    yield told(prose.REFRESH)
    body = []
    for row in rows:
        first = select(rows, case="first run", label=row["label"], size=row["size"])[0]
        made = ", ".join(f"{name.partition('/')[2]} {count}" for name, count in sorted(row["made"].items()))
        share = f"{row['cpu'] / first['cpu']:.0%}"
        body.append([f"{row['size']:,}", row["label"], row["case"], made or "nothing", number(row["cpu"]), share])
    yield table(["files", "", "run", "made", "CPU", "of the first run's"], body)


def _gather(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Pieces of work under one key\n"
    yield told(prose.GATHER)
    body = []
    for case, what in (("lanes", "dealt out to lanes"), ("result", "handed back to the driver")):
        for label, found in _known(rows, case):
            peaks = medians(found, lambda row: row["peak"])
            for size, cpu in medians(found, lambda row: row["cpu"]).items():
                body.append([what, label, f"{size:,}", number(cpu), number(peaks[size] / MIB)])
    yield table(["pieces", "", "how many", "CPU", "peak, MiB"], body)


def _merging(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Merges\n"
    shape = {"documents": merging.DOCUMENTS, "words": merging.SENTENCES * merging.WORDS, "parts": merging.PARTS}
    yield told(prose.MERGING, most=MOST_OPEN, **shape)
    body = []
    for label, found in _known(rows, "merge"):
        grown, most = (medians(found, lambda row, name=name: row[name]) for name in ("grown", "open"))
        for size, cpu in medians(found, lambda row: row["cpu"]).items():
            documents = size * merging.DOCUMENTS
            each = number(1000 * cpu / documents)
            body.append([f"{size:,}", label, f"{documents:,}", each, f"{most[size]:,.0f}", number(grown[size] / MIB)])
    yield table(["files", "", "documents", "CPU, ms a document", "open at most", "memory, MiB"], body)


def _memory(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Memory\n"
    yield told(prose.MEMORY, bound=BOUND / (1 << 30))
    body = [
        [f"{row['size']:,}", row["label"], row["case"]]
        + [number(row[name] / MIB) for name in ("peak", "driver_peak", "worker_peak")]
        + [number(row["cpu"])]
        for row in rows
    ]
    yield table(["tokens", "", "command", "all, MiB", "driver, MiB", "worker, MiB", "CPU"], body)


def _intake(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Files of other tasks\n"
    yield told(prose.INTAKE)
    values: tuple[tuple[str, float], ...] = (("cpu", 1), ("driver_peak", MIB), ("graph", 1000), ("manifest", 1000))
    body = []
    for label, found in _known(rows, "pairs"):
        columns = [medians(found, lambda row, name=name, unit=unit: row[name] / unit) for name, unit in values]
        body += [[f"{size:,}", label, *(number(column[size]) for column in columns)] for size in columns[0]]
    yield table(["files", "", "CPU", "driver, MiB", "graph, kB", "manifest, kB"], body)


def _cut(rows: Sequence[Row]) -> Iterator[str]:
    yield "## One large file\n"
    yield told(prose.CUT)
    body = [[f"{size / 1e6:,.0f} MB", *cells] for size, *cells in _one_and_two(rows)]
    yield table(["file", "", "one process, s", "two, s", "times"], body)
    passes = select(rows, label="after", case="pass")
    if passes:
        yield told(prose.CUT_PASS)
        names = ("pass", "digest", "pieces")
        found = [medians(passes, lambda row, name=name: row[name]) for name in names]
        body = []
        for size in found[0]:
            passed, digest, pieces = (by_size[size] for by_size in found)
            gain = (passed + pieces) / (passed + pieces / 2)
            body.append([f"{size / 1e6:,.0f} MB", *map(number, (digest, passed, pieces)), f"{gain:.2f}"])
        yield table(["file", "SHA-256, s", "the pass, s", "its pieces, s", "times on two"], body)


def _one_and_two(rows: Sequence[Row]) -> Iterator[tuple[int, str, str, str, str]]:
    """Yield the size, the label, seconds with one at work and with two, and how many times as fast two are."""
    for label in LABELS:
        for size in sorted({row["size"] for row in select(rows, label=label)}):
            one, two = (
                medians(select(rows, label=label, size=size, case=case), lambda row: row["taking"]).get(size)
                for case in ("1", "2")
            )
            if one and two:
                load = max(row.get("load", math.inf) for row in select(rows, label=label, size=size, case="2"))
                times = f"{one / two:.2f}" if load <= MOST_LOAD else "not told"
                yield size, label, number(one), number(two), times


def _cluster(rows: Sequence[Row]) -> Iterator[str]:
    yield "## TaskManagers\n"
    yield told(prose.CLUSTER)
    body = [[f"{size:,}", *cells] for size, *cells in _one_and_two(rows)]
    yield table(["tokens", "", "one TaskManager, s", "two, s", "times"], body)
    if found := select(rows, case="memory"):
        yield told(prose.CLUSTER_MEMORY)
        shown = ("driver_peak", "worker_peak")
        body = [[f"{row['size']:,}", row["label"], *(number(row[name] / MIB) for name in shown)] for row in found]
        grown = [f"{flatness([row[name] for row in found]):.0%}" for name in shown]
        yield table(["tokens", "", "driver, MiB", "worker, MiB"], [*body, ["growth", "", *grown]])


def _paper(parts: Parts) -> Iterator[str]:
    corpus = paper.PAPER
    found: dict[str, dict[str, str]] = {}
    breaks: list[list[object]] = []
    for label in LABELS:
        long, packed, files = (
            select(parts[part], case=case, label=label)
            for part, case in (("tokens", "none"), ("files", "packed"), ("files", "files"))
        )
        gathered = select(parts["gather"], label=label)
        if any(len({row["size"] for row in rows}) < 2 for rows in (long, packed, files, gathered)):
            continue
        piece = paper.piece_cost(gathered)
        costs = paper.unit_costs(long, packed, files)
        own = paper.with_parts(corpus, long)
        for what, value, unit in paper.on_paper(costs, piece, own):
            found.setdefault(f"{what}{', ' if unit else ''}{unit}", {})[label] = number(value)
        breaks += [
            [limit.what, label, limit.bound, number(limit.documents), number(limit.small_files)]
            for limit in paper.limits(costs, piece, own)
        ]
    shown = [label for label in LABELS if any(label in values for values in found.values())]
    if not shown:
        return
    yield "## Ten terabytes on paper\n"
    yield told(prose.PAPER, corpus=corpus, terabytes=corpus.bytes / 1e12, memory=corpus.memory / (1 << 30))
    yield table(["", *shown], [[what, *(values.get(label, "") for label in shown)] for what, values in found.items()])
    yield told(prose.BREAKS)
    yield table(["what", "", "bound", "documents", "each a file"], breaks)


def _commit(parts: Parts, label: str) -> str:
    """Return the commits that were measured, each with the parts that it was measured for, and with which sizes."""
    measured: dict[str, list[str]] = {}
    for part, rows in parts.items():
        sizes: dict[str, set[int]] = {}
        for row in select(rows, label=label):
            if "commit" in row:
                sizes.setdefault(row["commit"], set()).add(row["size"])
        for commit, some in sizes.items():
            of_sizes = f" of {' and '.join(f'{size:,}' for size in sorted(some))}" if len(sizes) > 1 else ""
            measured.setdefault(commit, []).append(part + of_sizes)
    return ", ".join(f"`{commit}` ({'; '.join(named)})" for commit, named in measured.items()) or "not measured yet"


def page(parts: Parts) -> str:
    """Return the page."""
    commits = {label: _commit(parts, label) for label in LABELS}
    pieces = [told(prose.HEAD, **commits), told(prose.STEPS, slope=MOST_SLOPE, growth=MOST_GROWTH)]
    for name, section in (
        ("tokens", _tokens),
        ("files", _files),
        ("refresh", _refresh),
        ("gather", _gather),
        ("merging", _merging),
        ("memory", _memory),
        ("cut", _cut),
        ("cluster", _cluster),
        ("intake", _intake),
    ):
        if parts[name]:
            pieces += section(parts[name])
    pieces += _paper(parts)
    return "\n".join(pieces)


def _name(part: str, case: str) -> str:
    return f"scale-{part}-{case.partition(':')[0]}.svg"


def pictures(parts: Parts) -> dict[str, str]:
    """Return the plots by the names of their files."""
    drawn = {}
    for part, case, unit in (
        ("tokens", "none", "tokens"),
        ("tokens", "builtin:en", "tokens"),
        ("files", "files", "files"),
    ):
        points: list[Point] = []
        values: dict[str, Callable[[Row], float]] = {
            "all": lambda row: row["cpu"],
            **{step: (lambda row, step=step: steps(row)[step]) for step in ("ingest", "annotate", "merge")},
        }
        for label, found in _known(parts[part], case):
            for name, value in values.items():
                points += [Point(f"{name}, {label}", size, cpu) for size, cpu in medians(found, value).items()]
        if points:
            drawn[_name(part, case)] = svg(points, x=unit, y="CPU seconds")
    return drawn


def write_page(docs: Path, parts: Parts) -> None:
    """Write the page and its plots."""
    (docs / "scale.md").write_text(page(parts), "utf-8")
    for name, drawn in pictures(parts).items():
        (docs / "pictures" / name).write_text(drawn, "utf-8")
