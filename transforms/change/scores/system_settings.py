"""Options of single systems, and which systems of a run need spaces of their own.

They are texts `NAME:OPTION=VALUE`, several values with `|` between them and no value for the default: what is given for
a system, for one that has a name of its own (then with `measure`), and what is noted where systems disagree.

>>> parsed(["mine:measure=cosine", "mine:min-count=1|6"])
{'mine': {'measure': 'cosine', 'min_count': '1|6'}}
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

from lexbeam.transforms.change.scores.measures import MEASURES, NO_ALIGNMENT, needs_alignment, of_usage
from lexbeam.transforms.change.scores.named_systems import SYSTEMS, NamedSystem
from lexbeam.transforms.change.scores.system_ensembles import ENSEMBLES
from lexbeam.transforms.change.scores.thresholds import THRESHOLDS
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.embeddings.alignment import ALIGNMENTS
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS, SGNS

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
