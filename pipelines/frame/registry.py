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


COMMANDS: Registry[CommandEntry] = Registry(
    {
        "corpus": CommandEntry(
            "lexbeam.pipelines.commands.corpus.corpus:CorpusCommand",
            doc="raw text to annotated sentences",
            previews=True,
        ),
        "change": CommandEntry(
            "lexbeam.pipelines.commands.change.change:Change",
            doc="time slices, embeddings, alignments and change scores",
        ),
        "complexity select": CommandEntry(
            "lexbeam.pipelines.commands.complexity.select:ComplexitySelect",
            doc="targets in their sentences, drawn from corpora",
        ),
        "complexity load": CommandEntry(
            "lexbeam.pipelines.commands.complexity.load:ComplexityLoad",
            doc="labelled files and word lists to instances",
        ),
        "complexity export": CommandEntry(
            "lexbeam.pipelines.commands.complexity.export:ComplexityExport",
            doc="instances as files that people fill in",
        ),
        "complexity aggregate": CommandEntry(
            "lexbeam.pipelines.commands.complexity.aggregate:ComplexityAggregate",
            doc="judgments to labels, and how far people agree",
        ),
        "complexity features": CommandEntry(
            "lexbeam.pipelines.commands.complexity.features:ComplexityFeatures",
            doc="features of words in their sentences, for complexity",
        ),
        "lexicon look": CommandEntry(
            "lexbeam.pipelines.commands.folder.show:LexiconLook", doc="what every given resource says of a word"
        ),
        "complexity split": CommandEntry(
            "lexbeam.pipelines.commands.complexity.split:ComplexitySplit",
            doc="splits alike in genre and complexity, no token in two",
        ),
        "evaluate change": CommandEntry(
            "lexbeam.pipelines.commands.change.evaluate:EvaluateChange",
            doc="change scores against gold, with intervals",
        ),
        "complexity score": CommandEntry(
            "lexbeam.pipelines.commands.complexity.score:ComplexityScore",
            doc="predict complexity by reference scorers, and measure them",
        ),
        "evaluate complexity": CommandEntry(
            "lexbeam.pipelines.commands.complexity.evaluate:EvaluateComplexity",
            doc="a file of predicted complexity against a gold file",
        ),
        "evaluate cloze": CommandEntry(
            "lexbeam.pipelines.commands.cloze.evaluate:EvaluateCloze",
            doc="answers to cloze questions against gold, beside what needs no reading",
        ),
        "cloze pairs": CommandEntry(
            "lexbeam.pipelines.commands.cloze.pairs:ClozePairs", doc="passages with summaries, for cloze questions"
        ),
        "cloze abstractness": CommandEntry(
            "lexbeam.pipelines.commands.cloze.abstractness:ClozeAbstractness",
            doc="how concrete words are, learned from ratings: a model",
        ),
        "cloze candidates": CommandEntry(
            "lexbeam.pipelines.commands.cloze.candidates:ClozeCandidates",
            doc="words of summaries that may become answers, with every filter's verdict",
        ),
        "cloze explain": CommandEntry(
            "lexbeam.pipelines.commands.cloze.candidates:ClozeExplain",
            doc="what filters say of each word of one summary, and why",
        ),
        "cloze options": CommandEntry(
            "lexbeam.pipelines.commands.cloze.options:ClozeOptions", doc="words beside the answers of cloze questions"
        ),
        "cloze questions": CommandEntry(
            "lexbeam.pipelines.commands.cloze.questions:ClozeQuestions",
            doc="cloze questions with five options, in splits, and the task's files",
        ),
        "cloze export": CommandEntry(
            "lexbeam.pipelines.commands.cloze.annotate:ClozeExport",
            doc="questions as files in which people answer them",
        ),
        "cloze annotate": CommandEntry(
            "lexbeam.pipelines.commands.cloze.annotate:ClozeAnnotate",
            doc="people's answers to questions, and which are kept",
        ),
        "cloze answer": CommandEntry(
            "lexbeam.pipelines.commands.cloze.answer:ClozeAnswer",
            doc="reading systems that choose among the options of cloze questions",
        ),
        "simplify instances": CommandEntry(
            "lexbeam.pipelines.commands.simplify.instances:SimplifyInstances",
            doc="words to simplify, in their sentences, with people's substitutes",
        ),
        "simplify train-inflector": CommandEntry(
            "lexbeam.pipelines.commands.simplify.train_inflector:SimplifyTrainInflector",
            doc="form dictionaries to one file that inflects: a model",
        ),
        "simplify generate": CommandEntry(
            "lexbeam.pipelines.commands.simplify.generate:SimplifyGenerate",
            doc="substitutes of words: thesauri, vectors, masked language models",
        ),
        "simplify select": CommandEntry(
            "lexbeam.pipelines.commands.simplify.select:SimplifySelect",
            doc="candidates filtered by form, part of speech and similarity",
        ),
        "simplify rank": CommandEntry(
            "lexbeam.pipelines.commands.simplify.rank:SimplifyRank", doc="candidates ranked by simplicity"
        ),
        "simplify rewrite": CommandEntry(
            "lexbeam.pipelines.commands.simplify.rewrite:SimplifyRewrite",
            doc="sentences with the chosen words in place",
        ),
        "simplify text": CommandEntry(
            "lexbeam.pipelines.commands.simplify.text:SimplifyText",
            doc="texts with simpler words, and why each was changed",
        ),
        "evaluate simplify": CommandEntry(
            "lexbeam.pipelines.commands.simplify.evaluate:EvaluateSimplify",
            doc="substitutes of every stage, or of a file, against gold, and where gold is lost",
        ),
        "forget": CommandEntry(
            "lexbeam.pipelines.commands.folder.forget:Forget",
            doc="remove documents from a folder, whatever keeps them, and leave them out from now on",
        ),
        "init": CommandEntry(
            "lexbeam.pipelines.commands.corpus.init:Init", doc="write a configuration for texts, from a look at them"
        ),
        "run": CommandEntry(
            "lexbeam.pipelines.commands.folder.run:Run", doc="any commands from one configuration file, published once"
        ),
        "stream": CommandEntry(
            "lexbeam.pipelines.commands.folder.stream:Stream",
            doc="take in and annotate documents as they come, without end",
        ),
        "refresh": CommandEntry(
            "lexbeam.pipelines.commands.folder.run:Refresh",
            doc="take up what has changed since a configuration was run, and publish it anew",
            previews=True,
        ),
        "show": CommandEntry(
            "lexbeam.pipelines.commands.folder.show:Show", doc="show tables, or answer questions about them"
        ),
        "report": CommandEntry(
            "lexbeam.pipelines.commands.folder.show:Report", doc="one HTML page about all that is published"
        ),
        "export": CommandEntry(
            "lexbeam.pipelines.commands.folder.export:Export", doc="vectors or tables, for other tools and archives"
        ),
        "status": CommandEntry(
            "lexbeam.pipelines.commands.folder.status:Status", doc="what is done, left and stale in a folder"
        ),
        "history": CommandEntry(
            "lexbeam.pipelines.commands.folder.history:FolderHistory",
            doc="what was published in a folder when, and what changed",
        ),
        "diff": CommandEntry(
            "lexbeam.pipelines.commands.folder.diff:Diff",
            doc="how two snapshots differ: rows by key, scores that moved",
        ),
        "tag": CommandEntry(
            "lexbeam.pipelines.commands.folder.history:Tag", doc="give a snapshot a name, under which it is kept"
        ),
        "untag": CommandEntry(
            "lexbeam.pipelines.commands.folder.history:Untag", doc="take the name of a snapshot away"
        ),
        "rollback": CommandEntry(
            "lexbeam.pipelines.commands.folder.history:Rollback", doc="let readers see an earlier snapshot again"
        ),
        "clean": CommandEntry(
            "lexbeam.pipelines.commands.folder.survey:Clean",
            doc="free artefacts, and what killed runs have left in a folder",
        ),
        "sample": CommandEntry(
            "lexbeam.pipelines.commands.corpus.sample:Sample", doc="write a sample corpus with planted sense changes"
        ),
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
