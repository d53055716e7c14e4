"""Runner configurations: YAML files, the Beam options that they hold, and the cores that a process may use.

runner_configs/README.md describes the keys. `${NAME}` in a value is the environment variable,
`${NAME:-VALUE}` has a default, `${HERE}` is the file's own folder and `${CORES}` the number of cores
that this process may use.
"""

import argparse
import importlib.resources
import logging
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from apache_beam.options.pipeline_options import (
    FlinkRunnerOptions,
    PipelineOptions,
    PortableOptions,
    SetupOptions,
    StandardOptions,
)
from apache_beam.options.pipeline_options import JobServerOptions as BeamJobServerOptions

from lexbeam.pipelines.runners.flink_jobs import address_of, place_of
from lexbeam.transforms.common.errors import UsageError, nearest, quoted
from lexbeam.transforms.common.options.fields import from_mapping, option
from lexbeam.transforms.common.options.yaml_files import read_yaml

log = logging.getLogger("lexbeam")

DIRECT = "direct"


@dataclass(frozen=True, kw_only=True)
class RunnerConfig:
    """A runner and its options.

    Attributes:
        runner: `direct`, or the name of a Beam runner.
        lanes: keys that heavy work is dealt out to; 0 leaves it to the runner's reshuffle. If a file
            does not say, there are as many as `direct` has workers, and 0 for other runners.
        needs: files that the runner needs.
        hint: how to get a file that is missing.
        beam: Beam options, by name.
    """

    runner: str = option(DIRECT, help="`direct`, or the name of a Beam runner")
    lanes: int = option(0, help="keys that heavy work is dealt out to", least=0)
    needs: tuple[str, ...] = option((), help="files that must be there")
    hint: str = option("", help="how to get them")
    beam: tuple[str, ...] = option((), help="Beam options")

    @property
    def here(self) -> bool:
        """Whether all workers are certain to be on this machine."""
        return self.runner == DIRECT

    @property
    def elsewhere(self) -> bool:
        """Whether all workers are certain to be on other machines, which see none of this one's files."""
        return self.runner.rpartition(".")[2] == "DataflowRunner"


def load_runner_config(name: str, extra: Sequence[str] = ()) -> RunnerConfig:
    """Read a runner configuration and check its Beam options and `extra` ones.

    Args:
        name: path of a YAML file, or name of a configuration that comes with Lexbeam.
        extra: Beam options as on a command line; they come after those of the file, and so win.

    Raises:
        UsageError: there is no such file, an option is unknown, or a file that the runner needs is missing.
    """
    values = _read(name)
    options = values.pop("beam", None) or {}
    if not isinstance(options, dict):
        raise UsageError(f"{name}: `beam` must be a mapping of Beam options")
    arguments = [word for key, value in options.items() for word in _flags(key, value)]
    config = from_mapping(RunnerConfig, values, f"{name}: ")
    arguments += list(extra)
    parsed = _parsed(arguments)
    runner = parsed.runner or config.runner
    known = (DIRECT, *StandardOptions.KNOWN_RUNNER_NAMES)
    # A runner may also be the full name of a class.
    if runner not in known and "." not in runner:
        raise UsageError(f"no runner is called {runner!r}{nearest(runner, known)}")
    if runner == DIRECT and parsed.direct_running_mode == "multi_threading":
        raise UsageError(
            "--direct_running_mode=multi_threading: its threads share a core, and talk by ports that other users of "
            "this machine reach: give multi_processing or in_memory"
        )
    if runner.rpartition(".")[2] == "FlinkRunner" and not parsed.flink_master.startswith("["):
        place_of(parsed.flink_master)
    for path in config.needs:
        if not os.path.exists(path):
            raise UsageError(f"runner configuration {name!r} needs {path}; {config.hint}")
    lanes = config.lanes
    if runner == DIRECT and parsed.direct_num_workers == 0:  # in Beam's terms: one for each core
        arguments.append(f"--direct_num_workers={cores()}")
    if runner == DIRECT and "lanes" not in values:
        lanes = parsed.direct_num_workers or cores()
    return replace(config, runner=runner, lanes=lanes, beam=tuple(arguments))


