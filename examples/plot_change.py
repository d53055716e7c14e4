"""From a folder of dated texts to a plot of the words that changed most, in Python alone.

    python examples/plot_change.py out/sample/corpus --out out/plot

writes `out/plot/change.svg`, and the tables to `out/plot/results`; called again, it makes only what has
changed. The texts are English, and their names begin with a year; `make run` writes those of the example.
The plot needs pandas and the extra `report`.
"""

import argparse
from pathlib import Path

import altair as alt

import lexbeam


def main() -> None:
    """Make the tables and the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--slices", default="1800-1849,1950-1999")
    parser.add_argument("--words", type=int, default=20)
    given = parser.parse_args()
    corpus = lexbeam.corpus(
        given.texts, out=given.out / "results", engine="builtin:en", dates=r"name:^(\d{4})", overwrite=True
    )
    results = lexbeam.change(corpus, slices=given.slices, alignment="op", seeds=3, overwrite=True)
    words = results.top(given.words).to_pandas()
    words["lower"] = words["score"] - words["score_sd"]
    words["upper"] = words["score"] + words["score_sd"]
    bars = alt.Chart(words).encode(y=alt.Y("word", sort=None, title=None))
    plot = bars.mark_bar(opacity=0.6).encode(x=alt.X("score", title="change (cosine distance)"))
    spread = bars.mark_rule().encode(x="lower", x2="upper")
    (plot + spread).properties(title=given.slices).save(given.out / "change.svg")
    print(given.out / "change.svg")


if __name__ == "__main__":
    main()
