"""Write a configuration for an input, from a look at it.

Every value is chosen from what was found, and a comment says why: a person reads it and corrects
it. The corpus is annotated by an engine that is installed.
"""

import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lexbeam.pipelines.commands.corpus.init_look import Look, look_at
from lexbeam.pipelines.commands.corpus.init_sample import draw_files
from lexbeam.pipelines.frame.command import Action, Command, IntakeOptions
from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.pipelines.frame.running import run_command
from lexbeam.pipelines.monitoring.estimates import time_left
from lexbeam.schemas.common_tables import REMEDIES
from lexbeam.transforms.annotation.engines.known_engines import describe_engine
from lexbeam.transforms.annotation.language_guessing import guess_engine
from lexbeam.transforms.change.view.slices import ENOUGH, ENOUGH_TOKENS, LEAST, SliceProposal, propose_slices
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.publish.leases import check_output_folder, make_output_folder
from lexbeam.transforms.common.shown import units
from lexbeam.transforms.common.store import files
from lexbeam.transforms.embeddings.trainers import TRAINERS
from lexbeam.transforms.formats.ingest.date_guessing import Dates, guess_fields
from lexbeam.transforms.formats.ingest.date_rules import RULES
from lexbeam.transforms.formats.ingest.input_listing import InputPatterns, find_files
from lexbeam.transforms.formats.records.base import HTML_READ, ReaderOptions
from lexbeam.transforms.formats.records.scripts import UNSPACED, scripts_of

CONFIG = "config.yaml"
RESULTS = "results"
PROPOSED = 4  # rules for dates that are shown
START = 8.0  # seconds that a section takes whatever its size
LONG = 300.0  # seconds of a run for which all cores are worth an option


@dataclass(frozen=True, kw_only=True)
class InitOptions:
    """Options of `lexbeam init`."""

    folder: str = option(help="folder to write config.yaml to", metavar="DIR", positional=True, path="place")
    inputs: tuple[str, ...] = option(
        help="files, folders or globs, as `lexbeam corpus` takes them",
        metavar="INPUT",
        positional=True,
        path="input",
        data="records",
    )
    encoding: tuple[str, ...] = option(
        (), help="encoding of texts, as `lexbeam corpus` takes it; without it, UTF-8 or found out", metavar="ENCODING"
    )
    overwrite: bool = option(False, help="replace the config.yaml that is there")


def _try(path: str) -> None:
    """Check that a run takes the configuration: its options, and the first documents, of which nothing is written."""
    try:
        for job in read_jobs(path, {}):
            if job.section == "corpus":
                run_command("corpus", replace(job.options, dry_run=True), tell=lambda line: None)
    except LexbeamError as error:
        raise LexbeamError(
            f"{files.shown(path)} is written, and must be corrected before it can run: {error}"
        ) from error


def _seconds(path: str, look: Look, proposal: SliceProposal) -> float:
    """Return about how long a run of the configuration takes, by the weights of its stages."""
    tokens = {"corpus": look.tokens_in_all, "change": sum(proposal.tokens)}
    seconds = 0.0
    for job in read_jobs(path, {}):
        weights = job.command.weights(job.options).values()
        seconds += START + sum(weights) * tokens.get(job.section, 0) / 1_000_000
    return seconds


def _check_apart(folder: str, name: str) -> None:
    root, place = files.real(files.root_of(name)), files.real(folder)
    if os.path.isdir(name) and f"{place}/".startswith(root.rstrip("/") + "/"):
        raise UsageError(
            f"`folder` {files.shown(folder)} lies in the input {files.shown(name)}, where the "
            "configuration would be read as a text: give another folder"
        )


def _relative(name: str, folder: str) -> str:
    """Return an input as the configuration has it: relative to the folder of the file."""
    if not files.is_local(name):
        return name
    relative = os.path.relpath(name, folder)
    try:
        relative.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{files.shown(name)} is not UTF-8, and a configuration is: give a folder above it") from None
    return relative


