"""Options of systems that want other spaces than those of the run, and so have spaces of their own beside it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lexbeam.pipelines.commands.change.options import ChangeOptions, compared_by
from lexbeam.transforms.change.scores.measures import needs_alignment
from lexbeam.transforms.change.scores.named_systems import NamedSystem
from lexbeam.transforms.change.scores.system_settings import has_chance, options_beside
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, options_of, unused, value_of
from lexbeam.transforms.embeddings.alignment import unfitted
from lexbeam.transforms.embeddings.representations import REPRESENTATIONS


def systems_beside(options: ChangeOptions) -> dict[tuple[str, ...], ChangeOptions]:
    """Return the options of systems that want other spaces than the run's own options make, by the systems' names.

    Systems that state the same stand together.

    Raises:
        UsageError: a system states what it cannot use.
    """
    known = options_of(ChangeOptions)
    of_run = {name: value_of(options, name) for name in known}
    none = {"system": (), "systems": (), "ensemble": (), "write_text": None}
    of_run |= _seeds(options.representation.representation, options.score.measures)
    served = from_mapping(ChangeOptions, of_run | none)
    stated: dict[str, tuple[list[str], dict[str, Any]]] = {}
    for name, system in options.score.named.items():
        own = options_beside(name, options.score.configured)
        wanted = {key: known[key].default if value is None and key in known else value for key, value in own.items()}
        kind, measures = compared_by(options, name)
        representation = REPRESENTATIONS[kind]
        aligned = needs_alignment(system.measure) and system.measure
        scored = {
            "measure": measures,
            "threshold": (system.threshold,) if system.threshold else options.score.thresholds,
            "alignment": (system.alignment,) if aligned else representation.alignments[:1],
        }
        if own:
            alone = from_mapping(ChangeOptions, of_run | none | _seeds(kind, measures) | wanted | scored)
            told = _unused(alone, [system])
            if not aligned:
                told |= {"fit_on": f"`fit_on` {own.get('fit_on')}: nothing is fitted for `measure` {system.measure}"}
            for option in own:
                if option in told:
                    raise UsageError(f"`systems`: {name}: {told[option]}")
        unscored = any(not set(scored[key]) <= set(of_run[key]) for key in ("measure", "threshold", "alignment"))
        unscored = unscored or kind != options.representation.representation
        if own and (unscored or from_mapping(ChangeOptions, of_run | none | wanted) != served):
            names, both = stated.setdefault(str(sorted(own.items(), key=str)), ([], {}))
            names.append(name)
            both |= {
                key: tuple(dict.fromkeys([*both.get(key, ()), *values])) for key, values in scored.items()
            } | wanted
    given = of_run | none | {"seeds": options.seeds}
    return {
        tuple(names): from_mapping(
            ChangeOptions, given | _seeds(both.get("representation", given["representation"]), both["measure"]) | both
        )
        for names, both in stated.values()
    }


def check_uses(options: ChangeOptions, others: Collection[ChangeOptions]) -> None:
    """Refuse values that neither the run nor what stands beside it takes.

    Raises:
        UsageError: there is one.
    """
    for name, told in _unused(options, options.score.named.values()).items():
        if not any(value_of(one, name) == value_of(options, name) and name not in _unused(one) for one in others):
            raise UsageError(told)


def _unused(options: ChangeOptions, systems: Iterable[NamedSystem] = ()) -> dict[str, str]:
    """Return what to say of values that nothing takes, by option, but of those that systems of the registry set."""
    found = unused(options) | unfitted(options.align.fit_on, options.score.alignments)
    sets = [system.options for system in systems]
    return {name: told for name, told in found.items() if all(one.get(name) != value_of(options, name) for one in sets)}


def _seeds(representation: str, measures: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return one seed where chance has no part."""
    return {} if has_chance(representation, measures) else {"seeds": (1,)}
