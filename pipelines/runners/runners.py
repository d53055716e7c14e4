"""Where a pipeline runs: runner configurations, Beam options, and the run itself.

A configuration is a YAML file; runner_configs/README.md describes its keys. `${NAME}` in its values
is the environment variable, `${NAME:-VALUE}` has a default, `${HERE}` is the file's own folder and
`${CORES}` the number of cores that this process may use.
"""

import argparse
import functools
import importlib.resources
import logging
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar, cast

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions, SetupOptions, StandardOptions
from apache_beam.runners.runner import PipelineState, create_runner
from apache_beam.transforms import environments

from pipelines.runners.cores import cores
from pipelines.runners.job_servers import job_server
from pipelines.runners.leash import leashed
from pipelines.runners.loopback import loopback_only
from pipelines.runners.workers import direct_runner, has_processes, run_watched, thread_failures
from transforms.common.errors import LexbeamError, UsageError, nearest, quoted
from transforms.common.options.fields import from_mapping, option
from transforms.common.options.yaml_files import read_yaml
from transforms.common.store.sound import Damaged
from transforms.common.system_errors import explained, explained_text

__all__ = ["RunnerConfig", "load_runner_config", "run_pipeline"]

log = logging.getLogger("lexbeam")

DIRECT = "direct"
_View = TypeVar("_View", bound=PipelineOptions)


@dataclass(frozen=True, kw_only=True)
class RunnerConfig:
    """A runner and its options.

    Attributes:
        runner: `direct`, or the name of a Beam runner.
        lanes: keys that heavy work is dealt out to; 0 leaves it to the runner's reshuffle. A file
            that says none means as many as `direct` has workers, and 0 for other runners.
        needs: files that the runner needs.
        hint: how a person who lacks one of them gets it.
        beam: Beam options, by name.
    """

    runner: str = option(DIRECT, help="`direct`, or the name of a Beam runner")
    lanes: int = option(0, help="keys that heavy work is dealt out to", least=0)
    needs: tuple[str, ...] = option((), help="files that must be there")
    hint: str = option("", help="how to get them")
    beam: tuple[str, ...] = option((), help="Beam options")

    @property
    def here(self) -> bool:
        """Whether all workers are on this machine for sure."""
        return self.runner == DIRECT


def load_runner_config(name: str, extra: Sequence[str] = ()) -> RunnerConfig:
    """Read a runner configuration and check its Beam options and `extra` ones.

    Args:
        name: path of a YAML file, or name of one that Lexbeam brings.
        extra: Beam options as on a command line; they come after the file's and so win.

    Raises:
        UsageError: no such file, an unknown option, or a file that the runner needs is not there.
    """
    values = _read(name)
    given = values.pop("beam", None) or {}
    if not isinstance(given, dict):
        raise UsageError(f"{name}: `beam` must be a mapping of Beam options")
    arguments = [word for key, value in given.items() for word in _flags(key, value)]
    config = from_mapping(RunnerConfig, values, f"{name}: ")
    arguments += list(extra)
    parsed = _parsed(arguments)
    runner = parsed.runner or config.runner
    known = (DIRECT, *StandardOptions.KNOWN_RUNNER_NAMES)
    # A runner may also be a class by its full name.
    if runner not in known and "." not in runner:
        raise UsageError(f"no runner is called {runner!r}{nearest(runner, known)}")
    for path in config.needs:
        if not os.path.exists(path):
            raise UsageError(f"runner configuration {name!r} needs {path}; {config.hint}")
    lanes = config.lanes
    if runner == DIRECT and parsed.direct_num_workers == 0:  # all there are, as Beam has it
        arguments.append(f"--direct_num_workers={cores()}")
    if runner == DIRECT and "lanes" not in values:
        lanes = parsed.direct_num_workers or cores()
    return replace(config, runner=runner, lanes=lanes, beam=tuple(arguments))


def _read(name: str) -> dict[str, Any]:
    if os.path.isfile(name):
        here, path = os.path.dirname(os.path.abspath(name)), name
    else:
        folder = importlib.resources.files("runner_configs")
        known = [path.name.removesuffix(".yaml") for path in folder.iterdir() if path.name.endswith(".yaml")]
        wanted = os.path.basename(name).removesuffix(".yaml")
        if wanted not in known:
            hint = nearest(wanted, known) or f"; Lexbeam brings {', '.join(sorted(known))}"
            raise UsageError(f"`runner_config`: there is no {quoted(name)}{hint}")
        here, path = str(folder), str(folder.joinpath(wanted + ".yaml"))
    values = read_yaml(path)
    if not isinstance(values, dict):
        raise UsageError(f"{name}: a runner configuration is a mapping")
    return _filled(values, {**os.environ, "HERE": here, "CORES": str(cores())}, name)


# A default may itself hold variables, but no braces else.
_VARIABLE = re.compile(r"\$\{(\w+)(?::-((?:[^{}]|\$\{\w+\})*))?\}")


def _filled(value: Any, variables: Mapping[str, str], name: str) -> Any:
    """Fill in the variables within strings, however deep in lists and mappings."""
    if isinstance(value, dict):
        return {key: _filled(item, variables, name) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, variables, name) for item in value]
    if not isinstance(value, str):
        return value

    def content(match: re.Match[str]) -> str:
        # As in a shell, an empty variable counts as unset.
        if found := variables.get(match[1]):
            return found
        if match[2] is None:
            raise UsageError(f"{name}: set the environment variable {match[1]}")
        return _filled(match[2], variables, name)

    return _VARIABLE.sub(content, value)


