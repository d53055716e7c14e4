"""The training view as text files, in the form of the corpora of SemEval-2020 Task 1.

One file per slice, `NAME.txt.gz`: a sentence a line, words separated by spaces, in the order of
training.
"""

import gzip
from collections.abc import Sequence

from transforms.change.view.feeds import read_feed
from transforms.common.store import files
from transforms.common.store.receipts import File
from transforms.embeddings.sgns import sentences_of

__all__ = ["write_text"]


def write_text(folder: str, name: str, feed: Sequence[File]) -> str:
    """Write a slice's sentences and return the file's path; the same view gives the same bytes."""
    files.make_folder(folder)
    path = files.join(folder, f"{name}.txt.gz")
    with (
        files.writing(path) as stream,
        gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0) as packed,
    ):
        for words in sentences_of(read_feed(feed)):
            packed.write((" ".join(words) + "\n").encode())
    return path
