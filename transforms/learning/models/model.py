"""A trained model: what it is and how it was made, and checks of both against what a user needs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lexbeam.transforms.common.code.fingerprints import canonical_json
from lexbeam.transforms.common.errors import LexbeamError, missing_package, nearest

_ANEW = "give what it was made with, or train the model anew"


class ModelColumn(NamedTuple):
    """A column that a model reads: its name, and its type as Arrow or numpy call it."""

    name: str
    dtype: str


@dataclass(frozen=True, kw_only=True)
class Model:
    """A trained model and how it was made.

    Attributes:
        kind: what it does, `regressor`, `reader`, `classifier`.
        task: what it was trained for, `complexity`.
        format: an entry of `FORMATS`.
        content: arrays by name, a booster or an estimator, depending on the format.
        features: the columns that it reads, in order.
        resources: digests of the resources that it was made with, by name.
        options: plain values.
        seed: of random draws.
        data: a digest of the training data.
        metrics: figures measured with it, finite or None.
        made_with: distributions whose versions are recorded besides those of the format.
        packages: versions by distribution; filled in on saving.
        place: where it was loaded from, for messages; not saved.
        digest: SHA-256 of `model.json`, which includes that of the weights; empty before saving.
    """

    kind: str
    task: str
    format: str
    content: Any = field(repr=False, compare=False)
    features: tuple[ModelColumn, ...] = ()
    resources: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int
    data: str
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    made_with: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict, compare=False)
    place: str = field(default="", repr=False, compare=False)
    digest: str = field(default="", compare=False)

    def check(
        self,
        *,
        kind: str | None = None,
        task: str | None = None,
        features: Iterable[tuple[str, str]] | None = None,
        resources: Mapping[str, str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Check that the model is of the kind needed, and was made with the same columns, resources and options.

        What is None is not checked, nor are options that are not named.

        Raises:
            LexbeamError: it differs; the message names the first difference.
        """
        for name, actual, expected in (("kind", self.kind, kind), ("task", self.task, task)):
            if expected is not None and actual != expected:
                raise self._other(f"is of {name} {actual!r}, not {expected!r}", "give another model")
        if resources is not None:
            self._check_resources(resources)
        if options is not None:
            self._check_options(plain(options, "options"))
        if features is not None:
            self._check_features([ModelColumn(*feature) for feature in features])

    def _check_resources(self, here: Mapping[str, str]) -> None:
        for name, digest in sorted(self.resources.items()):
            if name not in here:
                raise self._other(
                    f"was made with resource {name!r}, which is not given{nearest(name, here)}",
                    "give it, or train the model without it",
                )
            if here[name] != digest:
                raise self._other(
                    f"was made with another {name!r}: its digest is {digest[:12]}, that of the one "
                    f"given {here[name][:12]}",
                    "give the same, or train the model anew",
                )
        for name in sorted(here.keys() - self.resources.keys()):
            raise self._other(
                f"was made without resource {name!r}{nearest(name, self.resources)}",
                "leave it out, or train the model with it",
            )

    def _check_options(self, here: Mapping[str, Any]) -> None:
        trained = plain(self.options, "options")
        for name, value in sorted(here.items()):
            if name not in trained:
                raise self._other(f"knows no option {name!r}{nearest(name, trained)}", _ANEW)
            if canonical_json(trained[name]) != canonical_json(value):
                raise self._other(
                    f"was made with `{name}` {_short(trained[name])}, not {_short(value)}",
                    f"set `{name}` to that, or train the model anew",
                )

    def _check_features(self, here: Sequence[ModelColumn]) -> None:
        types = dict(here)
        trained = dict(self.features)
        for name, dtype in self.features:
            if name not in types:
                near = nearest(name, types.keys() - trained.keys())
                raise self._other(f"reads column {name!r}, which is not here{near}", _ANEW)
            if types[name] != dtype:
                raise self._other(f"reads {name!r} as {dtype}, and here it is {types[name]}", _ANEW)
        for name in types:
            if name not in trained:
                raise self._other(f"does not know column {name!r}", _ANEW)
        if len(here) != len(types):
            twice = next(n for n in types if sum(other == n for other, _ in here) > 1)
            raise self._other(f"reads {twice!r} once, and here it is twice", _ANEW)
        for number, (wanted, present) in enumerate(zip(self.features, here, strict=True)):
            if wanted.name != present.name:
                raise self._other(
                    f"reads {wanted.name!r} as column {number}, where {present.name!r} is here",
                    "give the columns in its order",
                )

    def _other(self, what: str, remedy: str) -> LexbeamError:
        return LexbeamError(f"{called(self)} {what}: {remedy}")


def plain(values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return plain values as JSON returns them: lists for tuples, texts as keys.

    Raises:
        LexbeamError: a value is not plain, or not finite.
    """
    try:
        return dict(json.loads(json.dumps(dict(values), allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise LexbeamError(f"the {what} of a model must be plain, finite values ({error})") from error


def called(model: Model) -> str:
    """Return the name of a model in messages."""
    return f"the model {model.place or f'{model.kind} of {model.task}'}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class Refused(ValueError):
    """Why content is not saved or a file not loaded, as a clause: `it ...`."""


def needs_models(error: ModuleNotFoundError) -> LexbeamError:
    """Return the error for a package of the extra `models` that is missing."""
    return missing_package("trained models need", str(error.name).partition(".")[0], "models")
