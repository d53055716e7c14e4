"""What a section is given besides tables: what names its input files, and its options by their content.

A run notes it beside the snapshot; whoever asks later whether the same would be made compares with that.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lexbeam.pipelines.frame.command import Command, Job
from lexbeam.pipelines.frame.common_options import RunnerOptions
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import noted_paths, options_of, plain_defaults, value_of
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.identity import holding
from lexbeam.transforms.common.store.resources import content_digest
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns


def input_patterns(job: Job) -> InputPatterns | None:
    """Return what names the files that a job takes in; None: it takes in none."""
    # A folder of tables may stand where files do.
    folders = {source.folder for source in job.command.reads(job.options)}
    named = [path for paths in noted_paths(job.options, "input").values() for path in paths]
    inputs = tuple(path for path in named if path not in folders)
    if not inputs:
        return None
    keeps = getattr(job.options, "keep_missing", None) is not None
    return InputPatterns(inputs, tuple(getattr(job.options, "exclude", ())), job.options.out, drained=keeps)


def option_files(options: object) -> list[str]:
    """Return the files that options name and that are read whole."""
    return [path for paths in noted_paths(options, "file").values() for path in paths]


def noted_files(paths: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of files by their absolute paths."""
    return {path: content_digest(path) for path in map(files.absolute, paths)}


def noted_resources(options: object) -> dict[str, list[str]]:
    """Return the digests of the sources of resources, by the texts of the options that name them."""
    texts = [text for named in _resources(options).values() for text in named]
    if not texts:
        return {}
    from lexbeam.transforms.lexicon.resources import source_digests

    return {text: list(source_digests(text)) for text in texts}


def _resources(options: object) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for name, entry in options_of(type(options)).items():
        value = value_of(options, name)
        if entry.path == "resource" and value:
            named[name] = list(value) if entry.several else [value]
    return named


# How files are looked at, and how a run goes.
_DECIDE_NOTHING = {"check", *options_of(RunnerOptions)}


def given_by(options: object, read: Mapping[str, str], resources: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return by option the content of its files, and what no manifest has: values, places; as JSON has them.

    Args:
        options: the options.
        read: what `noted_files` says of `option_files`.
        resources: what `noted_resources` says.
    """
    given: dict[str, Any] = {
        name: [read[files.absolute(path)] for path in paths] for name, paths in noted_paths(options, "file").items()
    }
    given |= {name: [resources[text] for text in texts] for name, texts in _resources(options).items()}
    for name, entry in options_of(type(options)).items():
        if not (entry.published or entry.path or name in _DECIDE_NOTHING):
            value = value_of(options, name)
            given[name] = list(value) if isinstance(value, tuple) else value
    return given | _written_by(options)


def _written_by(options: object) -> dict[str, str | None]:
    """Return by option where a run writes something beside its tables; None: it does not."""
    values = {name: value_of(options, name) for name, entry in options_of(type(options)).items() if _is_written(entry)}
    return {name: files.absolute(value) if value else None for name, value in values.items()}


def _is_written(entry: Option) -> bool:
    return entry.path in ("written", "kept")


def given_otherwise(options: object, before: Mapping[str, Any]) -> Iterator[str]:
    """Yield what options give otherwise than a run has noted by `given_by`.

    Args:
        options: the options.
        before: what was noted; an earlier version noted no places that are written to, and knew other options: what is
            new and has its default is no change, and neither is what nothing reads any more.
    """
    try:
        now = given_by(options, noted_files(option_files(options)), noted_resources(options))
    except (OSError, LexbeamError) as error:
        yield f"option: {error}"
        return
    known, defaults = options_of(type(options)), plain_defaults(type(options))
    for name in sorted({*now, *before} & known.keys()):
        if _is_written(known[name]):
            yield from _written_otherwise(known[name], before.get(name, now[name]), now[name])
        elif now.get(name) != before.get(name):
            if name not in before and now[name] == defaults.get(known[name].shown):
                continue
            is_file = known[name].path
            yield (
                f"option: `{name}` has other content"
                if is_file
                else (f"option: `{name}` {before.get(name)} to {now.get(name)}")
            )


def _written_otherwise(entry: Option, before: str | None, now: str | None) -> Iterator[str]:
    """Yield that a run would write what is not there, or that the manifest would not tell of it any more."""
    if now is None:
        if before is not None and entry.path == "kept":
            yield f"option: `{entry.name}` {files.shown(before)} to None"
    elif now != before:
        yield f"option: `{entry.name}` {before and files.shown(before)} to {files.shown(now)}"
    # Stores have no folders, and of a name with fields in braces there may be no file.
    elif files.is_local(now) and "{" not in now and not files.exists(now):
        yield f"option: `{entry.name}`: nothing is at {files.shown(now)}"


def resources_of(command: Command[Any, Any], plan: object) -> dict[str, Any]:
    """Return the digests of what a section is made from besides tables and input files, as its manifest has them."""
    return {**described_in(plan), **command.resources(plan)}


def described_in(plan: object) -> dict[str, Any]:
    """Return what a manifest says of the resources that a plan holds, at whatever depth.

    An object with `described` goes by the name of its field; one with `described_by_name` stands for several.
    """
    described: dict[str, Any] = {}
    for name, held in holding(plan, "described", "described_by_name"):
        described |= held.described_by_name() if hasattr(held, "described_by_name") else {name: held.described()}
    return described
