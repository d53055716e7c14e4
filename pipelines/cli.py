"""The command `lexbeam`: parses, dispatches, turns errors into messages and exit codes."""

import argparse
import atexit
import contextlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

from lexbeam.pipelines.frame.arguments import Parser, add_options, as_flags, flags_of, from_arguments
from lexbeam.pipelines.frame.interrupts import (
    heed_signals,
    interrupted_status,
    interrupted_text,
    leave_signals,
    note_nothing_begun,
    was_interrupted,
)
from lexbeam.pipelines.frame.registry import COMMANDS, DESCRIPTION, load, loaded
from lexbeam.pipelines.monitoring.events import (
    STYLES,
    JsonFormatter,
    JsonLines,
    emit_failure,
    json_message,
    printing,
    without_style,
)
from lexbeam.transforms.common.code.version import own_build
from lexbeam.transforms.common.errors import (
    LexbeamError,
    NothingToDoError,
    UsageError,
    explaining,
    nearest,
    readable,
    reason_of,
)
from lexbeam.transforms.common.machine import share_heap
from lexbeam.transforms.common.spared_imports import spare_imports

if TYPE_CHECKING:
    from lexbeam.pipelines.frame.command import Command

SHELLS = ("bash", "zsh", "tcsh")


class _Format(logging.Formatter):
    """A formatter that turns names of options into flags."""

    def __init__(self, text: str = "%(levelname)s %(name)s: %(message)s") -> None:
        super().__init__(text)

    def format(self, record: logging.LogRecord) -> str:
        return _as_flags(super().format(record))


_JSON: list[JsonLines] = []  # what stands for standard error where messages are JSON lines
_AT_WORK: "list[Command[Any, Any]]" = []  # their options come first where several have the same name


def _as_flags(message: str) -> str:
    return as_flags(message, flags_of(command.options for command in (*_AT_WORK, *loaded())))


def _fill(parser: Parser, words: str) -> None:
    command = load(words)
    add_options(parser, command.options)
    parser.add_argument("--verbose", action="store_true", help="show what Beam logs")
    parser.add_argument("--log", choices=STYLES, help="messages as text, or as JSON lines on standard error")
    epilog = f"examples:\n{command.examples}\n" if command.examples else ""
    if command.has("build") or command.takes_beam:
        epilog += "\nAny Beam option may follow after a lone `--`.\n"
    parser.epilog = epilog


def _parser_of(words: str) -> Parser:
    parser = Parser(prog=f"lexbeam {words}", description=COMMANDS[words].doc)
    _fill(parser, words)
    return parser


def parser_of_all() -> Parser:
    """Return a parser of all commands with all their options, for completion in a shell."""
    parser = Parser(prog="lexbeam", description=DESCRIPTION)
    outer = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    groups: dict[str, argparse._SubParsersAction[Parser]] = {}
    for words, entry in COMMANDS.items():
        first, _, second = words.partition(" ")
        place = outer
        if second:
            if first not in groups:
                # Without help, completion leaves it out.
                group = outer.add_parser(first, help=f"one of {', '.join(_within(first))}")
                groups[first] = group.add_subparsers(metavar="COMMAND", parser_class=Parser)
            place = groups[first]
        _fill(place.add_parser(second or first, help=entry.doc), words)
    return parser


def _within(first: str) -> dict[str, str]:
    """Return the second words of the commands that begin with `first`, with their doc lines."""
    prefix = f"{first} "
    return {words.removeprefix(prefix): entry.doc for words, entry in COMMANDS.items() if words.startswith(prefix)}


def _listed(helps: Mapping[str, str]) -> list[str]:
    width = max(map(len, helps))
    return [f"  {name:{width}}  {text}" for name, text in helps.items()]


def _overview_within(first: str) -> str:
    lines = [f"usage: lexbeam {first} COMMAND ... [--verbose]", "", "commands:"]
    lines += _listed(_within(first))
    return "\n".join([*lines, "", f"`lexbeam {first} COMMAND --help` lists a command's options."])


