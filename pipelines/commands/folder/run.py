"""Any commands from one configuration file, their sections published together.

    lexbeam run config.yaml --out results
    lexbeam run config.yaml --from change --overwrite

What the file may hold is described in pipelines/frame/configuration.py. The command line wins over it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from lexbeam.pipelines.frame.command import Action, Command, Job
from lexbeam.pipelines.frame.common_options import PARTS_HELP, IntakeOptions, PublishOptions, or_a_name
from lexbeam.pipelines.frame.configuration import ON_FAILURE, read_jobs, read_on_failure
from lexbeam.pipelines.frame.running import run_jobs
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.parts import stated_parts
from lexbeam.transforms.common.store import files


@dataclass(frozen=True, kw_only=True)
class ConfigOptions:
    """Options of every command that runs a configuration; None means that the file, or the default, decides."""

    config: str = option(
        help="YAML file, such as `lexbeam init` writes", metavar="CONFIG.yaml", positional=True, path="place"
    )
    out: str | None = option(None, help="folder of the published tables", path="place", group="run")
    runner_config: str | None = option(
        None,
        help="YAML file of runner_configs/, or its name",
        metavar="FILE",
        path="place",
        within=or_a_name,
        group="run",
    )
    detach: bool = option(
        False,
        help="leave the work to a Flink cluster and end; the same command again goes on when it is done",
        group="run",
    )
    max_reject_share: float | None = option(
        None,
        help="publish nothing if more than this share of input records is rejected",
        least=0,
        most=1,
        group="limits",
    )
    parts: str | None = option(None, help=PARTS_HELP, metavar="N", check=stated_parts, group="run")
    on_failure: str | None = option(
        None,
        help="where a section fails: publish nothing, or the sections that neither feed it nor are made from it",
        choices=ON_FAILURE,
        group="run",
    )

    def jobs(self, **more: Any) -> list[Job]:
        """Return the jobs of the file, with these options and `more` in place of what it says."""
        named = {f.name: getattr(self, f.name) for f in fields(IntakeOptions) if hasattr(self, f.name)}
        return read_jobs(self.config, {name: value for name, value in named.items() if value is not None} | more)

    def apart(self) -> bool:
        """Return whether sections fail apart, as the command line says, or else the file."""
        return (self.on_failure or read_on_failure(self.config)) == "publish-others"


@dataclass(frozen=True, kw_only=True)
class RunOptions(ConfigOptions, PublishOptions):
    """Options of `lexbeam run`."""

    only: tuple[str, ...] = option(
        (), help="run only these sections of the file; what they read must be published", metavar="SECTION"
    )
    start: str | None = option(None, name="from", help="run this section and those after it", metavar="SECTION")


def _chosen(options: RunOptions, jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that `only` and `from` leave.

    Raises:
        UsageError: the file has no such section, or no section is left.
    """
    known = [job.section for job in jobs]
    wanted = [name.replace(" ", ".") for name in options.only]
    start = options.start.replace(" ", ".") if options.start else None
    asked = [*(("only", name) for name in wanted), *([("from", start)] if start else [])]
    for option_name, name in asked:
        if name not in known:
            hint = nearest(name, known) or f"; it has {', '.join(known)}"
            raise UsageError(f"`{option_name}`: {files.shown(options.config)} has no section {name!r}{hint}")
    first = known.index(start) if start else 0
    chosen = [job for job in jobs[first:] if not wanted or job.section in wanted]
    if not chosen:
        raise UsageError(f"no section is left: {', '.join(wanted)} comes before {start}")
    return chosen


class Run(Command[RunOptions, None]):
    """`lexbeam run`."""

    options = RunOptions
    examples = """\
  lexbeam run config.yaml --out results
  lexbeam run config.yaml --from change --overwrite
  lexbeam run config.yaml --runner-config direct_multiprocess"""
    takes_beam = True

    def action(self, options: RunOptions, action: Action) -> None:
        """Run the sections of a file and publish them at once."""
        jobs = _chosen(options, options.jobs())
        noted = {"config": files.absolute(options.config)}
        run_jobs(jobs, jobs[0].options, tell=action.tell, beam=action.beam, noted=noted, apart=options.apart())
