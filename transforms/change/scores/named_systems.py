"""Systems of SemEval-2020 Task 1 by name: how teams scored and classed words, as options of `lexbeam change`.

What a system sets can be given otherwise; then it differs by that, too. Which systems of
a run need spaces of their own is found here, too.

Options of single systems are texts `NAME:OPTION=VALUE`, several values with `|` between them and no value for the
default: what is given for a system, for one that has a name of its own (then with `measure`), and what is noted where
systems disagree.

>>> parsed(["mine:measure=cosine", "mine:min-count=1|6"])
{'mine': {'measure': 'cosine', 'min_count': '1|6'}}
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.change.scores import NO_SCORE, SYSTEM_SCORES, of_threshold
from lexbeam.transforms.change.scores.measures import (
    COUNTS,
    FREQUENCY,
    MEASURES,
    NO_ALIGNMENT,
    needs_alignment,
    of_usage,
)
from lexbeam.transforms.change.scores.pair_scores import Cuts
from lexbeam.transforms.change.scores.system_ensembles import ENSEMBLES
from lexbeam.transforms.change.scores.thresholds import RANKED, TARGETS, THRESHOLDS, CutOff
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS
from lexbeam.transforms.embeddings.joint_trainings import of_targets
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


OWN = ("measure", "alignment", "threshold", "representation")  # what makes a system of one's own, beside its options


def as_texts(stated: Any) -> Any:
    """Return a mapping of names to options, as a file has it, as texts; anything else as it is."""
    if not isinstance(stated, Mapping):
        return stated
    texts = []
    for name, options in stated.items():
        if not isinstance(options, Mapping):
            raise UsageError(f"`systems`: {name!r} needs options by name, such as measure: cosine")
        texts += [f"{name}:{option}={_text(value)}" for option, value in options.items()]
    return texts


def _text(value: Any) -> str:
    return "|".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def parsed(texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return options by system, names of options with underscores.

    Raises:
        UsageError: a text has another form.
    """
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        name, colon, setting = text.partition(":")
        option, equals, value = setting.partition("=")
        if not (name and colon and option and equals):
            raise UsageError(f"`systems`: {text!r} is not NAME:OPTION=VALUE, such as mine:window=5")
        found.setdefault(name, {})[option.replace("-", "_")] = value
    return found


def _value(text: str) -> Any:
    """Return a value as options are given: a text, or several."""
    return tuple(text.split("|")) if "|" in text else text


def systems_of(names: Sequence[str], configured: Sequence[str]) -> dict[str, NamedSystem]:
    """Return systems by name, with the options that are configured for them."""
    settings = parsed(configured)
    return {name: system_of(name, settings) for name in names}


def system_of(name: str, settings: Mapping[str, Mapping[str, str]]) -> NamedSystem:
    """Return a system: that of the registry, with what is stated for it, or one of one's own.

    Without an alignment a measure that needs one has the first of the representation.

    Raises:
        UsageError: there is none, it names an entry that there is not, or an alignment for a measure without.
    """
    if name not in SYSTEMS and name not in settings:
        known = [*SYSTEMS, *settings]
        hint = nearest(name, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"`system`: there is no {name!r}{hint}; `systems` names more")
    base = SYSTEMS[name] if name in SYSTEMS else NamedSystem("a configuration of one's own", doc=name)
    own = {option: value for option, value in settings.get(name, {}).items() if option in OWN and value}
    if not own and name in SYSTEMS:
        return base
    registries: tuple[Registry[Any], ...] = (MEASURES, ALIGNMENTS, THRESHOLDS, REPRESENTATIONS)
    for option, registry in zip(OWN, registries, strict=True):
        if option in own:
            registry.check([own[option]], f"`systems`: {option} of {name}")
    measure, representation = own.get("measure", base.measure), own.get("representation", base.representation)
    if not measure:
        MEASURES.check([measure], f"`systems`: measure of {name}")
    aligned, same = needs_alignment(measure), representation == base.representation
    options = {option: value for option, value in base.options.items() if same or option != "alignment"}
    stated = own.get("alignment")
    if stated and not aligned and stated not in options.get("alignment", ()):
        raise UsageError(
            f"`systems`: alignment of {name}: `measure` {measure} takes no aligned vectors, and compares spaces that "
            "are made apart: leave `alignment` out, or take another measure"
        )
    kept = same and base.measure and needs_alignment(base.measure)
    default = base.alignment if kept else REPRESENTATIONS[representation].alignments[0]
    return replace(
        base,
        measure=measure,
        threshold=own.get("threshold", base.threshold),
        alignment=(stated or default) if aligned else NO_ALIGNMENT,
        representation=representation,
        options=options,
    )


def has_chance(representation: str, measures: Iterable[str]) -> bool:
    """Return whether scores hang on the seed: by the spaces, or by what a measure draws."""
    return REPRESENTATIONS[representation].chance or any(MEASURES[name].chance for name in measures)


