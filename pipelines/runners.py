"""Where a pipeline runs: runner configurations, Beam options, and the run itself."""

import argparse
import importlib.resources
import logging
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
import yaml
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import FnApiRunner
from apache_beam.runners.runner import PipelineState

from pipelines.options import from_mapping, option
from pipelines.progress import watching
from transforms.common.errors import LexbeamError, UsageError, nearest

__all__ = ["RunnerConfig", "RunnerOptions", "load_runner_config", "run_pipeline"]

log = logging.getLogger("lexbeam")

DIRECT = "direct"


@dataclass(frozen=True, kw_only=True)
class RunnerOptions:
    """What every command that runs a pipeline takes."""

    out: str = option(help="folder of the published tables")
    runner_config: str = option(
        "direct", help="YAML file of runner_configs/, or its name", metavar="FILE"
    )
    max_reject_share: float = option(
        0.05, help="publish nothing if more than this share of input records is rejected"
    )
    parts: int = option(8, help="parts (files) of each table")
    resume: bool = option(False, help="take up what a killed run has finished")
    overwrite: bool = option(False, help="replace what is published there")


# Names of RunnerOptions that decide nothing about what is published.
NOT_PUBLISHED = ("out", "runner_config", "resume", "overwrite")


@dataclass(frozen=True, kw_only=True)
class RunnerConfig:
    """A runner and its options.

    Attributes:
        runner: `direct`, or the name of a Beam runner.
        lanes: keys that heavy work is dealt out to; 0 gives each piece of work its own.
        beam: Beam options, by name.
    """

    runner: str = option(DIRECT, help="`direct`, or the name of a Beam runner")
    lanes: int = option(0, help="keys that heavy work is dealt out to")
    beam: tuple[str, ...] = option((), help="Beam options")


def load_runner_config(name: str, extra: Sequence[str] = ()) -> RunnerConfig:
    """Read a runner configuration and check its Beam options and `extra` ones.

    Args:
        name: path of a YAML file, or name of one that Lexbeam brings.
        extra: Beam options as on a command line; they come after the file's and so win.

    Raises:
        UsageError: no such file, or an option that nobody knows.
    """
    values = _read(name)
    given = values.pop("beam", None) or {}
    if not isinstance(given, dict):
        raise UsageError(f"{name}: `beam` must be a mapping of Beam options")
    arguments = [word for key, value in given.items() for word in _flags(key, value)]
    config = from_mapping(RunnerConfig, values, f"{name}: ")
    arguments += list(extra)
    _check(arguments)
    return RunnerConfig(runner=config.runner, lanes=config.lanes, beam=tuple(arguments))


def _read(name: str) -> dict[str, Any]:
    if os.path.exists(name):
        with open(name, encoding="utf-8") as stream:
            text = stream.read()
    else:
        folder = importlib.resources.files("runner_configs")
        known = [path.name.removesuffix(".yaml") for path in folder.iterdir()
                 if path.name.endswith(".yaml")]  # fmt: skip
        wanted = os.path.basename(name).removesuffix(".yaml")
        if wanted not in known:
            hint = nearest(wanted, known) or f"; Lexbeam brings {', '.join(sorted(known))}"
            raise UsageError(f"no runner configuration {name!r}{hint}")
        text = folder.joinpath(wanted + ".yaml").read_text("utf-8")
    values = yaml.safe_load(text)
    if not isinstance(values, dict):
        raise UsageError(f"{name}: a runner configuration is a mapping")
    return values


def _flags(key: str, value: Any) -> list[str]:
    if value is True:
        return [f"--{key}"]
    if value is False or value is None:
        return []
    return [f"--{key}={item}" for item in (value if isinstance(value, list) else [value])]


def _check(arguments: Sequence[str]) -> None:
    known = _known_beam_options()
    for word in arguments:
        flag = word.partition("=")[0]
        if word.startswith("-") and flag not in known:
            raise UsageError(f"unknown Beam option {flag!r}{nearest(flag, known)}")


def _known_beam_options() -> list[str]:
    parser = argparse.ArgumentParser(add_help=False, conflict_handler="resolve")
    left = list(PipelineOptions.__subclasses__())
    for cls in left:
        left.extend(cls.__subclasses__())
        cls._add_argparse_args(parser)
    return sorted(parser._option_string_actions)


def run_pipeline(
    build: Callable[[beam.Pipeline], None], config: RunnerConfig, work: str, stages: Sequence[str]
) -> None:
    """Build a pipeline, run it to its end and show its progress.

    Args:
        build: adds the transforms.
        config: where to run.
        work: work folder, whose artefacts are counted for progress.
        stages: stages in the order in which they run.

    Raises:
        LexbeamError: the pipeline failed; the message is that of the cause.
    """
    options = PipelineOptions(list(config.beam))
    runner = FnApiRunner() if config.runner == DIRECT else config.runner
    pipeline = beam.Pipeline(runner=runner, options=options)
    build(pipeline)
    try:
        with watching(work, stages):
            result = pipeline.run()
            state = result.wait_until_finish()
    except LexbeamError:
        raise
    except Exception as error:
        raise _readable(error) from error
    if state != PipelineState.DONE:
        raise LexbeamError(f"the pipeline ended in state {state}; see the runner's log")


# A message that crossed a process border is text: `module.Class: message [while running ...]`.
_RAISED = re.compile(
    r"transforms\.common\.errors\.(LexbeamError|UsageError): (.*?)"
    r"(?:\s*\[while running|\n\n|\nTraceback|\Z)",
    re.DOTALL,
)


def _readable(error: Exception) -> LexbeamError:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, LexbeamError):
            text = re.sub(r" \[while running .*\]$", "", str(cause), flags=re.DOTALL)
            return type(cause)(text)
        cause = cause.__cause__ or cause.__context__
    found = _RAISED.findall(str(error))
    if found:
        kind, text = found[-1]
        return (UsageError if kind == "UsageError" else LexbeamError)(text.strip())
    log.debug("the pipeline failed", exc_info=error)
    return LexbeamError(f"the pipeline failed: {type(error).__name__}: {error}")