def cluster_of(config: RunnerConfig) -> str:
    """Return the address of the Flink cluster on which jobs go on when the driver has ended.

    Raises:
        UsageError: there is none, or the job needs something of the driver's machine.
    """
    options = PipelineOptions(list(config.beam))
    master = options.view_as(FlinkRunnerOptions).flink_master
    if config.runner.rpartition(".")[2] != "FlinkRunner" or master.startswith("["):
        raise UsageError(
            f"`detach` leaves the work to a Flink cluster, and {config.runner} is none that goes on by itself: give "
            "another `runner_config`, such as flink_cluster, or leave it out"
        )
    if options.view_as(PortableOptions).environment_type == "LOOPBACK":
        raise UsageError("`detach`: with --environment_type=LOOPBACK the workers end with this command: give PROCESS")
    setup = options.view_as(SetupOptions)
    staged = setup.requirements_file or setup.setup_file or setup.extra_packages or setup.save_main_session
    if staged and not options.view_as(BeamJobServerOptions).artifacts_dir:
        raise UsageError(
            "`detach`: what Beam is to bring to the workers must outlive this command: name a folder that they see, "
            "too, by --artifacts_dir, or install it there"
        )
    return address_of(master)


# Of runners that run streams: what they cannot, for a warning.
_STREAMING = {
    "FlinkRunner": "",
    "PortableRunner": "",
    "DataflowRunner": "no stream has been run there yet",
    "PrismRunner": "prism knows no checkpoints and holds back no source; it is for trying a stream out",
}


# What a bundle yields while a checkpoint is taken, Beam's operators keep until the next bundle begins. Behind the
# impulse, with which all polling begins, no other comes: a stream whose first checkpoint came early never looked.
_WHOLE_BUNDLES = ("--finish_bundle_before_checkpointing",)


def load_stream_config(name: str, extra: Sequence[str] = ()) -> RunnerConfig:
    """Read a runner configuration for a pipeline that does not end; see `load_runner_config`.

    Raises:
        UsageError: as there, or the runner runs no stream.
    """
    config = load_runner_config(name, ["--streaming", *extra])
    runner = config.runner.rpartition(".")[2]
    if runner not in _STREAMING:
        bounded = runner in (DIRECT, "DirectRunner", "FnApiRunner")
        why = "works stage after stage, and the first of a stream never ends, so that nothing would land"
        raise UsageError(
            f"`runner_config`: {runner} {why if bounded else 'is not known to run streams'}: give flink_stream, "
            "flink_cluster or prism; or refresh at intervals by `lexbeam refresh`"
        )
    if PipelineOptions(list(config.beam)).view_as(JobServerOptions).load_balance_bundles:
        raise UsageError(
            "--load_balance_bundles: a stage of a stream keeps its worker for ever, and the next would wait as long: "
            "give `runner_config` flink_stream, or leave it out"
        )
    if _STREAMING[runner]:
        log.warning("%s", _STREAMING[runner])
    return replace(config, beam=(*config.beam, *_WHOLE_BUNDLES)) if runner == "FlinkRunner" else config


def _read(name: str) -> dict[str, object]:
    if os.path.isfile(name):
        here, path = os.path.dirname(os.path.abspath(name)), name
    else:
        folder = importlib.resources.files("lexbeam.runner_configs")
        known = [path.name.removesuffix(".yaml") for path in folder.iterdir() if path.name.endswith(".yaml")]
        wanted = os.path.basename(name).removesuffix(".yaml")
        if wanted not in known:
            hint = nearest(wanted, known) or f"; Lexbeam brings {', '.join(sorted(known))}"
            raise UsageError(f"`runner_config`: there is no {quoted(name)}{hint}")
        here, path = str(folder), str(folder.joinpath(wanted + ".yaml"))
    values = read_yaml(path)
    if not isinstance(values, dict):
        raise UsageError(f"{name}: a runner configuration is a mapping")
    variables = {**os.environ, "HERE": here, "CORES": str(cores())}
    return {str(key): _filled(value, variables, name) for key, value in values.items()}


