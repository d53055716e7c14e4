"""How much of a change evidence finds, by uses and by the share of them that changed.

    lexbeam corpus $D/sotu --out sotu --exclude '*.csv' --format text --engine builtin:en \\
        --dates "table:$D/sotu/SOTU_metadata.csv:key=filename,date=Date,author=President"
    python -m benchmarks.evidence_power --corpus sotu --out trials --plot docs/tasks/change/pictures/power.png
    python -m benchmarks.evidence_power --corpus novels --slices 1840-1920 --out trials-novels --trials 2 --null 5 \\
        --seeds 3 --trainer fast
    python -m benchmarks.evidence_power --datings dated

The documents of some periods are dealt out to two dates at random, so that nothing has changed. Then pairs of
nouns (or `--pos`) of about equal frequency swap a share of their uses in the later slice. Twelve null pairs are made;
with fewer of them evidence is computed anew from what is published (`scores`, `change/nulls`), and so it is with null
scores pooled: by frequency alone, without the word's own; and with the scores of the first seed alone. The many words
that changed lower the bar of q for each other: what a word would be found by that changed alone, its p-values times all
words tested, is told beside. Null pairs are themselves pairs in which nothing changed: how many words lie above their
bands is told of each of them against others. A trial that is in `--out` is not made again.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.evidence import LATE, SLICES, TrialDocument, dealt, read_documents, run_trial
from lexbeam.transforms.change.scores import null_evidence
from lexbeam.transforms.change.scores.null_evidence import Evidence, PairScores, evidence_of

SHARES = (0.25, 0.5, 0.75, 1.0)
USES = (50, 100, 200, 400, 800)  # least uses of a class
MANY = 200  # least uses of the upper line of the plot
PAIRS = 8  # of nouns, in a class of uses
NULLS = 12
LEVEL = 0.05


class Swapped(NamedTuple):
    """Documents in which words swapped uses, and the share of each."""

    documents: list[TrialDocument]
    shares: dict[str, float]


def uses_class(uses: float) -> int | None:
    """Return the least uses of a word's class; None for fewer than any."""
    return max((least for least in USES if uses >= least), default=None)


def swapped(documents: list[TrialDocument], years: list[int], seed: int, pos: str = "NOUN") -> Swapped:
    """Let pairs of words of a part of speech swap a share of their uses in the later slice."""
    draw = random.Random(seed)
    counts: list[Counter[str]] = [Counter(), Counter()]
    for document, year in zip(documents, years, strict=True):
        for sentence in document.sentences:
            counts[year >= LATE].update(lemma for _, lemma, tag in sentence if tag == pos)
    classes: dict[int, list[str]] = defaultdict(list)
    for word in sorted(counts[0], key=lambda word: (counts[1][word], word)):
        least = uses_class(min(counts[0][word], counts[1][word]))
        if least is not None:
            classes[least].append(word)
    other: dict[str, str] = {}
    shares: dict[str, float] = {}
    for able in classes.values():
        starts = list(range(0, len(able) - 1, 2))
        draw.shuffle(starts)
        for number, start in enumerate(sorted(starts[:PAIRS])):
            first, second = able[start : start + 2]
            other |= {first: second, second: first}
            shares |= dict.fromkeys((first, second), SHARES[(number + seed) % len(SHARES)])

    def changed(token: tuple[str, str, str]) -> tuple[str, str, str]:
        form, lemma, tag = token
        if tag == pos and lemma in other and draw.random() < shares[lemma]:
            return form, other[lemma], tag
        return token

    made = [
        document if year < LATE else document._replace(sentences=[list(map(changed, s)) for s in document.sentences])
        for document, year in zip(documents, years, strict=True)
    ]
    return Swapped(made, shares)


class Published(NamedTuple):
    """A pair as it is published: its rows of `scores`, all words, and what evidence is computed from."""

    rows: list[dict[str, Any]]
    words: list[str]
    real: PairScores
    nulls: list[PairScores]
    tested: npt.NDArray[np.bool_]


def published(change: Path, alignment: str = "op", seed: int | None = None) -> Published:
    """Return the only pair of a run by cosine, from tables `scores`, `slices` and `change/nulls`; None: all seeds."""
    current = change / "current"
    of = (pc.field("alignment") == alignment) & (pc.field("measure") == "cosine")
    which = pc.field("seed").is_null() if seed is None else pc.field("seed") == seed
    means = pq.read_table(current / "scores").filter(of & which)
    nulls = pq.read_table(current / "change" / "nulls").filter(of)
    words = pc.unique(pa.concat_arrays([means["word"].combine_chunks(), nulls["word"].combine_chunks()]))
    least = pc.min(pq.read_table(current / "slices")["documents"]).as_py()
    uses, documents = (
        np.minimum(means[f"{name}_from"].to_numpy(), means[f"{name}_to"].to_numpy()) for name in ("count", "documents")
    )
    real = _run(words, means, uses, documents, least)
    runs = []
    for number in sorted(pc.unique(nulls["null"]).to_pylist()):
        own = nulls.filter(pc.field("null") == number)
        runs.append(
            _run(words, own, own["uses"].to_numpy(), own["documents"].to_numpy(), own["slice_documents"][0].as_py())
        )
    tested = np.zeros(len(words), bool)
    tested[: means.num_rows] = pc.or_(means["ranked"], means["target"]).to_numpy()
    return Published(means.to_pylist(), words.to_pylist(), real, runs, tested)


