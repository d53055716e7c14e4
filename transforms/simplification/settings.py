"""Settings: named ways to generate, select and rank, in a few lines of YAML.

    thesaurus:
      generators: [thesaurus]
      filters: [morphology]
      rankers: [senses, frequency]
    with-neighbours:
      generators: [thesaurus, vectors]
      combine: union

Each command takes those options of a setting that are its own (`STAGES`), and the others as they
are given to the command itself. Without a file there is one setting. Files and models are named on
the command line and are the same for all settings.
"""

import importlib
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from transforms.common import files
from transforms.common.errors import UsageError, nearest
from transforms.common.options import from_mapping, options_of, value_of
from transforms.common.yaml_files import read_yaml

__all__ = ["STAGES", "check_setting_name", "settings_of"]

# The dataclass of each stage's options.
STAGES = {
    "generate": "transforms.simplification.generation_options:GenerationOptions",
    "select": "transforms.simplification.selection_options:SelectionOptions",
    "rank": "transforms.simplification.ranking_options:RankingOptions",
}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}\Z")

T = TypeVar("T")


def check_setting_name(value: str) -> None:
    """Check the name of a setting.

    Raises:
        UsageError: it is none.
    """
    if not _NAME.match(value):
        raise UsageError(
            f"{value!r} is no name of a setting: take up to 64 letters, digits and _ . + -"
        )


def _class_of(stage: str) -> type:
    module, _, name = STAGES[stage].partition(":")
    found: type = getattr(importlib.import_module(module), name)
    return found


def settings_of(stage: str, given: T, path: str | None, name: str) -> dict[str, T]:
    """Return the options of a stage by setting, in the order of names.

    Args:
        stage: one of `STAGES`.
        given: what the command was given; what a setting does not say is taken from it.
        path: the file of settings; None: there is one setting.
        name: its name then.

    Raises:
        UsageError: the file is no mapping of settings, or says an option that no stage has.
    """
    if path is None:
        return {name: given}
    found = read_yaml(path)
    shown = files.shown(path)
    if not isinstance(found, dict) or not found:
        raise UsageError(f"{shown} has no settings: write NAME: and its options below")
    known = {one: set(options_of(_class_of(one))) for one in STAGES}
    every = sorted(set().union(*known.values()))
    own = {one: value_of(given, one) for one in known[stage]}
    settings = {}
    for setting in sorted(found):
        check_setting_name(setting)
        values = found[setting] if found[setting] is not None else {}
        if not isinstance(values, Mapping):
            raise UsageError(f"{shown}: setting {setting} is no mapping of options")
        said: dict[str, Any] = {str(key).replace("-", "_"): one for key, one in values.items()}
        for key in said:
            if key not in every:
                raise UsageError(
                    f"{shown}: setting {setting}: unknown option {key}{nearest(key, every)}"
                )
        mine = {key: one for key, one in said.items() if key in known[stage]}
        try:
            settings[setting] = from_mapping(type(given), {**own, **mine})
        except UsageError as error:
            raise UsageError(f"{shown}: setting {setting}: {error}") from None
    return settings
