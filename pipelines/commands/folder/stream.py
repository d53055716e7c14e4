"""Takes in and annotates documents as they come, by a pipeline that does not end; the next refresh finds all done."""

import _thread
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lexbeam.pipelines.commands.corpus.plan import CorpusOptions, steps_of
from lexbeam.pipelines.frame.command import Action, Command, or_a_name
from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.transforms.annotation.annotate import AnnotateRecords
from lexbeam.transforms.annotation.landed_texts import receipts_since
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.layout import locked
from lexbeam.transforms.common.publish.removing import streaming
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.models import carry, models_noted
from lexbeam.transforms.formats.ingest.ingestion import Ingest
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, refuse_output_as_input
from lexbeam.transforms.stream.landing_windows import Land, WindowRule, WindowSteps, intake_of, seconds_of
from lexbeam.transforms.stream.polling import LookWatch, patience
from lexbeam.transforms.stream.stream_sources import SOURCES, check_landing, chosen_source

if TYPE_CHECKING:
    import apache_beam as beam

SECTION = "corpus"


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """Options of `lexbeam stream`."""

    config: str = option(
        help="YAML file, such as `lexbeam init` writes, with a section corpus",
        metavar="CONFIG.yaml",
        positional=True,
        path="place",
    )
    out: str | None = option(None, help="folder of the published tables, in which artefacts land", path="place")
    source: str = option(
        "files",
        help="where documents come from: " + "; ".join(f"{name}: {entry.explained}" for name, entry in SOURCES.items()),
        metavar="NAME[:ADDRESS]",
        check=chosen_source,
    )
    landing: str | None = option(
        None,
        help="folder, one of the inputs, in which what comes becomes files, where it is none",
        metavar="DIR",
        path="place",
    )
    window: str = option("5m", help="time after which a window of documents lands", metavar="TIME", check=seconds_of)
    window_size: int = option(1000, help="files, or lines, with which a window lands before its time", least=1)
    every: str = option("10s", help="time between two looks at the inputs", metavar="TIME", check=seconds_of)
    runner_config: str = option(
        "flink_stream", help="YAML file of runner_configs/, or its name", metavar="FILE", path="place", within=or_a_name
    )


def _corpus(options: StreamOptions) -> CorpusOptions:
    given = {} if options.out is None else {"out": options.out}
    for job in read_jobs(options.config, given):
        if job.section == SECTION:
            return job.options  # type: ignore[no-any-return]
    raise UsageError(f"{files.shown(options.config)} has no section {SECTION}: nothing says what is to be taken in")


@contextmanager
def _telling(workspace: Workspace, steps: WindowSteps, options: StreamOptions, action: Action) -> Iterator[None]:
    """Tell of each window that lands while the block runs, and in the end of all."""
    folder, stopped = workspace.stage(Land.name), threading.Event()
    intake = intake_of(AnnotateRecords(steps.annotate).place(workspace), steps.ingest)
    seen: set[str] = set()
    before = sum(receipt.intake == intake for receipt in receipts_since(workspace.root, folder, seen))
    if before:
        action.tell(f"{amount(before, 'windows')} landed before")
    total: Counter[str] = Counter()
    looks, dead = LookWatch(workspace.root, patience(seconds_of(options.every))), list[LexbeamError]()

    def tell() -> None:
        for receipt in receipts_since(workspace.root, folder, seen):
            if receipt.intake == intake:
                total.update(receipt.counts)
                total["windows"] += 1
                action.tell(f"landed: {_shown(receipt.counts)}; {_shown(total)} since the start")

    def watch() -> None:
        took = 0.0
        while not stopped.wait(max(_SECONDS, _REST * took)):
            begun = time.monotonic()
            tell()
            took = time.monotonic() - begun
            try:
                looks.check()
            except LexbeamError as error:  # the runner waits for ever
                dead.append(error)
                _thread.interrupt_main()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    except BaseException:
        if dead:  # whatever has become of the interrupt
            raise dead[0] from None
        raise
    finally:
        stopped.set()
        thread.join()
        tell()
        action.tell(
            f"{amount(total['windows'], 'windows')} landed, {_shown(total)}: `lexbeam refresh "
            f"{files.typed(options.config)}` takes them up, and the same command goes on"
        )


_SECONDS = 1.0  # between two looks at what has landed
_REST = 20  # and at least this many times what one took


def _shown(counts: "Counter[str] | dict[str, int]") -> str:
    return ", ".join(amount(counts[name], name) for name in ("files", "documents", "rejects"))


class Stream(Command[StreamOptions, None]):
    """`lexbeam stream`."""

    options = StreamOptions
    examples = """\
  lexbeam stream config.yaml --window 5m
  lexbeam stream config.yaml --source lines:localhost:9000 --landing texts/landed
  lexbeam stream config.yaml --window 10s --every 2s --runner-config prism"""
    stages = (Ingest, AnnotateRecords, Land)
    takes_beam = True

    def action(self, options: StreamOptions, action: Action) -> None:
        """Land windows until the command is stopped.

        Raises:
            UsageError: an option is wrong, or the runner runs no stream.
            LexbeamError: another stream has the folder, or the pipeline failed.
        """
        from lexbeam.pipelines.runners.configs import load_stream_config
        from lexbeam.pipelines.runners.runners import run_pipeline

        corpus = _corpus(options)
        out = files.absolute(corpus.out)
        rule = WindowRule(seconds_of(options.window), options.window_size)
        source = chosen_source(options.source)
        landing = None if options.landing is None else files.absolute(options.landing)
        check_landing(source, landing, corpus.inputs, corpus.format)
        config = load_stream_config(options.runner_config, action.beam)
        if landing is not None:
            files.make_folder(landing, private=True)
        refuse_output_as_input(corpus.inputs, out)
        for path in corpus.inputs:
            files.check_there(files.root_of(path))
        with models_noted() as models:
            steps = WindowSteps(*steps_of(corpus), corpus.duplicates)
        inputs = tuple(map(files.absolute, corpus.inputs))
        patterns = InputPatterns(inputs, tuple(corpus.exclude), out)

        def build(pipeline: "beam.Pipeline") -> bool:
            import apache_beam as beam

            from lexbeam.transforms.stream.ptransforms import LandWindows, PollFiles

            if landing is not None:
                _ = pipeline | "ReadSource" >> source.feed(landing, rule, corpus.reader.max_line_bytes)
            _ = (
                pipeline
                | "Inputs" >> beam.Create([patterns], reshuffle=False)
                | "PollFiles" >> PollFiles(workspace, steps, rule, seconds_of(options.every))
                | "LandWindows" >> LandWindows(workspace, steps, rule)
            )
            return True

        with locked(out):  # what is in the way there is found as for a run, which may go on beside the stream
            pass
        with streaming(out) as root:
            workspace = Workspace(root)
            if not config.here:
                carry(workspace, models)
            action.tell(f"landing in {files.shown(out)}; stop it by Ctrl-C or `kill`")
            run_pipeline(build, config, _telling(workspace, steps, options, action))