def _run(
    words: pa.Array, rows: pa.Table, uses: npt.NDArray[np.int64], documents: npt.NDArray[np.int64], least: int
) -> PairScores:
    place = pc.index_in(rows["word"].combine_chunks(), value_set=words).to_numpy()
    scores = np.full(len(words), np.nan)
    scores[place] = rows["score"].to_numpy()
    held = [np.zeros(len(words), np.int64) for _ in range(2)]
    held[0][place], held[1][place] = uses, documents
    ranked = np.zeros(len(words), bool)
    ranked[place] = rows["ranked"].to_numpy()
    return PairScores(scores, held[0], held[1], ranked, least)


def weighed(pair: Published, nulls: int, pooled: bool) -> Evidence:
    """Return the evidence by the first null pairs; `pooled`: no word's own null scores count."""
    if not pooled:
        return evidence_of(pair.real, pair.nulls[:nulls], pair.tested)
    own = null_evidence._moderation  # the one step that knows a word's own null scores

    def by_all_words(null_r: Any, spread: Any) -> Any:
        return own(np.full_like(null_r, np.nan), spread)

    null_evidence._moderation = by_all_words
    try:
        return evidence_of(pair.real, pair.nulls[:nulls], pair.tested)
    finally:
        null_evidence._moderation = own


class Coverage(NamedTuple):
    """Shares of ranked words above the null band, and above mean and two standard deviations of their null scores."""

    band: float
    two_sd: float


def coverage(runs: Sequence[PairScores], untouched: npt.NDArray[np.bool_], nulls: int) -> list[Coverage]:
    """Return what lies above bands where nothing changed: of each run, against the next ones.

    Args:
        runs: pairs of slices in which the words did not change.
        untouched: the words that count.
        nulls: how many of the other runs are the nulls of one.
    """
    found = []
    for place, real in enumerate(runs):
        others = [runs[(place + step) % len(runs)] for step in range(1, nulls + 1)]
        told = evidence_of(real, others, real.ranked)
        known = untouched & ~np.isnan(told.null_high) & ~np.isnan(told.null_sd)
        scores = real.scores[known]
        two_sd = (told.null_mean + 2 * told.null_sd)[known]
        found.append(Coverage(float((scores > told.null_high[known]).mean()), float((scores > two_sd).mean())))
    return found


class Found(NamedTuple):
    """Whether a word is found: usage differs, both q-values say so, and both would if it alone had changed."""

    differs: bool
    both: bool
    alone: bool


Cells = dict[tuple[int | None, float], list[Found]]


def found_in(trials: Sequence[tuple[Published, dict[str, float]]], nulls: int, pooled: bool = False) -> Cells:
    """Return of words by class of uses and share swapped whether they are found."""
    cells: Cells = defaultdict(list)
    for pair, shares in trials:
        told = weighed(pair, nulls, pooled)
        tested = int((~np.isnan(told.p_value)).sum())
        for place, row in enumerate(pair.rows):
            if row["ranked"] and row["score"] is not None:
                differs = bool(told.q_value[place] <= LEVEL)
                both = differs and bool(told.q_relative[place] <= LEVEL)
                share = shares.get(row["word"], 0.0)
                least = uses_class(min(row["count_from"], row["count_to"]))
                alone = bool(max(told.p_value[place], told.p_relative[place]) * tested <= LEVEL)
                cells[least, share].append(Found(differs, both, alone))
    return cells