# A default may itself hold variables, but no other braces.
_VARIABLE = re.compile(r"\$\{(\w+)(?::-((?:[^{}]|\$\{\w+\})*))?\}")


def _filled(value: object, variables: Mapping[str, str], name: str) -> object:
    if isinstance(value, dict):
        return {key: _filled(item, variables, name) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, variables, name) for item in value]
    return _text_filled(value, variables, name) if isinstance(value, str) else value


def _text_filled(text: str, variables: Mapping[str, str], name: str) -> str:
    def content(match: re.Match[str]) -> str:
        # As in a shell, an empty variable counts as unset.
        if value := variables.get(match[1]):
            return value
        if match[2] is None:
            raise UsageError(f"{name}: set the environment variable {match[1]}")
        return _text_filled(match[2], variables, name)

    return _VARIABLE.sub(content, text)


def _flags(key: str, value: object) -> list[str]:
    if value is True:
        return [f"--{key}"]
    if value is False or value is None:
        return []
    return [f"--{key}={item}" for item in (value if isinstance(value, list) else [value])]


class JobServerOptions(PipelineOptions):
    """Options that Beam's Java job servers know, and Beam's Python does not.

    They are declared as Beam declares its own, and so checked with the others and sent to the job server.
    """

    @classmethod
    def _add_argparse_args(cls, parser: argparse.ArgumentParser) -> None:
        # No defaults: an option that is not set is not sent.
        parser.add_argument("--load_balance_bundles", action="store_true", default=None)
        parser.add_argument(
            "--execution_mode_for_batch", choices=("PIPELINED", "PIPELINED_FORCED", "BATCH", "BATCH_FORCED")
        )
        parser.add_argument("--flink_conf_dir")
        parser.add_argument("--checkpointing_interval", type=int)
        parser.add_argument("--finish_bundle_before_checkpointing", action="store_true", default=None)


class _BeamParser(argparse.ArgumentParser):
    _formatter = argparse.HelpFormatter("", width=80)  # for each option it would ask how wide the terminal is

    def _get_formatter(self) -> argparse.HelpFormatter:
        return self._formatter

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"Beam option: {message}")


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
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
    # Otherwise a stage that has a worker waits for a stage that is still waiting for a worker.
    if values.load_balance_bundles and values.execution_mode_for_batch != "BATCH_FORCED":
        raise UsageError(
            "--load_balance_bundles needs --execution_mode_for_batch=BATCH_FORCED: without it Flink waits forever"
        )
    return values


def cores(root: str = "/") -> int:
    """Return the number of cores that this process may use, at least 1.

    These are the machine's cores without those that it is kept from (`taskset`, a batch system), and no
    more than its control groups allow (a container's limit; part of a core counts as a core).

    Args:
        root: the folder that holds the system's `proc` and `sys`.
    """
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        usable = os.cpu_count() or 1
    return max(1, min([usable, *_quotas(Path(root))]))


def _quotas(root: Path) -> Iterator[int]:
    """Yield the limits of the control groups of this process, of either version."""
    try:
        lines = (root / "proc/self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds == "" or "cpu" in kinds.split(","):
            folder = root / "sys/fs/cgroup" / kinds
            # A container may see its own group as the top, whatever the path says.
            for name in ("", *path.strip("/").split("/")):
                folder /= name
                yield from _quota(folder)


def _quota(folder: Path) -> Iterator[int]:
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            allowed, period = " ".join((folder / name).read_text() for name in names).split()
            if int(allowed) > 0:  # else -1, or the word max
                yield math.ceil(int(allowed) / int(period))
        except (OSError, ValueError, ZeroDivisionError):
            continue