def _overview() -> str:
    lines = ["usage: lexbeam COMMAND ... [--verbose]", "", DESCRIPTION, "commands:"]
    lines += _listed({words: entry.doc for words, entry in COMMANDS.items()})
    lines += [
        "",
        "`lexbeam COMMAND --help` lists its options. `lexbeam --version` prints the version;",
        f"`lexbeam --print-completion {{{','.join(SHELLS)}}}` prints what completes commands and",
        "options in a shell.",
    ]
    return "\n".join(lines)


def _print_completion(shell: str) -> None:
    if shell not in SHELLS:
        raise UsageError(f"no completion for {shell!r}: it is one of {', '.join(SHELLS)}")
    import shtab

    print(shtab.complete(parser_of_all(), shell))


def _split(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the command's words and what follows them."""
    known = COMMANDS
    for number in (2, 1):
        words = " ".join(arguments[:number])
        if len(arguments) >= number and words in known:
            return words, list(arguments[number:])
    first = arguments[0]
    if inner := _within(first):
        hint = nearest(arguments[1], inner) if len(arguments) > 1 else ""
        raise UsageError(f"`lexbeam {first}` takes one of {', '.join(inner)}{hint} (see lexbeam {first} --help)")
    if first.startswith("-"):
        raise UsageError(f"unknown option {first!r} (see lexbeam --help)")
    # The first of two words alone would be nearest to some command or other that begins with it.
    hint = nearest(" ".join(arguments[:2]), known) or nearest(first, [words.partition(" ")[0] for words in known])
    raise UsageError(f"no command is called {first!r}{hint} (see lexbeam --help)")


def _dispatch(arguments: Sequence[str]) -> None:
    line, beam = list(arguments), []
    if "--" in line:
        place = line.index("--")
        line, beam = line[:place], line[place + 1 :]
    verbose = "--verbose" in line
    line = [word for word in line if word != "--verbose"]
    if not line or line[0] in ("-h", "--help"):
        print(_overview())
        return
    if line[0] == "--version":
        print(f"lexbeam {own_build()}")
        return
    if line[0] == "--print-completion":
        _print_completion(line[1] if len(line) > 1 else "")
        return
    if line[1:] in (["-h"], ["--help"]) and line[0] not in COMMANDS and _within(line[0]):
        print(_overview_within(line[0]))
        return
    words, rest = _split(line)
    command = load(words)
    _AT_WORK.append(command)
    note_nothing_begun(arguments, resumes="--resume" in flags_of([command.options]).values())
    values = _parser_of(words).parse_strictly(rest)
    _log(verbose=verbose)
    options = from_arguments(command.options, values)
    if beam and not command.has("build") and not command.takes_beam:
        raise UsageError(f"`lexbeam {words}` runs no pipeline and takes no Beam options")
    from lexbeam.pipelines.frame.piping import is_piped
    from lexbeam.pipelines.frame.running import run_command

    tell = _print_aside if is_piped(command, options) else _print
    run_command(words, options, tell=tell, data=_print_data, beam=beam)


def _print(line: str) -> None:
    """Print a line for a person, who is not to wait for it until there are many."""
    if _JSON:
        _print_aside(line)
        return
    try:
        _print_data(_as_flags(line), flush=True)
    except BrokenPipeError:  # nobody listens any more, and the work goes on
        _to_nowhere()


def _print_aside(line: str) -> None:
    """Print a line where standard output is a text."""
    _say(_as_flags(line), "info")


def _say(text: str, level: str) -> None:
    if _JSON:
        if text.strip():
            _JSON[0].stream.write(json_message(level, text) + "\n")  # at once: threads print, too
            _JSON[0].stream.flush()
    else:
        print(text if level == "info" else f"lexbeam: {text}", file=sys.stderr)


def _to_nowhere() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_data(line: str, *, flush: bool = False) -> None:
    try:
        print(line, flush=flush)
    except UnicodeEncodeError:
        raise LexbeamError(
            f"the output's encoding, {sys.stdout.encoding}, lacks a character of what is to be "
            "printed: set PYTHONIOENCODING=utf-8"
        ) from None
    except BrokenPipeError:
        raise
    except OSError as error:  # callers would take it for an error of the folder
        raise LexbeamError(f"the output cannot be written: {reason_of(error)}") from None


def _json_handler(stream: TextIO) -> logging.Handler:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter(_Format("%(message)s")))
    return handler


