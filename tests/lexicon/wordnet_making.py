"""Small WordNets, written in the real format, and opened as the cache would open them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import compile_wordnet

PARTS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
LICENCE = "".join(f"  {line} A small database for tests.  \n" for line in range(1, 4))
TYPES = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}

# A symbol and the one that leads back.
BACK = {
    "!": "!",
    "@": "~",
    "@i": "~i",
    "#m": "%m",
    "#s": "%s",
    "#p": "%p",
    ";c": "-c",
    ";r": "-r",
    ";u": "-u",
    "+": "+",
    "=": "=",
    "&": "&",
    "$": "$",
}


@dataclass
class Synset:
    """A synset; pointers are (symbol, name of the target, source word, target word)."""

    name: str
    type: str
    words: list[str]
    gloss: str = "a gloss"
    lex_class: int = 3
    pointers: list[tuple[str, str, int, int]] = field(default_factory=list)
    frames: list[tuple[int, int]] = field(default_factory=list)
    lex_ids: list[int] | None = None
    markers: dict[int, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def ids(self) -> list[int]:
        return self.lex_ids or [0] * len(self.words)


def both_ways(synsets: Iterable[Synset]) -> list[Synset]:
    """Add to each pointer the one that leads back."""
    found = {synset.name: replace(synset, pointers=list(synset.pointers)) for synset in synsets}
    for synset in list(found.values()):
        for symbol, target, source, end in list(synset.pointers):
            back = (BACK.get(symbol, ""), synset.name, end, source)
            if back[0] and back not in found[target].pointers:
                found[target].pointers.append(back)
    return list(found.values())


def sense_key(synset: Synset, number: int, by_name: dict[str, Synset]) -> str:
    """Return the key of a word of a synset."""
    head = ":"
    if synset.type == "s":
        heads = [target for symbol, target, *_ in synset.pointers if symbol == "&"]
        if heads:
            first = by_name[heads[0]]
            head = f"{first.words[0].lower()}:{first.ids()[0]:02d}"
    kind, lex_id = TYPES[synset.type], synset.ids()[number]
    return f"{synset.words[number].lower()}%{kind}:{synset.lex_class:02d}:{lex_id:02d}:{head}"


def write_wordnet(
    folder: Path,
    synsets: list[Synset],
    *,
    exceptions: dict[str, list[str]] | None = None,
    index_sense: bool = True,
    cntlist: bool = False,
) -> dict[str, int]:
    """Write the database files; senses are numbered in the order of `synsets`.

    Returns the offset of each synset by name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    by_name = {synset.name: synset for synset in synsets}
    offsets: dict[str, int] = {}
    # Offsets have eight digits, whatever they are: a first round finds them.
    for _ in range(2):
        for part in ("noun", "verb", "adj", "adv"):
            text = LICENCE
            for synset in synsets:
                if PARTS[synset.type] == part:
                    offsets[synset.name] = len(text.encode())
                    text += _line(synset, by_name, offsets)
            (folder / f"data.{part}").write_text(text, "utf-8")
    keys: dict[str, tuple[int, int, int]] = {}
    for part, letter in (("noun", "n"), ("verb", "v"), ("adj", "a"), ("adv", "r")):
        senses: dict[str, list[Synset]] = {}
        for synset in synsets:
            if PARTS[synset.type] == part:
                for number, word in enumerate(synset.words):
                    own = senses.setdefault(word.lower(), [])
                    if synset not in own:
                        own.append(synset)
                        count = synset.counts.get(word, 0)
                        key = sense_key(synset, number, by_name)
                        keys[key] = (offsets[synset.name], len(own), count)
        lines = [
            f"{lemma} {letter} {len(own)} 1 @ {len(own)} 0 "
            + " ".join(f"{offsets[synset.name]:08d}" for synset in own)
            + "  \n"
            for lemma, own in sorted(senses.items())
        ]
        (folder / f"index.{part}").write_text(LICENCE + "".join(lines), "utf-8")
        listed = "".join(f"{line}\n" for line in (exceptions or {}).get(letter, []))
        (folder / f"{part}.exc").write_text(listed, "utf-8")
    if index_sense:
        lines = [f"{key} {at:08d} {n} {count}\n" for key, (at, n, count) in sorted(keys.items())]
        (folder / "index.sense").write_text("".join(lines), "utf-8")
    if cntlist:
        lines = [f"{key} {n} {count}\n" for key, (_, n, count) in sorted(keys.items()) if count]
        (folder / "cntlist.rev").write_text("".join(lines), "utf-8")
    return offsets


def _line(synset: Synset, by_name: dict[str, Synset], offsets: dict[str, int]) -> str:
    words = " ".join(
        f"{word}{synset.markers.get(number, '')} {lex_id:x}"
        for number, (word, lex_id) in enumerate(zip(synset.words, synset.ids(), strict=True))
    )
    pointers = "".join(
        f" {symbol} {offsets.get(target, 0):08d} {by_name[target].type.replace('s', 'a')} {source:02x}{end:02x}"
        for symbol, target, source, end in synset.pointers
    )
    frames = ""
    if synset.type == "v":
        frames = f" {len(synset.frames):02d}"
        frames += "".join(f" + {frame:02d} {word:02x}" for frame, word in synset.frames)
    return (
        f"{offsets.get(synset.name, 0):08d} {synset.lex_class:02d} {synset.type} "
        f"{len(synset.words):02x} {words} {len(synset.pointers):03d}{pointers}{frames} "
        f"| {synset.gloss}  \n"
    )


