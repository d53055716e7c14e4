"""Options that several commands take: what is published where, and what runs it."""

from dataclasses import dataclass

from lexbeam.pipelines.monitoring.lineage import check_lineage_place
from lexbeam.pipelines.monitoring.prometheus import check_metrics_file
from lexbeam.pipelines.runners.hooks import hook_words
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.parts import AUTO, stated_parts

KEEP = ("all", "used", "published")
PARTS_HELP = "parts (files) of each table of records: a number, or auto: 8, and of large tables more by their size"
RUN = "run"
LIMITS = "limits"


@dataclass(frozen=True, kw_only=True)
class FolderOptions:
    """Options of every command that looks at a folder."""

    path: str = option(help="folder of published tables", metavar="DIR", positional=True, path="place")


@dataclass(frozen=True, kw_only=True)
class HookOptions:
    """Options of every command after which readers may see another snapshot."""

    on_publish: str | None = option(
        None,
        help="run this once readers see another snapshot, until it ends well, with LEXBEAM_OUT, LEXBEAM_SNAPSHOT and "
        "LEXBEAM_TOKEN set; not by a shell",
        metavar="COMMAND",
        check=hook_words,
        published=False,
        group=RUN,
    )


@dataclass(frozen=True, kw_only=True)
class MonitoringOptions(HookOptions):
    """Options of what others are told of a run; none of them affects what is published."""

    prometheus: str | None = option(
        None,
        help="write metrics here when the run has ended, however it did, for node_exporter's textfile collector",
        metavar="FILE.prom",
        path="place",
        check=check_metrics_file,
        published=False,
        group=RUN,
    )
    openlineage: str | None = option(
        None,
        help="send OpenLineage events there: a file, to which they are added, or the URL of a server (extra "
        "openlineage); OPENLINEAGE_URL and the like count as well",
        metavar="FILE|URL",
        path="place",
        check=check_lineage_place,
        published=False,
        group=RUN,
    )


@dataclass(frozen=True, kw_only=True)
class KeepOptions(MonitoringOptions):
    """Options of what a folder keeps, and of what follows a publication; none of them affects what is published."""

    keep: str = option(
        "all",
        help="artefacts kept for later runs: all, those that this run made or took up, or only published parts",
        choices=KEEP,
        published=False,
        group=RUN,
    )
    keep_snapshots: int = option(
        2, help="snapshots kept, the new one among them; those with tags stay, too", least=1, published=False, group=RUN
    )
    keep_days: float = option(
        0, help="also keep every snapshot that was published in so many days", least=0, published=False, group=RUN
    )


@dataclass(frozen=True, kw_only=True)
class PublishOptions(KeepOptions):
    """Options of every command that publishes; none of them affects what is published."""

    out: str = option(help="folder of the published tables", path="place", published=False, group=RUN)
    resume: bool = option(
        False, help="continue a run that was cut off, with the same options", published=False, group=RUN
    )
    overwrite: bool = option(
        False, help="replace what is published there; artefacts are still reused", published=False, group=RUN
    )
    fresh: bool = option(False, help="make everything anew, whatever artefacts there are", published=False, group=RUN)
    drop: tuple[str, ...] = option(
        (), help="published sections to remove with this publication", metavar="SECTION", published=False, group=RUN
    )


def or_a_name(value: str) -> Within:
    """Return a value that is a path if something is there."""
    return Within("", value, perhaps=True)


def model_folder(engine: str) -> Within | None:
    """Return where the path is in `spacy:NAME_OR_PATH` and in `stanza:LANG:DIR`."""
    kind, _, rest = engine.partition(":")
    if kind == "builtin":  # what follows is a language, even if a folder has its name
        return None
    if kind == "stanza":
        language, _, folder = rest.partition(":")
        return Within(f"stanza:{language}:", folder) if folder else None
    return Within(f"{kind}:", rest, perhaps=True) if rest else None


@dataclass(frozen=True, kw_only=True)
class RunnerOptions(PublishOptions):
    """Options of every command that runs a pipeline."""

    runner_config: str = option(
        "direct",
        help="YAML file of runner_configs/, or its name; where others use this machine, direct or direct_multiprocess",
        metavar="FILE",
        path="place",
        within=or_a_name,
        published=False,
        group=RUN,
    )
    detach: bool = option(
        False,
        help="leave the work to a Flink cluster and end; the same command again goes on when it is done",
        published=False,
        group=RUN,
    )


@dataclass(frozen=True, kw_only=True)
class IntakeOptions(RunnerOptions):
    """Options of every command that makes tables of raw records."""

    max_reject_share: float = option(
        0.05, help="publish nothing if more than this share of input records is rejected", least=0, most=1, group=LIMITS
    )
    parts: str = option(AUTO, help=PARTS_HELP, metavar="N", check=stated_parts, group=RUN)
