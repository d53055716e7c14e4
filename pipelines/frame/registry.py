"""The commands: a line each, imported when asked for.

Commands from outside are entry points of the group `lexbeam.commands`: the name is the command's
words (`complexity split`), the value `package.module:CLASS`. One that cannot be imported is left
out with a warning, unless it is asked for by its name.
"""

import functools
import importlib
import importlib.metadata
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import LexbeamError

if TYPE_CHECKING:
    from lexbeam.pipelines.frame.command import Command
    from lexbeam.schemas.columns import Table

log = logging.getLogger("lexbeam")

DESCRIPTION = """\
Lexbeam turns raw corpora into lexical-semantics datasets and Parquet features.

  lexbeam sample --out sample --tokens 300000 --seed 1
  lexbeam run sample/config.yaml
  lexbeam show sample/results --top 20
"""


@dataclass(frozen=True)
class CommandEntry(Entry):
    """A command that is not imported yet.

    Attributes:
        where: `module:CLASS`.
        previews: whether it has an option `dry_run`, which is a function of its own in Python.
    """

    where: str
    previews: bool = False


def _from_outside(point: importlib.metadata.EntryPoint) -> CommandEntry:
    return CommandEntry(f"{point.module}:{point.attr}", doc=f"from {point.module}")


def _ours(where: str, doc: str, *, previews: bool = False) -> CommandEntry:
    return CommandEntry(f"lexbeam.pipelines.commands.{where}", doc=doc, previews=previews)


COMMANDS: Registry[CommandEntry] = Registry(
    {
        "corpus": _ours("corpus.corpus:CorpusCommand", "raw text to annotated sentences", previews=True),
        "change": _ours("change.change:Change", "time slices, embeddings, alignments and change scores"),
        "complexity select": _ours(
            "complexity.select:ComplexitySelect", "targets in their sentences, drawn from corpora"
        ),
        "complexity load": _ours("complexity.load:ComplexityLoad", "labelled files and word lists to instances"),
        "complexity export": _ours("complexity.export:ComplexityExport", "instances as files that people fill in"),
        "complexity aggregate": _ours(
            "complexity.aggregate:ComplexityAggregate", "judgments to labels, and how far people agree"
        ),
        "complexity features": _ours(
            "complexity.features:ComplexityFeatures", "features of words in their sentences, for complexity"
        ),
        "lexicon look": _ours("folder.show:LexiconLook", "what every given resource says of a word"),
        "complexity split": _ours(
            "complexity.split:ComplexitySplit", "splits alike in genre and complexity, no token in two"
        ),
        "evaluate change": _ours("change.evaluate:EvaluateChange", "change scores against gold, with intervals"),
        "complexity score": _ours(
            "complexity.score:ComplexityScore", "predict complexity by reference scorers, and measure them"
        ),
        "evaluate complexity": _ours(
            "complexity.evaluate:EvaluateComplexity", "a file of predicted complexity against a gold file"
        ),
        "evaluate cloze": _ours(
            "cloze.evaluate:EvaluateCloze", "answers to cloze questions against gold, beside what needs no reading"
        ),
        "cloze pairs": _ours("cloze.pairs:ClozePairs", "passages with summaries, for cloze questions"),
        "cloze abstractness": _ours(
            "cloze.abstractness:ClozeAbstractness", "how concrete words are, learned from ratings: a model"
        ),
        "cloze candidates": _ours(
            "cloze.candidates:ClozeCandidates",
            "words of summaries that may become answers, with every filter's verdict",
        ),
        "cloze explain": _ours(
            "cloze.candidates:ClozeExplain", "what filters say of each word of one summary, and why"
        ),
        "cloze options": _ours("cloze.options:ClozeOptions", "words beside the answers of cloze questions"),
        "cloze questions": _ours(
            "cloze.questions:ClozeQuestions", "cloze questions with five options, in splits, and the task's files"
        ),
        "cloze export": _ours("cloze.annotate:ClozeExport", "questions as files in which people answer them"),
        "cloze annotate": _ours("cloze.annotate:ClozeAnnotate", "people's answers to questions, and which are kept"),
        "cloze answer": _ours(
            "cloze.answer:ClozeAnswer", "reading systems that choose among the options of cloze questions"
        ),
        "simplify instances": _ours(
            "simplify.instances:SimplifyInstances", "words to simplify, in their sentences, with people's substitutes"
        ),
        "simplify train-inflector": _ours(
            "simplify.train_inflector:SimplifyTrainInflector", "form dictionaries to one file that inflects: a model"
        ),
        "simplify generate": _ours(
            "simplify.generate:SimplifyGenerate", "substitutes of words: thesauri, vectors, masked language models"
        ),
        "simplify select": _ours(
            "simplify.select:SimplifySelect", "candidates filtered by form, part of speech and similarity"
        ),
        "simplify rank": _ours("simplify.rank:SimplifyRank", "candidates ranked by simplicity"),
        "simplify rewrite": _ours("simplify.rewrite:SimplifyRewrite", "sentences with the chosen words in place"),
        "simplify text": _ours("simplify.text:SimplifyText", "texts with simpler words, and why each was changed"),
        "evaluate simplify": _ours(
            "simplify.evaluate:EvaluateSimplify",
            "substitutes of every stage, or of a file, against gold, and where gold is lost",
        ),
        "forget": _ours(
            "folder.forget:Forget",
            "remove documents from a folder, whatever keeps them, and leave them out from now on",
        ),
        "init": _ours("corpus.init:Init", "write a configuration for texts, from a look at them"),
        "run": _ours("folder.run:Run", "any commands from one configuration file, published once"),
        "stream": _ours("folder.stream:Stream", "take in and annotate documents as they come, without end"),
        "refresh": _ours(
            "folder.run:Refresh",
            "take up what has changed since a configuration was run, and publish it anew",
            previews=True,
        ),
        "show": _ours("folder.show:Show", "show tables, or answer questions about them"),
        "report": _ours("folder.show:Report", "one HTML page about all that is published"),
        "export": _ours("folder.export:Export", "vectors or tables, for other tools and archives"),
        "status": _ours("folder.status:Status", "what is done, left and stale in a folder"),
        "history": _ours("folder.history:FolderHistory", "what was published in a folder when, and what changed"),
        "diff": _ours("folder.diff:Diff", "how two snapshots differ: rows by key, scores that moved"),
        "tag": _ours("folder.history:Tag", "give a snapshot a name, under which it is kept"),
        "untag": _ours("folder.history:Untag", "take the name of a snapshot away"),
        "rollback": _ours("folder.history:Rollback", "let readers see an earlier snapshot again"),
        "clean": _ours("folder.survey:Clean", "free artefacts, and what killed runs have left in a folder"),
        "sample": _ours("corpus.sample:Sample", "write a sample corpus with planted sense changes"),
    },
    what="command",
    group="lexbeam.commands",
    lazy=_from_outside,
)


