"""Panels of every kind, with text that would be code if it were not escaped."""

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.transforms.report.charts import bands, bars_across, bars_over_time, cloud, lines, paths, series
from lexbeam.transforms.report.panels import Chart, Choice, Note, Rows, UsesPanel

HOSTILE = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
WORDS = 250


def hostile(number):
    return HOSTILE if number == 3 else f"word {number}"


def charts():
    years = pa.table(
        {
            "from": [1800, 1810, 1800],
            "before": [1810, 1820, 1810],
            "tokens": [5, 7, 2],
            "genre": ["law", "law", HOSTILE],
        }
    )
    sources = pa.table({"source": [HOSTILE, "b"], "tokens": [5, 2]})
    growth = pa.table({"tokens": [1, 2, 3], "unit": ["forms"] * 3, "words": [1, 2, 2]})
    points = pa.table(
        {
            "word": [hostile(n) for n in range(50)],
            "uses": list(range(1, 51)),
            "score": [n / 50 for n in range(50)],
            "kind": ["one", "two"] * 25,
            "null": [None if n == 7 else n / 60 for n in range(50)],
            "label": [hostile(n) if n < 5 or n == 49 else "" for n in range(50)],
            "narrow": [hostile(n) if n in (0, 49) else "" for n in range(50)],
        }
    )
    kinds = {"one": "var(--c2)", "two": "var(--c8)"}
    return [
        Chart("Time", "Tokens", bars_over_time("from", "before", "tokens", colour="genre"), years),
        Chart("Sources", "Largest", bars_across("source", "tokens", number=2), sources),
        Chart("Growth", "Words", lines("tokens", "words", colour="unit"), growth),
        Chart(
            "Cloud",
            "Scores",
            cloud("uses", "score", behind="null", name="word", label=("label", "narrow"), colour="kind", values=kinds),
            points,
        ),
    ]


def tables():
    numbers = range(WORDS)
    words = pa.table(
        [
            [hostile(n) for n in numbers],
            [n * 37 % WORDS / 7 for n in numbers],
            [None if n == 5 else n * 1_000 for n in numbers],
            [n % 2 == 0 for n in numbers],
        ],
        schema=pa.schema(
            [
                column("word", pa.string(), HOSTILE),
                column("score", pa.float64(), "distance"),
                column("uses", pa.int64(), "uses"),
                column("ranked", pa.bool_(), "whether ranked"),
            ]
        ),
    )
    near = pa.table(
        {
            "word": ["sea"] * 3 + [HOSTILE] * 2,
            "slice": ["old", "old", "new", "old", "new"],
            "neighbour": ["ship", "sail", "beach", HOSTILE, "none"],
        }
    )
    return [
        Rows("Words", "A row is a word.", words),
        Choice("Neighbours", "Near words.", near, key="word", across="slice"),
        Note("Warnings", HOSTILE, (HOSTILE,), warning=True),
    ]


def chosen():
    """Panels of which one thing is shown, which is chosen from a list."""
    scores = pa.table(
        {
            "pair": ["a to b"] * 3 + ["b to c"],
            "word": ["sea", HOSTILE, "c", "d"],
            "score": [0.5, 0.4, 0.3, 0.2],
            "less": [0.4, 0.3, 0.2, 0.1],
            "more": [0.6, 0.5, 0.4, 0.3],
            "mean": [0.2, None, 0.2, 0.2],
            "high": [0.3, None, 0.3, 0.3],
            "kind": ["one", "two", "two", "one"],
        }
    )
    kinds = {"one": "var(--c2)", "two": "var(--c8)"}
    drawn = bands("word", "score", null=("mean", "high"), noise=("less", "more"), colour="kind", values=kinds, number=3)
    way = pa.table(
        {
            "word": ["sea"] * 4 + [HOSTILE] * 3,
            "slice": ["old", "old", "new", "new"] + ["old"] * 3,
            "name": ["old", "ship", "new", HOSTILE, "old", "b", "new"],
            "order": [1, 0, 2, 0, 1, 0, 2],
            "x": [0.5, 0.4, -0.5, -1.0, 0.1, 0.2, 0.3],
            "y": [0.5, 0.1, -0.5, 1.0, 0.1, 0.2, 0.3],
        }
    )
    plane = paths("x", "y", name="name", stage="slice", order="order", values=["old", "new"])
    over = pa.table(
        {
            "word": ["sea"] * 3 + [HOSTILE] * 3,
            "slice": ["1", "2", "3"] * 2,
            "measured": ["first"] * 6,
            "distance": [None, 0.2, 0.3, 0.5, 0.1, None],
            "high": [None, 0.2, 0.2, 0.2, 0.1, None],
        }
    )
    line = series("slice", "distance", null="high", colour="measured", values=["first"], names=["1", "2", "3"])
    uses = pa.table(
        {
            "word": ["sea", "sea", HOSTILE],
            "slice": ["old", "new", "new"],
            "before": ["by the", HOSTILE, "a"],
            "use": ["sea", "Sea", HOSTILE],
            "after": [HOSTILE, "is", "b"],
            "from": ["Ann, 1801", HOSTILE, "c"],
        }
    )
    return [
        Chart("Bands", "Scores", drawn, scores, key="pair"),
        Chart("Ways", "Words", plane, way, key="word"),
        Chart("Series", "Lines", line, over, key="word"),
        UsesPanel("UsesPanel", "Words in context", uses),
        *crowded(),
    ]


SLICES = [f"{1800 + 50 * n}-{1849 + 50 * n}" for n in range(5)]
FINDINGS = ("more than the vocabulary at large", "usage differs", "not told from chance", "no finding")


def crowded():
    """Charts with more than a narrow window holds: long names in legends, five slices, a label at the edge."""
    scores = pa.table({"word": list("abcd"), "score": [0.4, 0.3, 0.2, 0.1], "finding": FINDINGS})
    colours = {name: f"var(--c{n + 1})" for n, name in enumerate(FINDINGS)}
    rows = bands("word", "score", null=None, noise=None, colour="finding", values=colours, number=4)
    measured = ["to the slice before", "to the first slice", "to the last slice"]
    over = pa.table(
        {
            "slice": SLICES * 3,
            "measured": [name for name in measured for _ in SLICES],
            "distance": [n / 20 for n in range(15)],
            "high": [n / 30 for n in range(15)],
        }
    )
    lines_of = series("slice", "distance", null="high", colour="measured", values=measured, names=SLICES)
    way = pa.table(
        {
            "slice": SLICES,
            "name": SLICES,
            "order": [1, 2, 3, 4, 5],
            "x": [-1.0, -0.5, 0.0, 0.5, 1.0],
            "y": [0.0, 0.5, -0.5, 0.2, 0.1],
        }
    )
    plane = paths("x", "y", name="name", stage="slice", order="order", values=SLICES)
    return [
        Chart("Findings", "Scores", rows, scores),
        Chart("Five slices", "Lines", lines_of, over),
        Chart("A way of five", "Slices", plane, way),
    ]
