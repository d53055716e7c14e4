"""Corpus and change from one configuration file, published together.

    lexbeam run config.yaml --out results

The file has a section `corpus` and a section `change` with the options of the two commands under
the same names, and beside them `out` and whatever else both share. Relative paths in the file are
relative to the file. What the command line says wins over the file.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from pipelines import change, corpus
from pipelines.options import from_mapping, option
from pipelines.publishing import publish_run, tables_line
from pipelines.runners import PublishOptions, RunnerOptions, load_runner_config
from transforms.common import files
from transforms.common.artefacts import Workspace
from transforms.common.errors import UsageError, nearest
from transforms.common.sections import Made
from transforms.common.snapshots import Snapshot, open_snapshot

__all__ = ["RunOptions", "read_config", "run"]


@dataclass(frozen=True, kw_only=True)
class RunOptions(PublishOptions):
    """Options of `lexbeam run`; None means that the file, or the default, decides."""

    config: str = option(help="YAML file", metavar="CONFIG.yaml", positional=True)
    out: str | None = option(None, help="folder of the published tables")  # type: ignore[assignment]
    runner_config: str | None = option(
        None, help="YAML file of runner_configs/, or its name", metavar="FILE"
    )
    max_reject_share: float | None = option(
        None,
        help="publish nothing if more than this share of input records is rejected",
        least=0,
        most=1,
    )
    parts: int | None = option(None, help="parts (files) of each corpus table", least=1)


SECTIONS = ("corpus", "change")
SHARED = ("out", "runner-config", "max-reject-share", "parts")
COMMAND_LINE = tuple(name for name in PublishOptions.__dataclass_fields__ if name != "out")


def read_config(
    path: str, given: dict[str, Any]
) -> tuple[corpus.CorpusOptions, change.ChangeOptions]:
    """Read a configuration file; `given` are options of the command line, which win.

    Raises:
        UsageError: no such file, no YAML, or an unknown name.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            values = yaml.safe_load(stream)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not YAML in UTF-8: {error}") from None
    if not isinstance(values, dict):
        raise UsageError(f"{path}: the file must have sections `corpus` and `change`")
    known = (*SECTIONS, *SHARED)
    values = {str(name).replace("_", "-"): value for name, value in values.items()}
    for name in values:
        if name not in known:
            raise UsageError(f"{path}: unknown key {name!r}{nearest(name, known)}")
    sections = {name: _section(path, values, name) for name in SECTIONS}
    folder = os.path.dirname(os.path.abspath(path))
    shared = {name.replace("-", "_"): values[name] for name in SHARED if name in values}
    if isinstance(shared.get("out"), str):
        shared["out"] = _beside(folder, shared["out"])
    config = _beside(folder, str(shared.get("runner_config", "")))
    if os.path.isfile(config):
        shared["runner_config"] = config
    shared.update(given)
    if not isinstance(shared.get("out"), str):
        raise UsageError(f"{path}: `out`, a folder, must be given at the file's top, or as --out")
    first = from_mapping(
        corpus.CorpusOptions, {**_absolute(sections["corpus"], folder), **shared},
        f"{path}: corpus: ",
    )  # fmt: skip
    second = from_mapping(
        change.ChangeOptions,
        {**_absolute(sections["change"], folder), **shared},
        f"{path}: change: ",
    )
    return first, second


def _section(path: str, values: dict[str, Any], name: str) -> dict[str, Any]:
    section = values.get(name) or {}
    if not isinstance(section, dict):
        raise UsageError(f"{path}: section {name} must be a mapping of options")
    section = {str(key).replace("-", "_"): value for key, value in section.items()}
    shared = [key.replace("-", "_") for key in SHARED]
    for key in (*shared, *COMMAND_LINE):
        if key in section:
            place = "the command line" if key in COMMAND_LINE else "the file's top"
            raise UsageError(f"{path}: {key.replace('_', '-')} belongs at {place}, not in {name}")
    return section


def _beside(folder: str, path: str) -> str:
    if not files.is_local(path) or os.path.isabs(path):
        return path
    return os.path.join(folder, path)


def _absolute(section: dict[str, Any], folder: str) -> dict[str, Any]:
    """Make the paths in a section relative to the file's folder."""
    section = dict(section)
    for key in ("normalise", "targets", "write_text"):
        if section.get(key):
            section[key] = _beside(folder, section[key])
    for key in ("inputs", "corpora"):
        if section.get(key):
            listed = section[key].split(",") if isinstance(section[key], str) else section[key]
            section[key] = [_beside(folder, str(path)) for path in listed]
    dates = section.get("dates")
    if isinstance(dates, str) and dates.startswith("table:"):
        section["dates"] = "table:" + _beside(folder, dates.removeprefix("table:"))
    engine, _, model = str(section.get("engine") or "").partition(":")
    if engine == "spacy" and os.path.isdir(_beside(folder, model)):
        section["engine"] = f"spacy:{_beside(folder, model)}"
    return section


def run(options: RunOptions, beam_options: Sequence[str] = ()) -> None:
    """Run both pipelines and publish all their tables at once."""
    names = [name for name in RunnerOptions.__dataclass_fields__ if name in vars(options)]
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    first, second = read_config(options.config, given)
    config = load_runner_config(first.runner_config, beam_options)
    noted = {"config": files.absolute(options.config)}

    def make(workspace: Workspace, old: Snapshot | None) -> list[Made]:
        made = corpus.execute(first, config, workspace)
        print(corpus.summary(made.entry))
        corpora = change.corpora_of(second, old, [made])
        scored = change.execute(second, corpora, config, workspace)
        return [replace(part, log={**(part.log or {}), **noted}) for part in (made, scored)]

    intended = [corpus.intended(first), change.intended(second)]
    if publish_run(first, intended, make):
        print(change.summary(open_snapshot(first.out)))
        shown = [table for section in intended for table in section.tables]
        print(tables_line(first.out, shown))