@functools.cache
def load(name: str) -> "Command[Any, Any]":
    """Return a command by its words.

    Raises:
        LexbeamError: it cannot be imported.
    """
    from lexbeam.pipelines.frame.command import Command  # with Arrow, which `--help` has no need of

    where = COMMANDS[name].where
    module, _, attribute = where.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
        command = found() if isinstance(found, type) and issubclass(found, Command) else None
    except Exception as error:  # whatever it is that a module of others does
        if name in COMMANDS.ours():
            raise
        raise LexbeamError(f"command {name!r} cannot be loaded from {where}: {error}") from error
    if command is None:
        raise LexbeamError(f"command {name!r}: {where} is not a Command")
    _LOADED.append(command)
    return command


_LOADED: list["Command[Any, Any]"] = []


def loaded() -> "tuple[Command[Any, Any], ...]":
    """Return the commands that have been loaded, in the order in which they were."""
    return tuple(_LOADED)


def available(without: str = "") -> "Iterator[tuple[str, Command[Any, Any]]]":
    """Yield the words of every command and the command, but those that cannot be imported.

    Args:
        without: a module that is being imported, whose commands are left out.
    """
    for words, entry in COMMANDS.items():
        if entry.where.partition(":")[0] == without:
            continue
        try:
            yield words, load(words)
        except LexbeamError as error:
            if words in COMMANDS.ours():
                raise
            if words not in _BROKEN:
                log.warning("%s", error)
            _BROKEN.add(words)


_BROKEN: set[str] = set()


def section_of(name: str) -> str:
    """Return the section that a command makes: `complexity.split` for `complexity split`."""
    return name.replace(" ", ".")


def command_of(section: str) -> "Command[Any, Any] | None":
    """Return the command that makes a section; None if there is none (any more)."""
    name = section.replace(".", " ")
    return load(name) if name in COMMANDS else None


@functools.cache
def all_tables() -> "Mapping[str, Table]":
    """Return every table that a command makes, by name."""
    return {table.name: table for _, command in available() for table in command.tables}


def makers_of(table: str) -> tuple[str, ...]:
    """Return the words of the commands that make a table."""
    return tuple(words for words, command in available() if table in command.table_names)