def interval(found: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927), which few words make wide, at 0 and 1, too."""
    z = 1.959964
    middle, half = found + z * z / 2, z * (found * (of - found) / of + z * z / 4) ** 0.5
    return (middle - half) / (of + z * z), (middle + half) / (of + z * z)


def _share(flags: Sequence[bool]) -> str:
    low, high = interval(sum(flags), len(flags))
    return f"{sum(flags)} ({low:.2f} to {high:.2f})"


def _tell(name: str, cells: Cells) -> None:
    print(f"\n{name}\n| uses | share swapped | words | q_value <= .05 | both q <= .05 | alone |")
    print("|---|---|---|---|---|---|")
    known = {key: found for key, found in cells.items() if key[0] is not None}
    for (least, share), found in [*sorted(known.items()), *sorted(_classed(cells).items())]:
        told = (_share(flags) for flags in zip(*found, strict=True))
        print(f"| {least} | {share} | {len(found)} | {' | '.join(told)} |")
    for share in (0.0, *SHARES):
        every = [one for (_, own), found in cells.items() if own == share for one in found]
        told = (f"{np.mean(flags):.4f}" for flags in zip(*every, strict=True))
        print(f"| all | {share} | {len(every)} | {' | '.join(told)} |")


def _classed(cells: Cells) -> Cells:
    """Return words by two classes of uses, few and many."""
    classed: Cells = defaultdict(list)
    for (least, share), found in cells.items():
        if least is not None:
            classed[MANY if least >= MANY else USES[0], share] += found
    return classed


def plot(cells: Cells, path: Path) -> None:
    """Draw the share of words found, with intervals, by the share of uses swapped, a line for few and for many uses."""
    import altair as alt

    rows = []
    for (least, share), found in _classed(cells).items():
        for place, by in enumerate(("usage differs (q_value)", "significant (both q-values)")):
            number = sum(one[place] for one in found)
            low, high = interval(number, len(found))
            # Intervals at one place would hide one another.
            at = share + (0.006 if least == MANY else -0.006)
            row = {"share": at, "found": number / len(found), "low": low, "high": high}
            rows += [{**row, "uses": _named(least), "by": by}] if share else []
    base = alt.Chart().encode(
        x=alt.X("share:Q", title="share of uses swapped", scale=alt.Scale(domain=[0.2, 1.02], nice=False)),
        color=alt.Color("uses:N", sort=[_named(USES[0]), _named(MANY)], title="uses in the smaller slice"),
    )
    line = base.mark_line(point=True).encode(
        y=alt.Y("found:Q", title="share of words found", scale=alt.Scale(domain=[0, 1]))
    )
    intervals = base.mark_rule(opacity=0.5).encode(y="low:Q", y2="high:Q")
    chart = alt.layer(line, intervals, data=alt.Data(values=rows)).properties(width=260, height=220)
    chart.facet(column=alt.Column("by:N", title=None, sort="descending")).save(str(path))


def _named(least: int | None) -> str:
    return f"{MANY} and more" if least == MANY else f"{USES[0]} to {MANY - 1}"


def _tell_coverage(nulls: int, every: Sequence[Coverage]) -> None:
    told = (f"{np.mean(v):.3f} ({min(v):.3f}, {max(v):.3f})" for v in zip(*every, strict=True))
    print(f"| {nulls} | {' | '.join(told)} |")


def _of_datings(folder: Path) -> None:
    """Tell what lies above bands in `benchmarks.evidence datings`, whose real pairs are random as well."""
    print(f"{folder}\n| nulls | share above the null band | above mean and two sd |\n|---|---|---|")
    every = []
    for change in sorted(folder.glob("*/change")):
        if (change / "current").exists():
            pair = published(change)
            runs = [pair.real, *pair.nulls]
            every += coverage(runs, np.ones(len(pair.words), bool), len(pair.nulls))
    _tell_coverage(len(pair.nulls), every)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--datings", type=Path, help="tell the bands of these trials of `benchmarks.evidence` alone")
    parser.add_argument("--trials", type=int, default=1)
    parser.add_argument("--slices", default=SLICES, help="periods whose documents are dealt")
    parser.add_argument("--pos", default="NOUN", help="part of speech of the words that swap uses")
    parser.add_argument("--null", type=int, default=NULLS)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--trainer", default="gensim")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    if given.datings:
        _of_datings(given.datings)
        return
    if not (given.corpus and given.out):
        parser.error("--corpus and --out are needed, or --datings")
    documents = read_documents(given.corpus / "current", given.slices)
    numbers = ["--null", str(given.null), "--seeds", str(given.seeds), "--trainer", given.trainer, "--alignment", "op"]
    trials, of_one_seed = [], []
    for number in range(given.trials):
        years = dealt(documents, "document", 4000 + number)
        made = swapped(documents, years, number, given.pos)
        folder = given.out / f"swapped-{number}"
        run_trial(folder, made.documents, years, numbers)
        trials.append((published(folder / "change"), made.shares))
        of_one_seed.append((published(folder / "change", seed=1), made.shares))
        print(f"trial {number}: {len(made.shares)} words swapped uses", flush=True)
    several = [nulls for nulls in (3, 5, 8, NULLS) if nulls <= given.null]
    for nulls in several:
        _tell(f"{nulls} nulls", found_in(trials, nulls))
        if given.seeds > 1:
            _tell(f"{nulls} nulls, one seed", found_in(of_one_seed, nulls))
        _tell(f"{nulls} nulls, pooled by frequency alone", found_in(trials, nulls, pooled=True))
    print("\n| nulls | share above the null band | above mean and two sd |\n|---|---|---|")
    for nulls in sorted({min(nulls, given.null - 1) for nulls in several}):
        every = []
        for pair, shares in trials:
            untouched = np.array([word not in shares for word in pair.words])
            every += coverage(pair.nulls, untouched, nulls)
        _tell_coverage(nulls, every)
    if given.plot:
        plot(found_in(trials, 5), given.plot)


if __name__ == "__main__":
    _main()
