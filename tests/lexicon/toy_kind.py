"""A kind of resource for tests: lines `word number`; it notes that it compiles, and can be held up.

python tests/lexicon/toy_kind.py CACHE SOURCE      # compiles in a process, prints the digest
"""

import os
import sys
import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.lexicon.compiled.resource_kind import BlockMatrix, Parsed, ResourceKind
from lexbeam.transforms.lexicon.compiled.word_keys import find, keys_of, order_of_keys


@dataclass(frozen=True, kw_only=True)
class ToyOptions:
    factor: int = 1
    broken: bool = False  # one row of numbers is announced too many


def parse(argument):
    path, _, rest = argument.partition(";")
    if not path:
        raise UsageError("a toy needs a file")
    options = dict(pair.split("=") for pair in rest.split(",") if pair)
    factor = int(options.pop("factor", 1))
    made = ToyOptions(factor=factor, broken="broken" in options)
    return Parsed((path,), made, options.get("language"))


def compile_toy(paths, options):
    (path,) = paths
    with open(f"{path}.compiled", "a") as log:
        log.write("compiled\n")
    with open(path) as stream:
        rows = [line.split() for line in stream]
    if any(len(row) != 2 for row in rows):
        raise LexbeamError(f"{path}: a line is not `word number`")
    words = pa.array([word for word, _ in rows], pa.string())
    numbers = np.array([int(number) for _, number in rows], np.float32) * options.factor
    order = order_of_keys(words)
    table = words.take(pa.array(order))
    yield "words", pa.table({"key": keys_of(table), "word": table})
    while os.path.exists(f"{path}.wait"):
        time.sleep(0.01)
    yield ("numbers", BlockMatrix(len(words) + options.broken, 1, iter(np.split(numbers[order][:, None], 2))))


class Toy:
    def __init__(self, opened):
        self.words, self.numbers = opened["words"], opened["numbers"]

    def look_up(self, words):
        rows = find(self.words["key"].to_numpy(), self.words["word"], pa.array(words, pa.string()))
        return [None if row < 0 else float(self.numbers[row, 0]) for row in rows]

    def look(self, word, pos=None):
        for number in self.look_up([word]):
            if number is not None:
                yield "number", f"{number:g}"


def open_toy(opened, options):
    return Toy(opened)


TOY = ResourceKind(parse, compile_toy, open_toy, "toy:FILE[;factor=N]")

if __name__ == "__main__":
    import toy_kind

    from lexbeam.transforms.lexicon.resource_cache import KINDS
    from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

    KINDS["toy"] = toy_kind.TOY
    cache, source = sys.argv[1:]
    (held,) = prepare(LexiconOptions(resources=(f"toy=toy:{source}",), cache=cache)).held
    print(held.compiled.digest, held.open().look_up(["two", "nine"]))