def config_text(look: Look, proposal: SliceProposal, inputs: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a configuration.

    Args:
        look: what was seen of the input.
        proposal: the slices that it lends itself to.
        inputs: the inputs, as the file is to have them.
    """
    seen = "all" if look.looked == look.files else f"{look.looked:,} of {look.files:,}"
    part = "" if look.whole else ", not all of them to their end"
    yield f"# Written by `lexbeam init` after a look into {seen} input files{part}."
    if not look.complete:
        number, tokens = _rough(look.documents_in_all), _rough(look.tokens_in_all)
        yield f"# By an estimate there are {number} documents with {tokens} tokens;"
        yield f"# language and dates are those of {len(look.documents):,} documents, drawn by their content."
    yield "# Run it by `lexbeam run config.yaml`; paths are relative to this file."
    yield "# `lexbeam corpus --help` and `lexbeam change --help` list all options."
    yield f"out: {RESULTS}"
    yield from _reject_share(look)
    yield ""
    yield "corpus:"
    yield f"  inputs: [{', '.join(map(_quoted, inputs))}]"
    if look.exclude:
        shown = ", ".join(map(_quoted, look.exclude))
        yield f"  exclude: [{shown}]  # these are no texts, or cannot be read:"
        yield from (f"  # {pattern}: {_comment(why)}" for pattern, why in look.exclude.items())
    yield from _format(look)
    yield from _language(look)
    yield from _dates(look)
    if (different := look.different) < len(look.documents):
        seen = f"{len(look.documents):,} documents"
        yield f"  # Of {seen} {different:,} differ; the others are repeated, which a run rejects."
    if look.rejects:
        reasons = ", ".join(f"{reason} {n}" for reason, n in look.rejects.most_common())
        yield f"  # Left out of what was looked at: {reasons}. One is:"
        yield f"  # {_comment(look.example)}"
        yield "  # More than 5 % stop a run, unless max-reject-share at the top allows them."
    yield ""
    yield from _change(look, proposal)


def _reject_share(look: Look) -> Iterator[str]:
    """Yield a line where a run would stop at the rejects."""
    rejects = look.rejects.total()
    records = len(look.documents) + rejects
    if rejects > IntakeOptions.max_reject_share * records:
        share = math.ceil(20 * rejects / records + 0.5) / 20  # the next twentieth, but for a margin
        yield f"max-reject-share: {min(share, 1.0):g}  # {rejects:,} of {records:,} records looked at; see below"


def _format(look: Look) -> Iterator[str]:
    number = look.number
    listed = ", ".join(f"{name} {n}" for name, n in sorted(look.formats.items(), key=lambda one: (-one[1], one[0])))
    if len(look.formats) == 1 and not look.rejects:
        yield f"  format: {next(iter(look.formats))}  # of all {number:,} documents looked at"
    else:
        yield f"  format: auto  # found out by file: {listed}"
    reader = look.reader
    if reader.encoding != ReaderOptions().encoding:
        yield f"  encoding: [{', '.join(reader.encoding)}]  # not all is UTF-8: look whether accents are right"
    if reader.text_field != "text":
        yield f"  text-field: {_quoted(reader.text_field)}  # what holds the longest texts"
    if reader.html != "reject":
        more = "; for the main text alone install the extra html, and say main" if reader.html == "all" else ""
        yield f"  html: {reader.html}  # {HTML_READ[reader.html].doc}{more}"
    if pairs := guess_fields(look.names):
        yield f"  fields: [{', '.join(map(_quoted, pairs))}]"
    if known := [name for name in ("author", "title", "genre") if look.names[name]]:
        yield f"  # The documents have {', '.join(known)}."


def _language(look: Look) -> Iterator[str]:
    language, number = (look.languages.most_common(1) or [("", 0)])[0]
    told = "script" if UNSPACED.intersection(scripts_of(language)) else "commonest words"
    how = "as the documents say" if look.said else f"by its {told}"
    if look.annotated:
        yield "  engine: none  # the input comes annotated"
        if language and not look.said:
            yield f"  language: {_quoted(language)}  # {how}"
        return
    engine = _engine(look)
    if engine is None:
        what = f"no installed engine knows {language!r}" if language else "the language was not recognised"
        yield f"  # {_comment(what)}: name an engine, without which nothing is annotated (docs/reference/annotation.md)"
        yield "  # engine: builtin:LANG"
        return
    if number < look.languages.total():
        listed = ", ".join(f"{name} {n}" for name, n in look.languages.most_common(5))
        language = f"{language} of most documents ({_comment(listed)})"
    yield f"  engine: {engine}  # language {language}, {how}"
    if _lacks_upos(engine):
        yield "  # It gives no parts of speech, so that rankings list function words, too."


def _lacks_upos(engine: str) -> bool:
    try:
        return not describe_engine(engine).has_upos
    except UsageError:  # its packages or its model are missing; trying the configuration says so
        return False


def _engine(look: Look) -> str | None:
    """Return the engine for the language of most documents; None: they come annotated, or no engine is known."""
    ((language, _),) = look.languages.most_common(1) or [("", 0)]
    return guess_engine(language) if language and not look.annotated else None


def _dates(look: Look) -> Iterator[str]:
    others = look.found[:PROPOSED]
    if look.dates is not None:
        yield f"  {_rule(look.dates)}"
        others = others[1:]
        if others:
            yield "  # Other dates that were found:"
    elif others:
        yield "  # No date is sure, and `change` needs dates. Found were:"
    else:
        yield "  # No date was found, and `change` needs dates."
        for name, text in look.unread[:PROPOSED]:
            yield f"  # Field {_comment(name)} has {_comment(repr(text))}, which no rule reads:"
            yield "  # write years of four digits, or dates as YYYY-MM-DD."
    for dates in others:
        yield f"  # {_rule(dates)}"
        yield f"  #   {_comment(dates.doubt)}"
    if look.undated:
        best = look.found[0]
        yield f"  # Without a date by {_comment(best.rule)}: {best.of - best.dated:,} of {best.of:,} documents, such as"
        yield from (f"  #   {_comment(line)}" for line in look.undated)
    if look.dates is None:
        yield f"  # Say where they are: {', '.join(RULES)}"
        yield from _table_of_dates()


def _rule(dates: Dates) -> str:
    years = str(dates.first) if dates.first == dates.last else f"{dates.first} to {dates.last}"
    return f"dates: {_quoted(dates.rule)}  # {dates.dated:,} of {dates.of:,} documents: {years}"


def _table_of_dates() -> Iterator[str]:
    yield "  # Or write a table file,year, whose keys are paths below the input, such as 1900/a.txt:"
    yield '  # dates: "table:dates.csv:key=file,date=year"'


def _change(look: Look, proposal: SliceProposal) -> Iterator[str]:
    if look.dates is None or proposal.reason:
        why = proposal.reason if look.found and proposal.reason else _undated(look)
        if look.found and proposal.reason and not look.complete:
            why = f"by an estimate, {why}"
        elif look.found and proposal.reason and (different := look.different) < len(look.documents):
            why = f"of {len(look.documents):,} documents {different:,} differ, the others are repeated: {why}"
        yield f"# No slices are proposed: {why}."
        if look.found:
            yield f"# A finding is possible from {LEAST} documents a side on, and likelier from {ENOUGH}. Parts of one"
            yield "# text, such as its chapters, are no documents: their words differ whatever the dates are."
        yield "# change:"
        yield '#   slices: "FROM-TO,FROM-TO"'
        yield "#   seeds: 3"
        return
    first, second = proposal.documents
    yield "change:"
    if look.counted and look.complete:
        sizes = " and ".join(f"{size:,}" for size in proposal.tokens)
        yield f"  # Periods with both ends included, here of {proposal.sizes} ({sizes} tokens),"
    else:
        yield f"  # Periods with both ends included, here of {proposal.sizes} by an estimate"
        what = "the sizes of the files" if look.by_names else "the characters of what was looked at"
        sizes = " and ".join(map(_rough, proposal.tokens))
        yield f"  # from {what} (about {sizes} tokens),"
    number = f"{first:,} and {second:,}"
    if not (look.complete or look.by_names):
        number = f"about {_rough(first)} and {_rough(second)}"
    yield f"  # with {number} documents:"
    yield f"  slices: {_quoted(proposal.spec)}"
    yield from _training(look, proposal)
    yield "  # targets: words.txt  # words that you ask about, one a line"
    if (engine := _engine(look)) and _lacks_upos(engine):
        yield "  # rank-stop-words: 100  # leaves the most frequent words, function words above all, out of rankings"


def _training(look: Look, proposal: SliceProposal) -> Iterator[str]:
    """Yield what allows a finding where the texts do: nulls, seeds, and the fastest trainer that is here."""
    yield "  seeds: 3  # trainings, whose scores are averaged"
    yield "  null: 5  # pairs whose documents, never parts of them, get dates at random: what chance gives"
    if look.complete and min(proposal.documents) < ENOUGH:
        yield f"  # With fewer than {ENOUGH} documents on a side most changes are not found: more texts would help."
    if look.counted and min(proposal.tokens) < ENOUGH_TOKENS:
        few = "few words of real text have the uses that a finding takes"
        yield f"  # With fewer than {ENOUGH_TOKENS:,} words on a side {few}."
    try:
        TRAINERS["fast"].check_installed("trainer")
    except UsageError:
        return
    yield "  trainer: fast  # as gensim, the default, trains, but several times as fast"


def _rough(number: int) -> str:
    """Return an estimate with no more digits than it deserves.

    >>> _rough(4_019_079), _rough(54)
    ('4,000,000', '54')
    """
    return f"{round(number, 2 - len(str(number))):,}"


def _undated(look: Look) -> str:
    if not look.found:
        return "no dates were found"
    return f"no dates are sure; {look.found[0].rule}: {look.found[0].doubt}"


def _quoted(text: str) -> str:
    # A scalar of JSON is one of YAML.
    return json.dumps(text, ensure_ascii=False)


def _comment(text: Any) -> str:
    return " ".join(str(text).split())


class Init(Command[InitOptions, None]):
    """`lexbeam init`."""

    options = InitOptions
    examples = """\
  lexbeam init mine texts/
  lexbeam run mine/config.yaml"""

    def action(self, options: InitOptions, action: Action) -> None:
        path = files.join(options.folder, CONFIG)
        check_output_folder(options.folder, "folder")
        for name in options.inputs:
            _check_apart(options.folder, name)
        patterns = InputPatterns(options.inputs, (), files.join(options.folder, RESULTS))
        drawn = draw_files(find_files(patterns))
        if files.exists(path) and not options.overwrite:
            raise UsageError(f"{files.shown(path)} is there already: give `overwrite`, or another folder")
        action.tell(f"looking into {drawn.number:,} {units(drawn.number, 'input files')}")
        look = look_at(drawn, options.encoding)
        if not look.documents:
            raise LexbeamError(
                f"no document can be read of the {look.looked} input files looked into"
                + (f"; the first: {look.example}" if look.example else "")
                + "".join(f"; {REMEDIES[reason]}" for reason in look.rejects if reason in REMEDIES)
            )
        documents, sizes = look.over_time(find_files(patterns))
        places = [_relative(name, options.folder) for name in options.inputs]
        if look.by_names and documents:  # of which all tell years
            look.found[0] = look.found[0]._replace(first=min(documents), last=max(documents))
        proposal = propose_slices(documents, sizes)
        lines = list(config_text(look, proposal, places))
        make_output_folder(options.folder, "folder", private=False)
        files.write_bytes(path, "".join(f"{line}\n" for line in lines).encode())
        for line in lines:
            action.tell(line)
        _try(path)
        if not look.annotated and _engine(look) is None:
            action.tell("\nbefore it can run, it needs an engine: the comment there says why")
        action.tell(f"\nread and correct it: {files.shown(path)}")
        seconds = _seconds(path, look, proposal)
        action.tell(f"then run it: lexbeam run {files.typed(path)}")
        action.tell(f"it takes {time_left(seconds).removesuffix(' left')} on one core, by an estimate")
        if seconds > LONG:
            action.tell("all cores work with --runner-config direct_multiprocess")