def check_settings(names: Collection[str], texts: Sequence[str], able: Collection[str], known: Collection[str]) -> None:
    """Refuse options that there are not, and what is stated for single systems and would say nothing.

    Args:
        names: of the systems of the run.
        texts: what is stated.
        able: options that a single system may set, beside `measure`, `alignment` and `threshold`.
        known: all options.

    Raises:
        UsageError: a name that no system of one's own can have, or some options of one that is not run; an option that
            there is not, that holds for whole runs, or that is about vectors where a system has none.
    """
    settings = parsed(texts)
    for name in names:
        for option in system_of(name, settings).sets:
            if option not in known:
                raise UsageError(f"`system`: {name} sets an unknown option {option}{nearest(option, known)}")
    for name, stated in settings.items():
        # A whole system of one's own may stand in a file for runs that name it.
        if name not in names and (name in SYSTEMS or "measure" not in stated):
            raise UsageError(
                f"`systems`: {name}: no system of that name is run{nearest(name, names)}: name it by `system`, or "
                "leave its options out"
            )
        if name in ENSEMBLES or "/" in name:
            why = "an ensemble has that name" if name in ENSEMBLES else "names of systems have no /"
            raise UsageError(f"`systems`: {name}: {why}: take another name")
        system = system_of(name, settings)
        vectors = bool(system.measure) and of_usage(system.measure)
        for option in stated:
            if option not in known:
                raise UsageError(f"`systems`: {name}: unknown option {option}{nearest(option, known)}")
            if option not in (*OWN[:3], *able):
                raise UsageError(
                    f"`systems`: {name}: `{option}` holds for all systems of a run: set it for the run, outside "
                    "`systems`"
                )
            if not vectors and option not in ("measure", "threshold"):
                raise UsageError(
                    f"`systems`: {name}: `{option}` says nothing of a system without vectors: leave it out, or set it "
                    "for the run, outside `systems`"
                )


def _wanted(name: str, system: NamedSystem, given: Mapping[str, Any], own: Mapping[str, str]) -> dict[str, str]:
    """Return the options that a system sets, as texts: where they are not given for all, and those for it alone.

    What a threshold takes by default is left out: it makes no spaces, so that systems share them whether they set it.
    """
    of_threshold = signature(THRESHOLDS[system.threshold].of).parameters if system.threshold else {}
    usual = {option: parameter.default for option, parameter in of_threshold.items()}
    sets = {
        option: _text(value)
        for option, value in system.sets.items()
        if option not in given and usual.get(option) != value
    }
    return sets | {
        option: value
        for option, value in own.items()
        if option not in OWN[:3] and (option not in given or _text(given[option]) != value)
    }


def presets(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that systems set, by name, beside those that are given.

    The options of the first system with vectors become those of the run, and alignments, measures and thresholds of the
    systems that want the same are added to those given. What another system wants otherwise is noted in `systems`, and
    so is a representation that is given, for a system of one's own that states none.

    Raises:
        UsageError: there is no such system.
    """
    texts = given.get("systems", ())
    settings = parsed(texts)
    systems = {name: system_of(name, settings) for name in names}
    kind, noted = given.get("representation", SGNS), []
    for name, system in systems.items():
        own = name not in SYSTEMS and of_usage(system.measure) and "representation" not in settings[name]
        if own and kind != system.representation:
            noted.append(f"{name}:representation={kind}")
            settings[name]["representation"] = kind
            systems[name] = system_of(name, settings)
    wanted = {
        name: _wanted(name, system, given, settings.get(name, {}))
        for name, system in systems.items()
        if system.measure and of_usage(system.measure)
    }
    base = next(iter(wanted.values()), {})
    beside = {name: options for name, options in wanted.items() if options != base}
    sharing = [system for name, system in systems.items() if name not in beside and system.measure]
    lists = {
        "alignment": [system.alignment for system in sharing if needs_alignment(system.measure)],
        "measure": [system.measure for system in sharing],
        "threshold": [system.threshold for system in sharing if system.threshold],
    }
    found: dict[str, Any] = {
        option: tuple(dict.fromkeys([*given.get(option, ()), *values])) for option, values in lists.items() if values
    }
    first = next((systems[name] for name in wanted), None)
    typed = {} if first is None else first.sets
    found |= {
        option: typed[option] if option in typed and _text(typed[option]) == value else _value(value)
        for option, value in base.items()
        if option not in given and option not in found
    }
    if "representation" in found and "alignment" not in given and "alignment" not in found:
        found["alignment"] = REPRESENTATIONS[found["representation"]].alignments
    noted += [
        f"{name}:{option}={options.get(option, '')}"
        for name, options in beside.items()
        for option in sorted(base.keys() | options.keys())
        if option not in given and settings.get(name, {}).get(option) is None  # what is given holds for all
    ]
    return found | ({"systems": tuple(dict.fromkeys([*texts, *noted]))} if noted else {})


def options_beside(name: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return what is stated for a system alone that scores by vectors, as options are given; None for the default."""
    settings = parsed(texts)
    system = system_of(name, settings)
    if not system.measure or not of_usage(system.measure):
        return {}
    own = settings.get(name, {})
    return {option: _value(value) if value else None for option, value in own.items() if option not in OWN[:3]}
