"""Write a configuration for an input, from a look at it.

    lexbeam init mine texts/
    lexbeam run mine/config.yaml

Every value is chosen from what was found, and a comment says why: a person reads it and corrects
it. The corpus is annotated by an engine that is installed.
"""

import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipelines.commands.corpus.init_look import Look, look_at, sample
from pipelines.frame.command import Action, Command
from pipelines.frame.common_options import IntakeOptions
from pipelines.frame.configuration import read_jobs
from pipelines.frame.running import run_command
from schemas.rejects import REMEDIES
from transforms.annotation.engines.registry import describe_engine
from transforms.annotation.guessing import guess_engine
from transforms.change.view.proposals import ENOUGH, ENOUGH_TOKENS, LEAST, SliceProposal, propose_slices
from transforms.common.errors import LexbeamError, UsageError
from transforms.common.options.fields import option
from transforms.common.publish.output_folders import check_output_folder, make_output_folder
from transforms.common.shown import units
from transforms.common.store import files
from transforms.embeddings.trainers import TRAINERS
from transforms.formats.dates.guessing import MOST, guess_fields
from transforms.formats.ingest.listing import InputPatterns, find_files
from transforms.formats.records.base import HTML_READ, ReaderOptions
from transforms.formats.records.scripts import UNSPACED, scripts_of

__all__ = ["INIT", "InitOptions", "config_text"]

CONFIG = "config.yaml"
RESULTS = "results"
RULES = "name:REGEX, header, field:NAME, table:FILE:key=COLUMN,date=COLUMN or FROM..TO"


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


def _init(options: InitOptions, action: Action) -> None:
    """Look at the input, and write the configuration."""
    path = files.join(options.folder, CONFIG)
    check_output_folder(options.folder, "folder")
    for name in options.inputs:
        _check_apart(options.folder, name)
    patterns = InputPatterns(options.inputs, (), files.join(options.folder, RESULTS))
    number, some = sample(find_files(patterns))
    if files.exists(path) and not options.overwrite:
        raise UsageError(f"{files.shown(path)} is there already: give `overwrite`, or another folder")
    action.tell(f"looking into {number:,} {units(number, 'input files')}")
    look = look_at(some, number, options.encoding)
    if not look.documents:
        raise LexbeamError(
            f"no document can be read of the {look.looked} input files looked into"
            + (f"; the first: {look.example}" if look.example else "")
            + "".join(f"; {REMEDIES[reason]}" for reason in look.rejects if reason in REMEDIES)
        )
    documents, sizes = look.over_time(find_files(patterns))
    places = [_relative(name, options.folder) for name in options.inputs]
    lines = list(config_text(look, propose_slices(documents, sizes), documents, places))
    make_output_folder(options.folder, "folder")
    files.write_bytes(path, "".join(f"{line}\n" for line in lines).encode())
    for line in lines:
        action.tell(line)
    _try(path)
    if not look.annotated and _engine(look) is None:
        action.tell("\nbefore it can run, it needs an engine: the comment there says why")
    action.tell(f"\nread and correct it: {files.shown(path)}")
    action.tell(f"then run it: lexbeam run {files.typed(path)}")


def _try(path: str) -> None:
    """Check that a run takes the configuration: its options, and the first documents, of which nothing is written.

    Raises:
        LexbeamError: it does not; the message says why.
    """
    try:
        for job in read_jobs(path, {}):
            if job.section == "corpus":
                run_command("corpus", replace(job.options, dry_run=True), tell=lambda line: None)
    except LexbeamError as error:
        raise LexbeamError(
            f"{files.shown(path)} is written, and must be corrected before it can run: {error}"
        ) from error


def _check_apart(folder: str, name: str) -> None:
    """Check that what is written would not be read as a text."""
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