def _flags(key: str, value: Any) -> list[str]:
    if value is True:
        return [f"--{key}"]
    if value is False or value is None:
        return []
    return [f"--{key}={item}" for item in (value if isinstance(value, list) else [value])]


class JobServerOptions(PipelineOptions):
    """Options that Beam's Java job servers know, and Beam's Python does not.

    Declared as Beam declares its own, they are checked with the others and sent to the job server.
    """

    @classmethod
    def _add_argparse_args(cls, parser: argparse.ArgumentParser) -> None:
        # No defaults: an option that is not given is not sent.
        parser.add_argument("--load_balance_bundles", action="store_true", default=None)
        parser.add_argument(
            "--execution_mode_for_batch", choices=("PIPELINED", "PIPELINED_FORCED", "BATCH", "BATCH_FORCED")
        )
        parser.add_argument("--flink_conf_dir")


class _BeamParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"Beam option: {message}")


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Check Beam options; return their values."""
    parser = _BeamParser(add_help=False, conflict_handler="resolve", allow_abbrev=False)
    left = list(PipelineOptions.__subclasses__())
    for cls in left:
        left.extend(cls.__subclasses__())
        cls._add_argparse_args(parser)
    known = sorted(parser._option_string_actions)
    values, unknown = parser.parse_known_args(list(arguments))
    for word in unknown:
        flag = word.partition("=")[0]
        hint = nearest(flag if flag.startswith("-") else f"--{flag}", known)
        raise UsageError(f"unknown Beam option {flag!r}{hint}")
    # A stage that has a worker would wait for another that is still waiting for one.
    if values.load_balance_bundles and values.execution_mode_for_batch != "BATCH_FORCED":
        raise UsageError(
            "--load_balance_bundles needs --execution_mode_for_batch=BATCH_FORCED: without it Flink waits forever"
        )
    return values


class _Options(PipelineOptions):
    """Options whose views are made once: Beam asks for several at each transform, and each parses.

    Views share their values, so one that was made before says the same.
    """

    def view_as(self, cls: type[_View]) -> _View:
        views: dict[type[PipelineOptions], Any] = self.__dict__.setdefault("_views", {})
        if cls not in views:
            views[cls] = super().view_as(cls)
        return cast(_View, views[cls])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_views"}


def run_pipeline(
    build: Callable[[beam.Pipeline], None], config: RunnerConfig, watched: AbstractContextManager[object] | None = None
) -> None:
    """Build a pipeline and run it to its end.

    Args:
        build: adds the transforms.
        config: where to run.
        watched: entered while it runs, to show its progress.

    Raises:
        LexbeamError: the pipeline failed; the message is that of the cause.
    """
    options = _Options(list(config.beam))
    here = config.runner == DIRECT
    processes = here and has_processes(options)
    with leashed() as leash, thread_failures(leash) as ended:
        runner = direct_runner(options, leash) if here else create_runner(config.runner)
        pipeline = beam.Pipeline(runner=runner, options=options)
        # Beam removes it after a run, if it is not killed; without programs none is needed.
        os.rmdir(pipeline.local_tempdir)
        if processes or not here:
            pipeline.local_tempdir = tempfile.mkdtemp(dir=leash.folder)
        build(pipeline)

        def run() -> str:
            return pipeline.run().wait_until_finish()

        staging = nullcontext() if here else _staging_in(pipeline)
        servers = job_server(runner, pipeline.options, leash)
        try:
            with loopback_only(), staging, _portable(), watched or nullcontext(), servers:
                state = run_watched(run, ended, leash) if processes else run()
        except Exception as error:
            raise _readable(error) from error
    if state != PipelineState.DONE:
        raise LexbeamError(f"the pipeline ended in state {state}; see the runner's log")


@contextmanager
def _staging_in(pipeline: beam.Pipeline) -> Iterator[None]:
    """Let Beam stage what workers need in the pipeline's own folder while the block runs.

    Beam makes folders for it that nobody removes, whether or not there is anything to stage.
    """
    setup = pipeline.options.view_as(SetupOptions)
    if not setup.requirements_file:
        setup.requirements_cache = setup.requirements_cache or "skip"
    stage = environments.python_sdk_dependencies
    environments.python_sdk_dependencies = functools.partial(stage, tmp_dir=pipeline.local_tempdir)
    try:
        yield
    finally:
        environments.python_sdk_dependencies = stage


@contextmanager
def _portable() -> Iterator[None]:
    """Make the surroundings that portable runners need while the block runs.

    They start workers as `python`, so this Python comes first on PATH. They log a failure with its
    traceback, on the root logger; the cause is reported once, by us.
    """
    root, path = logging.getLogger(), os.environ.get("PATH", "")
    level = root.level
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + path
    if not root.isEnabledFor(logging.INFO):
        root.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        os.environ["PATH"] = path
        root.setLevel(level)


# A message that crossed a process border is text: `module.Class: message [while running ...]`.
_RAISED = re.compile(
    r"transforms\.common\.(?:errors|sound)\.(LexbeamError|UsageError|Damaged): (.*?)"
    r"(?:\s*\[while running|\n\n|\nTraceback|\Z)",
    re.DOTALL,
)


_KINDS = {kind.__name__: kind for kind in (LexbeamError, UsageError, Damaged)}


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
        return _KINDS[kind](text.strip())
    log.debug("the pipeline failed", exc_info=error)
    if isinstance(error, OSError):
        return explained(error)
    if told := explained_text(str(error)):
        return told
    return LexbeamError(f"the pipeline failed: {type(error).__name__}: {error}")
