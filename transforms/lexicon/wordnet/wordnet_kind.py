"""WordNet as a kind of resource: how it is specified, compiled, opened; words of other languages in its synsets.

It is compiled into flat tables: rows point to rows, and lists of different lengths have offsets. `*_bounds` hold where
the rows of each owner begin, and one end:

    lemmas          a lemma in lower case, with straight apostrophes, and its key; in the order of keys
    sense_bounds    for each lemma the senses as n, v, a, r: four numbers a lemma
    senses          a sense, by lemma, part of speech, number
    synsets         a synset, by part of speech (satellites with adjectives), offset
    words           a word of a synset as it is written; word_bounds by synset
    examples        an example of a synset; example_bounds by synset
    pointers        a pointer of a synset; pointer_bounds by synset
    exceptions_n    an irregular form and a base, by key; also _v, _a, _r

`glosses.py` describes the tables of definitions.

Words of another language come from a tab file of Open Multilingual Wordnet over a database. A line of it has a synset,
`spa-30-00001740-n` or `00001740-n`, `spa:lemma`, and a word. Its offset is that of the database whose relations are
taken: the one in the file's own folder, if that has one, else Debian's. So a wordnet that has no relations of its own
has hypernyms and depths. Of several senses of a word those come first whose English words are tagged more often, then
the first by offset. Pointers between words (antonyms) are those of English words, and lead nowhere here; so do glosses,
which are in English: they are shown, and not compared with a text.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.code.fingerprints import digest
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import content_digest
from lexbeam.transforms.common.texts.characters import straight_words
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.lexicon.compiled.resource_kind import Opened, Parsed, ResourceKind
from lexbeam.transforms.lexicon.compiled.thesaurus_formats import read_thesaurus
from lexbeam.transforms.lexicon.compiled.thesaurus_senses import ThesaurusOptions
from lexbeam.transforms.lexicon.compiled.word_keys import MISSING, keys_of, order_of_keys
from lexbeam.transforms.lexicon.wordnet.glosses import gloss_tables
from lexbeam.transforms.lexicon.wordnet.ragged import HYPERNYMS, PART_FILES, PARTS, RELATIONS
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet
from lexbeam.transforms.lexicon.wordnet.wordnet_files import (
    Index,
    Synsets,
    bounds_of,
    bounds_table,
    digest_of_database,
    find_file,
    read_counts,
    read_exceptions,
    read_index,
    read_synsets,
    sense_tables,
)

DEBIAN = "/usr/share/wordnet"  # where Debian's packages wordnet-base and wordnet-sense-index put the files
_LEAST = 0.5  # share of a file's synsets that a database of the same version has at least


def is_tab(path: str) -> bool:
    """Return whether a path is that of a tab file, by its name."""
    return path.removesuffix(".gz").removesuffix(".xz").removesuffix(".bz2").endswith((".tab", ".tsv"))


def base_of(path: str) -> str:
    """Return the folder of the database whose relations a tab file takes."""
    folder = path.rpartition("/")[0]
    return folder if folder and find_file(folder, "data.noun") else DEBIAN


def digest_of_tab(path: str) -> str:
    """Return a digest of a tab file and of the database below it.

    Raises:
        LexbeamError: one of them is missing.
    """
    return digest([content_digest(path), digest_of_database(base_of(path))])


def read_tab_wordnet(path: str) -> tuple[Synsets, list[Index]]:
    """Return the synsets of the database with the words of a tab file, and an index of these words.

    Raises:
        LexbeamError: a file cannot be read, or the offsets are those of another database.
    """
    base = base_of(path)
    synsets = read_synsets(base)
    words = _words(path, synsets, base)
    counts = [len(words.get(row, ())) for row in range(len(synsets.ids))]
    written = [word for row in range(len(synsets.ids)) for word in words.get(row, ())]
    no_words = np.zeros(len(synsets.targets), np.uint8)
    changed = synsets._replace(
        word_bounds=bounds_of(counts),
        words=written,
        lex_ids=np.zeros(len(written), np.int32),
        markers=np.zeros(len(written), np.uint8),
        source_words=no_words,
        target_words=no_words,
    )
    return changed, _indexes(path, words, changed, _tagged(base))


def _words(path: str, synsets: Synsets, base: str) -> dict[int, list[str]]:
    """Return the words of each synset by its row."""
    words: dict[int, list[str]] = {}
    read = 0
    for _, sense in read_thesaurus(path, ThesaurusOptions(format="tab")):
        read += 1
        number, _, letter = sense.id.rpartition("-")
        part = PARTS.index("a" if letter == "s" else letter)
        row = int(synsets.find(part, np.array([int(number.rpartition("-")[2])]))[0])
        members = [member.text.replace(" ", "_") for member in sense.members if not member.placeholder]
        if row >= 0:
            words[row] = members
    if len(words) < _LEAST * read:
        raise LexbeamError(
            f"{files.shown(path)}: {len(words)} of its {read} synsets are in {base}: its offsets are those of another "
            "database; put the files of that one into the file's folder, or give a file with offsets of WordNet 3.0"
        )
    return words


def _tagged(base: str) -> Counter[tuple[int, int]]:
    """Return how often the English words of synsets are tagged, by part of speech and offset."""
    tagged: Counter[tuple[int, int]] = Counter()
    path = find_file(base, "index.sense")
    if path is not None:
        rows = read_counts(path, offsets=True)
        for key, offset, count in zip(rows.keys, rows.offsets, rows.tagged, strict=True):
            number = int(key[key.rindex("%") + 1])
            tagged[2 if number == 5 else number - 1, offset] += count
    return tagged


def _indexes(path: str, words: dict[int, list[str]], synsets: Synsets, tagged: Counter[tuple[int, int]]) -> list[Index]:
    offsets = synsets.offsets().tolist()
    letters = [PARTS.index("a" if kind == len(PARTS) else PARTS[kind]) for kind in synsets.types.tolist()]
    indexes = []
    for part in range(len(PART_FILES)):
        senses: dict[str, list[int]] = {}
        for row in sorted(words):
            if letters[row] == part:
                for lemma in dict.fromkeys(word.lower() for word in words[row]):
                    senses.setdefault(lemma, []).append(offsets[row])
        index = Index(path)
        for line, (lemma, found) in enumerate(sorted(senses.items()), 1):
            index.lines.append(line)
            index.lemmas.append(lemma)
            index.sense_counts.append(len(found))
            index.offsets.extend(sorted(found, key=lambda offset: (-tagged[part, offset], offset)))
        indexes.append(index)
    return indexes


Ints = npt.NDArray[np.int64]
Depths = npt.NDArray[np.int16]


class HasLanguage(Protocol):
    """Options with the language of the words."""

    @property
    def language(self) -> str:
        """A language, by its code."""


def split_gloss(gloss: str) -> tuple[str, list[str]]:
    """Return a gloss's definition and examples.

    The definition ends before the first `; "`. Examples are what stands in quotation marks from
    there on; a missing mark is taken to stand before the next `; "`, or at the end. Attributions
    are left out.

        >>> split_gloss('having power; "able to swim"; "so able"- A. Body')
        ('having power', ['able to swim', 'so able'])
    """
    definition, *rest = gloss.split('; "')
    examples = []
    for piece in rest:
        first, _, after = piece.partition('"')
        examples.append(first)
        if after:
            examples += after.split('"')[1:-1:2]
    return definition.strip().rstrip(";").rstrip(), [text for text in examples if text.strip()]


def compile_wordnet(paths: Sequence[str], options: HasLanguage | None) -> Iterator[tuple[str, pa.Table]]:
    """Read the database in the folder `paths[0]`, or the tab file there, and yield its tables.

    Args:
        paths: of the folder, or of a tab file (`read_tab_wordnet`).
        options: their `language` decides how words of definitions are lemmatised; None: English.

    Raises:
        LexbeamError: a file is missing or truncated, a line is wrong, or files contradict each other.
    """
    tables = {}
    for name, table in _tables(paths[0]):
        tables[name] = table.combine_chunks()
        yield name, tables[name]
    wordnet = WordNet(tables) if options is None else WordNet(tables, options.language)
    # The glosses of a tab file's synsets are of another language than its words.
    synsets = np.full(len(wordnet), MISSING) if is_tab(paths[0]) else np.arange(len(wordnet))
    definitions = wordnet.definitions(synsets)
    yield from gloss_tables(definitions, wordnet.morphy, wordnet.extended_gloss)


def _tables(path: str) -> Iterator[tuple[str, pa.Table]]:
    counts: str | None = None
    exceptions: list[list[tuple[str, str]]] = [[] for _ in PART_FILES]
    if is_tab(path):
        synsets, indexes = read_tab_wordnet(path)
    else:
        synsets, counts = read_synsets(path), path
        indexes = [read_index(path, part) for part in PART_FILES]
        exceptions = [read_exceptions(path, part) for part in PART_FILES]
    lemmas = _distinct([lemma for index in indexes for lemma in index.lemmas])
    yield "lemmas", pa.table({"key": keys_of(lemmas), "lemma": lemmas})
    yield from sense_tables(counts, synsets, indexes, lemmas)
    yield from _glosses(synsets)
    yield (
        "pointers",
        pa.table(
            {
                "symbol": synsets.symbols,
                "target": synsets.targets.astype(np.int32),
                "source_word": synsets.source_words,
                "target_word": synsets.target_words,
            }
        ),
    )
    yield "pointer_bounds", bounds_table(synsets.pointer_bounds)
    for part, pairs in zip(PARTS, exceptions, strict=True):
        forms = straight_words(pa.array([form.lower() for form, _ in pairs], pa.string()))
        bases = straight_words(pa.array([base.lower() for _, base in pairs], pa.string()))
        order = order_of_keys(forms)
        table = pa.table({"key": keys_of(forms), "form": forms, "base": bases})
        yield f"exceptions_{part}", table.take(pa.array(order))


def _distinct(words: list[str]) -> pa.Array:
    lemmas = pc.unique(straight_words(pc.utf8_lower(pa.array(words, pa.string()))))
    return lemmas.take(pa.array(order_of_keys(lemmas)))


def _glosses(synsets: Synsets) -> Iterator[tuple[str, pa.Table]]:
    split = [split_gloss(gloss) for gloss in synsets.glosses]
    owners = np.repeat(np.arange(len(synsets.ids)), np.diff(synsets.pointer_bounds))
    codes = [list(RELATIONS).index(symbol) for symbol in HYPERNYMS]
    up = np.isin(synsets.symbols, codes)
    least, most, _ = depths(len(synsets.ids), owners[up], synsets.targets[up])
    yield (
        "synsets",
        pa.table(
            {
                "offset": synsets.offsets(),
                "type": synsets.types,
                "class": synsets.classes,
                "depth_min": least,
                "depth_max": most,
                "definition": pa.array([definition for definition, _ in split], pa.string()),
            }
        ),
    )
    yield ("examples", pa.table({"example": pa.array([text for _, texts in split for text in texts], pa.string())}))
    yield "example_bounds", bounds_table(bounds_of([len(texts) for _, texts in split]))


def depths(count: int, children: Ints, parents: Ints) -> tuple[Depths, Depths, Ints]:
    """Return the steps of the shortest and of the longest way from each node up to a root.

    A root is a node without parents and has depth 0. Nodes that lead to one another in a circle
    count as one node: they have one depth, and no way passes a circle twice.

    Args:
        count: the number of nodes.
        children: the lower end of each edge.
        parents: the upper end of each edge.

    Returns the two depths, int16, shape (count,), and the nodes that lie in circles, sorted.
    """
    least, most, done = _rounds(count, children, parents)
    if done.all():
        return least, most, np.empty(0, np.int64)
    head = _circles(count, children, parents, ~done)
    child, parent = head[children], head[parents]
    least, most, done = _rounds(count, child[child != parent], parent[child != parent])
    alike = np.bincount(head, minlength=count)[head] > 1
    loops = children[children == parents]
    return least[head], most[head], np.union1d(np.flatnonzero(alike), loops)


def _rounds(count: int, children: Ints, parents: Ints) -> tuple[Depths, Depths, npt.NDArray[np.bool_]]:
    """Return depths, worked out round by round for nodes whose parents all have theirs, and which nodes those are."""
    least = np.zeros(count, np.int16)
    most = np.zeros(count, np.int16)
    open_parents = np.bincount(children, minlength=count)
    done = open_parents == 0
    while True:
        ready = done[parents]
        left = np.bincount(children[~ready], minlength=count)
        new = ~done & (left == 0)
        if not new.any():
            return least, most, done
        edges = new[children]
        highest = np.zeros(count, np.int16)
        lowest = np.full(count, np.iinfo(np.int16).max - 1, np.int16)
        np.maximum.at(highest, children[edges], most[parents[edges]])
        np.minimum.at(lowest, children[edges], least[parents[edges]])
        most[new] = highest[new] + 1
        least[new] = lowest[new] + 1
        done |= new


def _circles(count: int, children: Ints, parents: Ints, left: npt.NDArray[np.bool_]) -> Ints:
    """Return for each node the node that stands for its circle: the least of the circle, or itself."""
    above: dict[int, list[int]] = {}
    for child, parent in zip(children.tolist(), parents.tolist(), strict=True):
        if left[child] and left[parent]:
            above.setdefault(child, []).append(parent)
    # Nodes to which none of those left leads lie below the circles, not in one.
    waiting = dict.fromkeys(above, 0)
    for nodes in above.values():
        for parent in nodes:
            waiting[parent] = waiting.get(parent, 0) + 1
    free = [node for node, below in waiting.items() if not below]
    while free:
        for parent in above.pop(free.pop(), ()):
            waiting[parent] -= 1
            if not waiting[parent]:
                free.append(parent)
    reached = {node: _reached(node, above) for node in above}
    head = np.arange(count)
    for node, over in reached.items():
        head[node] = min([node, *(o for o in over if node in reached.get(o, ()))])
    return head


def _reached(start: int, above: dict[int, list[int]]) -> set[int]:
    reached: set[int] = set()
    left = [start]
    while left:
        for parent in above.get(left.pop(), ()):
            if parent not in reached:
                reached.add(parent)
                left.append(parent)
    return reached


_OPTION = re.compile(r"(?:^|:)([a-z_]+)=([^:/=]*)$")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What decides results beside the files.

    Attributes:
        language: the language of the words; endings are detached only in English.
    """

    language: str = "en"


