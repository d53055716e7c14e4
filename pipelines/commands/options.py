"""Options that several commands take, each under its own name and group: what stands here is said once."""

from functools import partial
from typing import Any

from lexbeam.pipelines.frame.common_options import model_folder
from lexbeam.pipelines.frame.inputs import check_patterns
from lexbeam.transforms.annotation.engines.known_engines import check_engine, stated_engine
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.formats.records.base import MOST_BYTES


def input_folder(contents: str, metavar: str = "DIR") -> Any:
    """Return the option of the folder whose tables a command reads; without one it reads those at `out`."""
    return option(
        None,
        help=f"folder with {contents}; none: that of `out`",
        metavar=metavar,
        positional=True,
        path="place",
        published=False,
        fills="out",
    )


def corpus_folders(note: str = "") -> Any:
    """Return the option of the corpora that a command reads; without one it reads that at `out`."""
    return option(
        (),
        help=f"folders made by `lexbeam corpus`; {note}none: that of `out`",
        metavar="CORPUS_DIR",
        positional=True,
        path="place",
        published=False,
        fills="out",
    )


def settings_file(note: str) -> Any:
    """Return the option of a file of settings of simplification."""
    return option(
        None,
        help=f"settings by name, each with the options that it has other than given here; {note}",
        metavar="FILE.yaml",
        path="file",
    )


def excluded_files(group: str) -> Any:
    """Return the option of files that are left out."""
    return option((), help="patterns of files to leave out", check=check_patterns, group=group)


def encodings(group: str) -> Any:
    """Return the option of the encodings that are tried, line by line."""
    return option(("utf-8",), help="of several the first that takes a line", group=group)


def longest_line() -> Any:
    """Return the option of how long a row may be."""
    return option(1 << 20, help="longer rows are rejects", metavar="BYTES", least=1, most=MOST_BYTES, group="limits")


def annotation_engine(texts: str, *, otherwise: str = "there are word forms alone", group: str = "annotation") -> Any:
    """Return the option of the engine that annotates what a command reads.

    Args:
        texts: what is annotated.
        otherwise: what there is without an engine.
        group: of the option.
    """
    return option(
        None,
        help=f"annotate the {texts}: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG; without one {otherwise}",
        path="place",
        within=model_folder,
        stands_for=stated_engine,
        check=partial(_check_annotating, texts=texts),
        group=group,
    )


def _check_annotating(value: str, texts: str) -> None:
    if value.partition(":")[0] == "none":
        raise UsageError(f"leave `engine` out where {texts} are not to be annotated")
    check_engine(value)


def sheet_path() -> Any:
    """Return the option of the file that people are to fill in."""
    return option(help="file to write, FILE.tsv; with `annotator` FILE.NAME.tsv for each", metavar="FILE", path="place")


def annotators() -> Any:
    """Return the option of the people who get a sheet each."""
    return option((), help="a file for each of these people, each in another order", metavar="NAME")


def order_seed() -> Any:
    """Return the option of the seed of a sheet's order."""
    return option(1, help="of the order of rows, and of the draw")
