"""Systems of SemEval-2020 Task 1 by name: how teams scored and classed words, as options of `lexbeam change`.

What a system sets can be given otherwise; then it differs by that, too (`system_settings`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import of_threshold
from lexbeam.schemas.change.systems import NO_SCORE, SYSTEM_SCORES
from lexbeam.transforms.change.scores.combining import Cuts
from lexbeam.transforms.change.scores.measures import COUNTS, FREQUENCY, MEASURES, NO_ALIGNMENT, of_usage
from lexbeam.transforms.change.scores.thresholds import RANKED, TARGETS, THRESHOLDS, CutOff
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.embeddings.joint.trainings import of_targets
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, SGNS

REGISTRY = "lexbeam.transforms.change.scores.named_systems:SYSTEMS"
# Reference words, as measures and thresholds name them, for people.
_WORDS = {"target": "targets", TARGETS: "targets", RANKED: "ranked words"}


@dataclass(frozen=True)
class NamedSystem(Entry):
    """A system.

    Attributes:
        source: who described it.
        measure: what words are scored by; empty: they have no score.
        threshold: above which they count as changed; empty: none has a class, or, without scores, none has changed.
        alignment: how spaces are aligned, for a measure that needs it.
        representation: how words become vectors, for a measure that compares them.
        options: other options that it sets, by name, where they are not given.
        differs: what differs from the description, and why.
    """

    source: str
    measure: str = ""
    threshold: str = ""
    alignment: str = NO_ALIGNMENT
    options: Mapping[str, Any] = field(default_factory=dict)
    differs: str = ""
    representation: str = SGNS

    @property
    def takes(self) -> str:
        """What it needs, for people."""
        what: list[str] = []
        uses: dict[str, list[str]] = {}  # of reference words
        if self.measure:
            measure = MEASURES[self.measure]
            if of_usage(self.measure):
                what.append("vectors, of targets alone" if of_targets(self.alignment) else "vectors")
                what += ["a compiled loop"] if REPRESENTATIONS[self.representation].check else []
            parts = [measure, *(MEASURES[name] for name in measure.parts)]
            what += ["counts"] if any(part.counted or part.takes == COUNTS for part in parts) else []
            if measure.over:
                uses.setdefault(_WORDS[measure.over], []).append("scores")
        if self.threshold:
            uses.setdefault(_WORDS[THRESHOLDS[self.threshold].over], []).append("classes")
        what += [f"{words}, for {' and '.join(made)}" for words, made in uses.items()]
        return "; ".join(what) or "nothing"

    @property
    def sets(self) -> dict[str, Any]:
        """The options that it sets beside alignment, measure and threshold, by name."""
        of_vectors = bool(self.measure) and of_usage(self.measure)
        return ({"representation": self.representation} if of_vectors else {}) | dict(self.options)

    @property
    def listed(self) -> str:
        """What a list of systems says of it."""
        return f"{self.source}. Needs {self.takes}"


_TASK = "Schlechtweg et al. 2020, baseline of the task"
_MEAN = "Classes are those above the mean over the targets, for the description of the task leaves them open."

SYSTEMS: Registry[NamedSystem] = Registry(
    {
        "freq": NamedSystem(
            _TASK, "frequency", "mean", differs=_MEAN, doc="absolute difference of relative frequencies"
        ),
        "count-ci-cd": NamedSystem(
            _TASK,
            "cosine",
            "mean",
            "column-intersection",
            differs=f"Window and frequency cut are Lexbeam's, for the description leaves them open. {_MEAN}",
            representation="count",
            doc="counts of contexts, column intersection, cosine distance",
        ),
        "majority": NamedSystem(_TASK, doc="no word has changed, and none has a score"),
        "uwb": NamedSystem(
            "Prazak et al. 2020, team UWB",
            "cosine",
            "mean",
            "cca",
            {"dim": 100, "window": 5, "epochs": 5, "min_count": (5,)},
            "Of the maps that they tried, this has canonical correlation.",
            doc="SGNS, canonical correlation, cosine distance",
        ),
        "circe": NamedSystem(
            "Poemsl and Lyapin 2020, team UG Student Intern",
            "euclidean",
            "mean",
            "op",
            {"dim": 300, "window": 10, "negative": 1, "min_count": (5,)},
            "SGNS alone, without the contextual model that CIRCE adds. The frequency cut is 5, for theirs hangs on the "
            f"number of lines (a 50,000th). Epochs and what else is of training are Lexbeam's defaults. {_MEAN}",
            doc="SGNS, orthogonal Procrustes, Euclidean distance of unit vectors",
        ),
        "cs2020": NamedSystem(
            "Arefyev and Zhikov 2020, team cs2020",
            "cosine",
            "mean",
            "op",
            differs="Their system of static vectors; that of lexical substitutes is contextual. Training has Lexbeam's "
            f"defaults. {_MEAN}",
            doc="SGNS, orthogonal Procrustes, cosine distance",
        ),
        "temporalteller": NamedSystem(
            "Zhou and Li 2020, team Jiaxin & Jinan",
            "cosine",
            "gamma",
            "tr",
            {"threshold_quantile": 0.75},
            "The gamma distribution begins at 0. Training has Lexbeam's defaults.",
            doc="SGNS, temporal referencing, cosine distance, classes by the quantile of a gamma distribution",
        ),
        "dcc": NamedSystem(
            "Zamora-Reina and Bravo-Marquez 2020, team DCC",
            "cosine",
            "mean",
            "tr",
            differs=f"Training has Lexbeam's defaults. {_MEAN}",
            doc="SGNS, temporal referencing, cosine distance",
        ),
        "ims": NamedSystem(
            "Kaiser et al. 2020, team IMS",
            "cosine",
            "mean",
            "vi",
            differs=f"They compare numbers of dimensions; training has Lexbeam's defaults. {_MEAN}",
            doc="SGNS, vector initialisation, cosine distance",
        ),
        "entity": NamedSystem(
            "Jain 2020, team Entity",
            "cosine",
            "mean",
            "op",
            differs="Spaces are aligned by orthogonal Procrustes, where theirs go on from the one before: GloVe begins "
            "at random here. Squares of gradients are added up as AdaGrad has them; the authors' code of GloVe scales "
            f"gradients by .05 before, so that its rates fall more slowly. {_MEAN}",
            representation="glove",
            doc="GloVe, orthogonal Procrustes, cosine distance",
        ),
        "discovery": NamedSystem(
            "Martinc et al. 2020, Discovery Team",
            "cosine",
            "mean",
            "op",
            differs="Their static vectors alone, not contextual ones and ensembles. Training has Lexbeam's defaults. "
            f"{_MEAN}",
            doc="SGNS, orthogonal Procrustes, cosine distance",
        ),
        "life-language": NamedSystem(
            "Asgari et al. 2020, team Life-Language",
            "pivots",
            "mean",
            differs="How pivots are chosen, profiles (exp of cosine, as shares) and their Jensen-Shannon divergence "
            "are Lexbeam's, for the description leaves them open. Classes are those above the mean over the targets, "
            "where theirs compare with the scores of unstable pivots. Training has Lexbeam's defaults.",
            doc="SGNS, divergence of a word's profile of cosines to stable pivots in two unaligned spaces",
        ),
        "rpi-trust": NamedSystem(
            "Gruppi et al. 2020, team RPI-Trust",
            "ecdf-ranked",
            "mean-sd-ranked",
            "op",
            {"threshold_sd": 1.0},
            "Distribution functions are over ranked words. Neighbours are 24 by cosine, where their code takes ten by "
            "Euclidean distance. Change of frequency is the absolute log2 ratio, and an anomaly a score over the mean "
            "+ one standard deviation, for the description leaves both open. Training has Lexbeam's defaults.",
            doc="SGNS, orthogonal Procrustes, mean of the distribution functions of cosine distance, mapped neighbours "
            "and change of frequency",
        ),
        "ucd": NamedSystem(
            "Nulty and Lillis 2020, team UCD",
            "resistance",
            "mean",
            options={"alignment": ("column-intersection",), "shift": 5.0},
            differs="The graph has the 300 most frequent words beside the one compared, in place of all; only that one "
            "has a node for each slice, and what others, targets too, are joined by is the mean of both slices. Edges "
            "are those above the logarithm of 5, for the description does not give their threshold; they conduct what "
            "is over it, and not the whole information. Counts of contexts are smoothed by a power of .75. Classes are "
            "those above the mean over the targets, for the description does not give the threshold that they set by "
            "hand.",
            representation="ppmi",
            doc="graph of pointwise mutual information with a node of the word for each slice, resistance distance",
        ),
        "uob": NamedSystem(
            "Sarsfield and Tayyar Madabushi 2020, team UoB",
            "topics",
            "mean",
            options={"alignment": ("column-intersection",)},
            differs="One hierarchical Dirichlet process of the contexts of frequent words, in place of one of the uses "
            "of each target, and the divergence of topics in place of the novelty of the most novel one. "
            f"{_MEAN}",
            representation="count",
            doc="hierarchical Dirichlet process of contexts, divergence of topics",
        ),
        "rijp": NamedSystem(
            "Iwamoto and Yukawa 2020, team RIJP",
            "gaussian",
            "mean",
            "vi",
            differs="How covariances tell the change of frequency is left open, and so is the direction: here a "
            "variance is the relative frequency over the mean of both, and the divergence that of the earlier "
            "distribution from the later one. Means are brought to length 1. Training has Lexbeam's defaults. "
            f"{_MEAN}",
            doc="SGNS, vector initialisation, divergence of normal distributions as wide as a word is frequent",
        ),
        "random": NamedSystem(
            "Cassotti et al. 2020, team Random",
            "cosine",
            "mixture",
            differs="Temporal random indexing and cosine alone, of the dynamic representations and measures (also "
            "Pearson correlation and neighbourhood similarity) that they tried. Window and random vectors are "
            "Lexbeam's.",
            representation="ri",
            doc="temporal random indexing, cosine distance, classes by a mixture of two normal distributions",
        ),
    },
    what="system",
    group="lexbeam.systems",
)


def shown_value(value: Any) -> str:
    """Return the value of an option as the command line takes it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def system_rows(
    rows: pa.Table, systems: Mapping[str, NamedSystem], thresholds: Sequence[str], cuts: Cuts = MappingProxyType({})
) -> pa.Table:
    """Return the rows of table `change/systems` of a pair, by system and word.

    Args:
        rows: its rows of table `scores`.
        systems: by name.
        thresholds: those of the run, in the order of columns.
        cuts: what they are, from `combine_seeds`.
    """
    means = rows.filter(pc.is_null(rows["seed"]))
    schema = SYSTEM_SCORES.schema()
    tables = [schema.empty_table()]
    for name, system in sorted(systems.items()):
        # Frequency is always measured, and has a row for every word.
        kind = (system.alignment, system.measure) if system.measure else (NO_ALIGNMENT, FREQUENCY)
        same = means.filter((pc.field("alignment") == kind[0]) & (pc.field("measure") == kind[1]))
        cut = cuts.get(kind, {}).get(system.threshold, CutOff(None, None))
        tables.append(_of_system(name, system, same.sort_by("word"), thresholds, cut))
    return pa.concat_tables(tables).combine_chunks()


def _of_system(name: str, system: NamedSystem, rows: pa.Table, thresholds: Sequence[str], cut: CutOff) -> pa.Table:
    schema, size = SYSTEM_SCORES.schema(), rows.num_rows
    columns = {name: rows[name] for name in schema.names if name in rows.column_names}
    columns["system"] = pa.array([name] * size, pa.string())
    if not system.measure:
        columns |= {
            column: pa.nulls(size, schema.field(column).type) for column in ("alignment", "measure", "score", "q_value")
        }
        columns["q_relative"] = columns["q_value"]
        columns["reason"] = pa.array([NO_SCORE] * size, pa.string())
    columns |= {
        column: pa.repeat(pa.scalar(value, schema.field(column).type), size)
        for column, value in (
            ("threshold", system.threshold or None),
            ("threshold_value", cut.value),
            ("threshold_reason", cut.reason),
        )
    }
    if system.threshold:
        columns["changed"] = rows[of_threshold("changed", system.threshold, thresholds)]
    else:  # what scores nothing calls every word unchanged; what has scores and no threshold says nothing
        columns["changed"] = pa.nulls(size, pa.bool_()) if system.measure else pa.array(np.zeros(size, bool))
    return pa.table({name: columns[name] for name in schema.names}, schema=schema)
