"""The command `lexbeam`: parses, dispatches, and turns errors into messages and exit codes."""

import argparse
import atexit
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pipelines.options import Parser, add_options, from_arguments
from transforms.common.errors import LexbeamError, UsageError

__all__ = ["entry", "main"]

DESCRIPTION = """\
Lexbeam turns raw corpora into lexical-semantics datasets and Parquet features.

  lexbeam sample --out sample --tokens 300000 --seed 1
  lexbeam run sample/config.yaml
  lexbeam show sample/results --word WORD
"""


class Command(NamedTuple):
    """A subcommand: its options' class and what runs it, both imported only when it is chosen."""

    help: str
    examples: str
    load: Callable[[], tuple[type, Callable[..., None]]]
    takes_beam: bool


def _corpus() -> tuple[type, Callable[..., None]]:
    from pipelines import corpus

    return corpus.CorpusOptions, corpus.run


def _change() -> tuple[type, Callable[..., None]]:
    from pipelines import change

    return change.ChangeOptions, change.run


def _run() -> tuple[type, Callable[..., None]]:
    from pipelines import run

    return run.RunOptions, run.run


def _show() -> tuple[type, Callable[..., None]]:
    from pipelines import show

    return show.ShowOptions, show.run


def _export() -> tuple[type, Callable[..., None]]:
    from pipelines import export

    return export.ExportOptions, export.run


def _sample() -> tuple[type, Callable[..., None]]:
    from pipelines import sample

    return sample.SampleOptions, sample.run


def _status() -> tuple[type, Callable[..., None]]:
    from pipelines import status

    return status.StatusOptions, status.run


def _clean() -> tuple[type, Callable[..., None]]:
    from pipelines import clean

    return clean.CleanOptions, clean.run


COMMANDS = {
    "corpus": Command(
        "raw text to annotated sentences",
        "  lexbeam corpus novels/ --out corpus --format tei --engine builtin:en --dates header\n"
        "  lexbeam corpus sotu/*.txt --out corpus --format text --engine spacy:en_core_web_sm \\\n"
        "      --dates 'name:su(\\d{4})'\n"
        "  lexbeam corpus lemmas.tar.gz --out corpus --format lines --dates 'name:_([+-]?\\d+)'",
        _corpus,
        True,
    ),
    "change": Command(
        "time slices, embeddings, alignments and change scores",
        "  lexbeam change corpus --out change --slices 1810-1860,1960-2010\n"
        "  lexbeam change corpus --out change --slices bc=..-1,ad=0.. --targets words.txt \\\n"
        "      --dim 100 --window 10 --epochs 5 --min-count 1,6 --seeds 3 --alignment op,cca",
        _change,
        True,
    ),
    "run": Command(
        "corpus and change from one configuration file",
        "  lexbeam run config.yaml --out results\n"
        "  lexbeam run config.yaml --runner-config direct_multiprocess",
        _run,
        True,
    ),
    "show": Command(
        "look at tables, or at one word",
        "  lexbeam show results\n"
        "  lexbeam show results/scores --tsv\n"
        "  lexbeam show results --word plane --slice 1960-2010",
        _show,
        False,
    ),
    "export": Command(
        "vectors, as trained or aligned, for other tools",
        "  lexbeam export results --format word2vec --out vectors\n"
        "  lexbeam export results --format npy --aligned op --out vectors",
        _export,
        False,
    ),
    "status": Command(
        "what is done, left and stale in a folder",
        "  lexbeam status results",
        _status,
        False,
    ),
    "clean": Command(
        "remove what killed runs have left in a folder",
        "  lexbeam clean results",
        _clean,
        False,
    ),
    "sample": Command(
        "write a sample corpus with planted sense changes",
        "  lexbeam sample --out sample --tokens 300000 --seed 1",
        _sample,
        False,
    ),
}


def _parser(chosen: str | None) -> Parser:
    parser = Parser(prog="lexbeam", description=DESCRIPTION)
    parser.add_argument("--verbose", action="store_true", help="show what Beam logs")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    for name, command in COMMANDS.items():
        epilog = f"examples:\n{command.examples}\n"
        if command.takes_beam:
            epilog += "\nAny Beam option may follow after a lone `--`.\n"
        sub = commands.add_parser(name, help=command.help, description=command.help, epilog=epilog)
        # Importing Beam and spaCy takes seconds, so only the chosen command's options are loaded.
        if name == chosen:
            options, action = command.load()
            add_options(sub, options)
            sub.set_defaults(options=options, action=action)
    return parser


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join `--slices` with a value that begins with a minus sign, as years before our era do."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] in ("--slices", "--dates") and word[:2].lstrip("-").isdigit():
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def _dispatch(arguments: Sequence[str]) -> None:
    own, beam = list(arguments), []
    if "--" in own:
        place = own.index("--")
        own, beam = own[:place], own[place + 1 :]
    own = _joined(own)
    chosen = next((word for word in own if word in COMMANDS), None)
    parser = _parser(chosen)
    if not own:
        parser.print_help()
        return
    values: argparse.Namespace = parser.parse_strictly(own)
    logging.basicConfig(
        level=logging.INFO if values.verbose else logging.ERROR,
        format="%(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("lexbeam").setLevel(logging.INFO)
    if not values.verbose:
        # Beam logs every failing bundle with its traceback; the cause is told once, by us.
        logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    command = COMMANDS[values.command]
    options: Any = from_arguments(values.options, values)
    if command.takes_beam:
        values.action(options, beam)
    elif beam:
        raise UsageError(f"`lexbeam {values.command}` runs no pipeline and takes no Beam options")
    else:
        values.action(options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 (failure) or 2 (bad usage)."""
    try:
        _dispatch(sys.argv[1:] if arguments is None else arguments)
    except UsageError as error:
        print(f"lexbeam: {error}", file=sys.stderr)
        return 2
    except LexbeamError as error:
        print(f"lexbeam: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lexbeam: interrupted; --resume takes up what is finished", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:
        if logging.getLogger().isEnabledFor(logging.INFO):
            raise
        kind = type(error).__name__
        print(f"lexbeam: {kind}: {error} (--verbose tells where)", file=sys.stderr)
        return 1
    return 0


def entry() -> None:
    """Run the command and leave at once, with no teardown of the engines' native threads."""
    code = main()
    atexit._run_exitfuncs()  # Beam stops the job servers that it has started only here
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    entry()