def opened_tables(folder: Path) -> dict[str, pa.Table]:
    """Compile a database; each table is one chunk, as from a file."""
    return {name: table.combine_chunks() for name, table in compile_wordnet([str(folder)], None)}


def open_folder(folder: Path, language: str = "en") -> WordNet:
    """Compile and open a database."""
    return WordNet(opened_tables(folder), language)


def _pointer(symbol: str, target: str, source: int = 0, end: int = 0):
    return (symbol, target, source, end)


SMALL = both_ways(
    [
        Synset("entity", "n", ["entity"], 'what is; "there is an entity"; "so it is"- A. Body'),
        Synset("animal", "n", ["animal", "beast"], "a living thing", 5, [_pointer("@", "entity")]),
        Synset(
            "dog",
            "n",
            ["dog", "domestic_dog", "Canis_familiaris"],
            'it barks; "the dog barked"',
            5,
            [_pointer("@", "animal"), _pointer("#m", "pack")],
            counts={"dog": 42},
        ),
        Synset("villain", "n", ["dog", "cur"], "one who is bad", 18, [_pointer("@", "entity")]),
        Synset("pack", "n", ["pack"], "many dogs", 14, [_pointer("@", "entity")]),
        Synset(
            "Paris",
            "n",
            ["Paris", "City_of_Light"],
            "a city",
            15,
            [_pointer("@i", "city"), _pointer("#p", "entity"), _pointer("#s", "entity")],
        ),
        Synset("city", "n", ["city"], "where many live", 15, [_pointer("@", "entity")]),
        Synset("earth", "n", ["Earth", "earth"], "our planet", 17, [_pointer("@i", "entity")], lex_ids=[0, 1]),
        Synset("law", "n", ["law"], "rules", 9, [_pointer("@", "entity")]),
        Synset("man", "n", ["man"], "he", 18, [_pointer("@", "animal"), _pointer("@", "villain")]),
        Synset("men", "n", ["men", "work_force"], "those who work", 14, [_pointer("@", "entity")]),
        Synset("box", "n", ["box"], "a case", 6, [_pointer("@", "entity")]),
        Synset("boxful", "n", ["boxful"], "as much as a box holds", 23, [_pointer("@", "entity")]),
        Synset("attorney", "n", ["attorney"], "a lawyer", 18, [_pointer("@", "man")]),
        Synset("attorney_general", "n", ["attorney_general"], "the first", 18, [_pointer("@", "attorney")]),
        Synset("ear-ring", "n", ["ear-ring"], "an ornament", 6, [_pointer("@", "entity")]),
        Synset("as", "n", ["as", "a"], "a letter", 10, [_pointer("@", "entity")]),
        Synset("axe", "n", ["ax", "axe"], "a tool", 6, [_pointer("@", "entity")]),
        Synset("axis", "n", ["axis"], "a line", 25, [_pointer("@", "entity")]),
        Synset("clas", "n", ["clas"], "no word", 10, [_pointer("@", "entity")]),
        Synset("el", "n", ["el", "elf"], "a small one", 10, [_pointer("@", "entity")]),
        Synset("move", "v", ["move"], 'change place; "it moved", "it moves"', 38, frames=[(1, 0), (2, 1)]),
        Synset(
            "run",
            "v",
            ["run", "dash"],
            "move fast",
            38,
            [
                _pointer("@", "move"),
                _pointer("*", "move"),
                _pointer("^", "move", 1, 1),
                _pointer("$", "ask"),
                _pointer("+", "dog", 1, 2),
            ],
            [(2, 0)],
        ),
        Synset("ask", "v", ["ask"], "want to know", 32, [_pointer(">", "move")], [(8, 0)]),
        Synset("ask_for", "v", ["ask_for"], "want to have", 32, [_pointer("@", "ask")], [(8, 1)]),
        Synset(
            "make_up_mind", "v", ["make_up_one's_mind", "run_for_man"], "decide", 31, [_pointer("@", "ask")], [(2, 0)]
        ),
        Synset("go", "v", ["go", "go_dog"], "leave", 38, [], [(2, 0)]),
        Synset(
            "hot",
            "a",
            ["hot"],
            "of high temperature",
            0,
            [_pointer("!", "cold", 1, 1), _pointer("=", "entity")],
            markers={0: "(a)"},
        ),
        Synset("cold", "a", ["cold"], "of low temperature", 0),
        Synset(
            "fiery",
            "s",
            ["fiery", "Igneous"],
            "like fire",
            0,
            [_pointer("&", "hot")],
            markers={0: "(p)", 1: "(ip)"},
            counts={"Igneous": 7},
        ),
        Synset(
            "canine",
            "a",
            ["canine", "doglike"],
            "of dogs",
            1,
            [_pointer("\\", "dog", 1, 1), _pointer(";c", "animal"), _pointer(";r", "Paris"), _pointer(";u", "law")],
        ),
        Synset("running", "a", ["running"], "that runs", 44, [_pointer("<", "run", 1, 1)]),
        Synset("hotly", "r", ["hotly"], "in a hot manner", 2, [_pointer("\\", "hot", 1, 1)]),
        Synset("well", "r", ["well"], "in a good manner", 2),
    ]
)

EXCEPTIONS = {
    "n": ["axes ax axis", "men man", "geese goose", "dogmen dogman"],
    "v": ["ran run", "went go", "going go", "running run"],
    "a": ["bad worse"],
    "r": ["best well", "better good well", "best well"],
}