def parse(argument: str) -> Parsed:
    """Return folder or file and options of `DIR[:language=CODE]`; without a folder it is Debian's.

    Raises:
        UsageError: an option is unknown, the language is none, or that of a tab file is not given.
    """
    values = {}
    while match := _OPTION.search(argument):
        argument = argument[: match.start()]
        name, value = match.groups()
        if name != "language" or name in values:
            raise UsageError(f"`wordnet` has no option {name!r}, or has it twice: write `wordnet:DIR:language=CODE`")
        values[name] = stated_language(value)
    if is_tab(argument) and not values:
        raise UsageError(f"{argument!r} holds words of another language: say which, as in {argument}:language=es")
    options = Options(**values)
    return Parsed((argument or DEBIAN,), options, options.language)


def _open(opened: Opened, options: Options) -> WordNet:
    return WordNet(opened, options.language)


def _digest(path: str) -> str:
    return digest_of_tab(path) if is_tab(path) else digest_of_database(path)


WORDNET = ResourceKind(
    parse=parse,
    compile=compile_wordnet,
    open=_open,
    help=(
        "wordnet[:DIR][:language=CODE]: database files of WordNet 3.0 or in its format, in the "
        "folder DIR, or where Debian's wordnet-base and wordnet-sense-index put them; "
        "the language is en; or FILE.tab:language=CODE, words of another language in WordNet's synsets"
    ),
    digest=_digest,
)
