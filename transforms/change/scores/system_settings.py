"""Options of single systems, and which systems of a run need spaces of their own.

They are texts `NAME:OPTION=VALUE`, several values with `|` between them and no value for the default: what is given for
a system, for one that has a name of its own (then with `measure`), and what is noted where systems disagree.

>>> parsed(["mine:measure=cosine", "mine:min-count=1|6"])
{'mine': {'measure': 'cosine', 'min_count': '1|6'}}
"""

from collections.abc import Mapping, Sequence
from typing import Any

from transforms.change.scores.measures import MEASURES, NO_ALIGNMENT, needs_alignment, of_usage
from transforms.change.scores.named_systems import SYSTEMS, NamedSystem
from transforms.change.scores.thresholds import THRESHOLDS
from transforms.common.errors import UsageError, nearest
from transforms.embeddings.alignment import ALIGNMENTS
from transforms.embeddings.representations import SGNS

__all__ = ["as_texts", "options_beside", "parsed", "presets", "system_of"]

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
    """Return a system: that of the registry, or one of one's own.

    Raises:
        UsageError: there is none, or it names an entry that there is not.
    """
    if name in SYSTEMS:
        return SYSTEMS[name]
    own = settings.get(name)
    if own is None:
        known = [*SYSTEMS, *settings]
        hint = nearest(name, known) or f"; there are {', '.join(known)}"
        raise UsageError(f"`system`: there is no {name!r}{hint}; `systems` names more")
    measure = own.get("measure", "")
    MEASURES.check([measure], f"`systems`: measure of {name}:")
    alignment = own.get("alignment", NO_ALIGNMENT)
    ALIGNMENTS.check([alignment], f"`systems`: alignment of {name}:")
    if own.get("threshold"):
        THRESHOLDS.check([own["threshold"]], f"`systems`: threshold of {name}:")
    return NamedSystem(
        "a configuration of one's own",
        measure,
        own.get("threshold", ""),
        alignment if needs_alignment(measure) else NO_ALIGNMENT,
        representation=own.get("representation", SGNS),
        doc=name,
    )


def _wanted(name: str, system: NamedSystem, given: Mapping[str, Any], own: Mapping[str, str]) -> dict[str, str]:
    """Return the options that a system sets, as texts: where they are not given for all, and those for it alone."""
    sets = {option: _text(value) for option, value in system.sets.items() if option not in given}
    return sets | {
        option: value
        for option, value in own.items()
        if option not in OWN[:3] and (option not in given or _text(given[option]) != value)
    }


def presets(names: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that systems set, by name, beside those that are given.

    The options of the first system with vectors become those of the run, and alignments, measures and thresholds of the
    systems that want the same are added to those given. What another system wants otherwise is noted in `systems`.

    Raises:
        UsageError: there is no such system.
    """
    texts = given.get("systems", ())
    settings = parsed(texts)
    systems = {name: system_of(name, settings) for name in names}
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
        if option not in given
    }
    noted = [
        f"{name}:{option}={options.get(option, '')}"
        for name, options in beside.items()
        for option in sorted(base.keys() | options.keys())
        if settings.get(name, {}).get(option) is None
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