def config_text(
    look: Look, proposal: SliceProposal, years: Sequence[int] | dict[int, int], inputs: Sequence[str]
) -> Iterator[str]:
    """Yield the lines of a configuration.

    Args:
        look: what was seen of the input.
        proposal: the slices that it lends itself to.
        years: the years that have documents.
        inputs: the inputs, as the file is to have them.
    """
    seen = "all" if look.looked == look.files else f"{look.looked:,} of {look.files:,}"
    part = "" if look.whole else ", not all of them to their end"
    yield f"# Written by `lexbeam init` after a look into {seen} input files{part}."
    yield "# Run it by `lexbeam run config.yaml`; paths are relative to this file."
    yield "# `lexbeam corpus --help` and `lexbeam change --help` list all options."
    yield f"out: {RESULTS}"
    yield from _reject_share(look)
    yield ""
    yield "corpus:"
    yield f"  inputs: [{', '.join(map(_quoted, inputs))}]"
    if look.exclude:
        shown = ", ".join(map(_quoted, look.exclude))
        yield f"  exclude: [{shown}]  # nothing of them can be taken in:"
        yield from (f"  # {pattern}: {_comment(why)}" for pattern, why in look.exclude.items())
    yield from _format(look)
    yield from _language(look)
    yield from _dates(look, years)
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
    number = len(look.documents)
    listed = ", ".join(f"{name} {n}" for name, n in look.formats.most_common())
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


def _dates(look: Look, years: Sequence[int] | dict[int, int]) -> Iterator[str]:
    dates = look.dates
    if dates is None:
        yield "  # No date was found, and `change` needs dates. Say where they are:"
        yield f"  # dates: {RULES}"
        yield from _table_of_dates()
        return
    value = f"dates: {_quoted(dates.rule)}"
    of = f"{dates.dated:,} of {dates.of:,}"
    if dates.dated < MOST * dates.of:
        yield f"  # This finds a date in {of} documents; the others would be left out:"
        yield f"  # {value}"
        yield from _table_of_dates()
        return
    yield f"  {value}  # {of} documents: {min(years)} to {max(years)}"


def _table_of_dates() -> Iterator[str]:
    yield "  # Or write a table file,year, whose keys are paths below the input, such as 1900/a.txt:"
    yield '  # dates: "table:dates.csv:key=file,date=year"'


def _change(look: Look, proposal: SliceProposal) -> Iterator[str]:
    dated = look.dates is not None and look.dates.dated >= MOST * look.dates.of
    if not dated or proposal.reason:
        why = proposal.reason if dated else "the documents have no dates"
        yield f"# No slices are proposed: {why}."
        if dated:
            yield f"# A finding is possible from {LEAST} documents a side on, and likelier from {ENOUGH}. Parts of one"
            yield "# text, such as its chapters, are no documents: their words differ whatever the dates are."
        yield "# change:"
        yield '#   slices: "FROM-TO,FROM-TO"'
        yield "#   seeds: 3"
        return
    first, second = proposal.documents
    yield "change:"
    if look.counted:
        sizes = " and ".join(f"{size:,}" for size in proposal.tokens)
        yield f"  # Periods with both ends included, here of {proposal.sizes} ({sizes} tokens),"
    else:
        yield f"  # Periods with both ends included, here of {proposal.sizes} by an estimate"
        what = "the sizes of the files" if look.by_names else "the words of what was looked at"
        yield f"  # from {what} (`lexbeam corpus` counts tokens),"
    yield f"  # with {first:,} and {second:,} documents" + (":" if look.complete else " of those looked at:")
    yield f"  slices: {_quoted(proposal.spec)}"
    yield from _training(look, proposal)
    yield "  # targets: words.txt  # words that you ask about, one a line"
    if (engine := _engine(look)) and _lacks_upos(engine):
        yield "  # rank-stop-words: 100  # leaves the most frequent words, function words above all, out of rankings"


def _training(look: Look, proposal: SliceProposal) -> Iterator[str]:
    """Yield what allows a finding where the texts do: nulls, seeds, and the fastest trainer that is here."""
    yield "  seeds: 3  # trainings, whose scores are averaged"
    yield "  null: 5  # pairs whose documents, never parts of them, are dealt out anew: what chance gives"
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


def _quoted(text: str) -> str:
    # A scalar of JSON is one of YAML.
    return json.dumps(text, ensure_ascii=False)


def _comment(text: Any) -> str:
    return " ".join(str(text).split())


INIT: Command[InitOptions, None] = Command(
    options=InitOptions,
    examples="""\
  lexbeam init mine texts/
  lexbeam run mine/config.yaml""",
    action=_init,
)