def _log(*, verbose: bool) -> None:
    handler = _json_handler(_JSON[0].stream) if _JSON else logging.StreamHandler()
    if not _JSON:
        handler.setFormatter(_Format())
    logging.basicConfig(level=logging.INFO if verbose else logging.ERROR, handlers=[handler])
    logging.getLogger("lexbeam").setLevel(logging.INFO)
    if not verbose:
        # Beam logs every failing bundle with its traceback; Lexbeam reports the cause once.
        logging.getLogger("apache_beam").setLevel(logging.CRITICAL)


def _print_error(message: object, level: str = "error") -> None:
    text = _as_flags(str(message))
    if "`" in text:  # it may name an option of a command that is not loaded
        for words in COMMANDS:
            with contextlib.suppress(LexbeamError):
                load(words)
        text = _as_flags(text)
    if _JSON and level == "error" and isinstance(message, Exception):
        emit_failure(message)  # a run has told of its own by then
    else:
        _say(text, level if _JSON else "error")


def _interrupted() -> str:
    """Return the message for a command that was interrupted."""
    return interrupted_text(flags_of([command.options for command in _AT_WORK]))


def _interrupted_line() -> str:
    """Return that message as it is printed where the process ends at once."""
    return json_message("error", _interrupted()) if _JSON else f"lexbeam: {_interrupted()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code (docs/reference/commands.md has a table)."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    _JSON.clear()
    try:
        words, style = without_style(words)
    except UsageError as error:
        _print_error(error)
        return error.exit_code
    if style == "text" or sys.stderr is None:
        return _main(words)
    _JSON.append(JsonLines(sys.stderr))
    with contextlib.redirect_stderr(cast(TextIO, _JSON[0])), printing(_json_handler(_JSON[0].stream)):
        return _main(words)


def _main(words: Sequence[str]) -> int:
    _AT_WORK.clear()
    note_nothing_begun(words)
    try:
        with explaining():
            _dispatch(words)
    except KeyboardInterrupt:
        _say(_interrupted(), "error")
        return interrupted_status()
    except BrokenPipeError:
        _to_nowhere()
    except Exception as error:
        if was_interrupted():  # the interrupted work failed in turn
            _say(_interrupted(), "error")
            return interrupted_status()
        if isinstance(error, LexbeamError):
            _print_error(error, "info" if isinstance(error, NothingToDoError) else "error")
            return error.exit_code
        if logging.getLogger().isEnabledFor(logging.INFO):
            raise
        _print_error(error if _JSON else readable(f"{type(error).__name__}: {error} (--verbose shows where)"))
        return 1
    return 0


def _flushed(code: int) -> int:
    """Return the exit code once all output has left this process."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # the caller may have closed it
                stream.flush()
    except BrokenPipeError:
        return code
    except OSError as error:  # such as a full disk
        _print_error(f"the output cannot be written: {reason_of(error)}")
        return code or 1
    return code


def entry() -> NoReturn:
    """Run the command and exit at once, without tearing down the engines' native threads."""
    heed_signals(_interrupted_line)
    spare_imports()
    share_heap()
    # What gRPC's threads say of sockets that a run closes as it ends; what fails in earnest is raised.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # A forked process becomes another program at once. What gRPC does in between, on its descriptors which Python has
    # closed by then, may abort it (grpc/grpc issue 43055).
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
    code = _flushed(main())
    leave_signals()
    # What packages do when Python exits, which `_exit` skips.
    atexit._run_exitfuncs()
    os._exit(code)


if __name__ == "__main__":
    entry()
