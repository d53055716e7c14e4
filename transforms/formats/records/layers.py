"""Layers: optional columns of table `sentences`, present only if options name them.

    lexbeam corpus novels/ --out corpus --engine spacy:en_core_web_sm --layers xpos,heads,deprels

A layer is a column of lists, one value a token, and for each kind of engine or annotated input a
plain function from a sentence's tokens, as the engine has them, to the values. The list is null if the
sentence has no values; a token without one is null within the list.

The functions get these tokens, without whitespace, by kind of engine:

    spacy, builtin   spaCy's Tokens of the sentence
    stanza           Stanza's Words of the sentence
    conllu           `ConlluWord`s of the sentence
    vertical         tags of the sentence's words, as text; empty where there is none

Entities are IOB2 whatever the source writes: IOB1, BIOES and BILOU are turned into it, an entity
that runs over a sentence's end begins anew, and words of one multiword token share its entity.

    >>> iob2(["S-PER", "O", "B-LOC", "E-LOC", "I-LOC", "I-ORG", None])
    ['B-PER', 'O', 'B-LOC', 'I-LOC', 'I-LOC', 'B-ORG', None]
"""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.schemas.corpus_tables import SENTENCES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option

I = TypeVar("I", bound=Hashable)  # noqa: E741
Texts = list[str | None]

_NUMBER = re.compile(r"[0-9]{1,9}")
_ENTITY = re.compile(r"([BILESU])-(.+)")
_NER = re.compile(r"(?:.*\|)?ner=([^|]*)", re.IGNORECASE)
XPOS, FEATS, HEAD, DEPREL, MISC = 4, 5, 6, 7, 9


class ConlluWord(NamedTuple):
    """A word of CoNLL-U: the ten columns of its line.

    `span` is those of the line of the multiword token that it is a part of, or None.
    """

    cells: Sequence[str]
    span: Sequence[str] | None = None


def iob2(tags: Sequence[str | None]) -> Texts:
    """Return tags of entities, in any scheme with prefixes, as IOB2; None for what is not a tag."""
    iob: Texts = []
    before = ""  # type of the entity that the token before is in
    for tag in tags:
        match = _ENTITY.fullmatch(tag or "")
        if match is None:
            iob.append("O" if tag == "O" else None)
            before = ""
            continue
        prefix, kind = match.groups()
        inside = prefix in "ILE" and kind == before
        iob.append(f"{'I' if inside else 'B'}-{kind}")
        before = kind  # also after E, L, S and U: words of one token share its tag
    return iob


def renumbered(tokens: Sequence[I], head_of: Callable[[I], I | None]) -> list[int]:
    """Return the head of each token as its number from 1 among the tokens; 0 for a root.

    If the head of a token is not among the tokens, its nearest ancestor that is takes its place.

    Args:
        tokens: any names of the tokens.
        head_of: the head of any token of the sentence; None for a root. It has no cycles.
    """
    numbers = {token: number for number, token in enumerate(tokens, 1)}
    heads = []
    for token in tokens:
        head = head_of(token)
        while head is not None and head not in numbers:
            head = head_of(head)
        heads.append(0 if head is None else numbers[head])
    return heads


def _roots(relations: Sequence[str | None], heads: Sequence[int]) -> Texts:
    return [(relation or None) if head else "root" for relation, head in zip(relations, heads, strict=True)]


def spacy_heads(tokens: Sequence[Any]) -> list[int]:
    """Return the heads that a parser set."""
    doc = tokens[0].doc

    def head_of(index: int) -> int | None:
        head = doc[index].head.i
        return None if head == index else head

    return renumbered([token.i for token in tokens], head_of)


def spacy_deprels(tokens: Sequence[Any]) -> Texts:
    """Return the relations that a parser set; spaCy's `ROOT` is `root`."""
    return _roots([token.dep_ for token in tokens], spacy_heads(tokens))


def spacy_entities(tokens: Sequence[Any]) -> Texts:
    """Return the entities that recognisers and rulers set."""
    return iob2([f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else token.ent_iob_ for token in tokens])


def stanza_heads(words: Sequence[Any]) -> list[int]:
    """Return the heads that the parser set."""
    heads = [word.head or None for word in words[0].sent.words]

    def head_of(number: int) -> int | None:
        return heads[number - 1]

    return renumbered([word.id for word in words], head_of)


def stanza_deprels(words: Sequence[Any]) -> Texts:
    """Return the relations that the parser set."""
    return _roots([word.deprel for word in words], stanza_heads(words))


def stanza_entities(words: Sequence[Any]) -> Texts:
    """Return the entities, which Stanza has by token."""
    return iob2(_of_tokens([(id(word.parent), word.parent.ner) for word in words]))


def conllu_heads(words: Sequence[ConlluWord]) -> list[int | None]:
    """Return column HEAD; None where it names no word of the sentence."""
    # The reader takes no sentence whose words are not numbered from 1 without gaps, and empty
    # nodes have numbers of their own: a word's number is its place.
    heads = [word.cells[HEAD] for word in words]
    return [int(head) if _NUMBER.fullmatch(head) and int(head) <= len(words) else None for head in heads]


def conllu_entities(words: Sequence[ConlluWord]) -> list[str | None] | None:
    """Return `NER=` of column MISC, of a multiword token's line for its words.

    A word without it is outside entities; None if no word of the sentence has it.
    """
    tags = []
    for number, word in enumerate(words):
        tag = _ner(word.cells)
        if tag is None and word.span is not None:
            tags.append((id(word.span), _ner(word.span)))
        else:
            tags.append((-number - 1, tag))
    if all(tag is None for _, tag in tags):
        return None
    return iob2([tag or "O" for tag in _of_tokens(tags)])


def _of_each(read: Callable[[Any], str | None]) -> Callable[[Sequence[Any]], Texts]:
    """Return what reads a value of each token; None where a treebank has none."""

    def values(tokens: Sequence[Any]) -> Texts:
        return [None if value in (None, "", "_") else value for value in map(read, tokens)]

    return values


def _ner(cells: Sequence[str]) -> str | None:
    match = _NER.match(cells[MISC])
    return match.group(1) if match else None


def _of_tokens(tags: Sequence[tuple[int, str | None]]) -> list[str | None]:
    """Return the tag of each word from that of its token: a second word goes on with the entity."""
    by_word: list[str | None] = []
    before = None
    for token, tag in tags:
        goes_on = token == before and tag not in (None, "O")
        by_word.append(f"I{tag[1:]}" if goes_on and tag else tag)
        before = token
    return by_word


class LayerReading(NamedTuple):
    """How one kind of engine gives a layer.

    Attributes:
        values: from the tokens of a sentence to a value for each, None for a token without one; None
            if the sentence has none.
        needs: what must run for it. Of spaCy: attributes that components set (`token.head`), each
            in the metadata of a component's factory; of Stanza: processors.
    """

    values: Callable[[Sequence[Any]], Sequence[Any] | None]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A layer.

    Attributes:
        column: its Arrow column, of lists, nullable; its name is that of the registry.
        reads: how engines, and formats that come annotated, give it, by kind.
    """

    column: pa.Field
    reads: Mapping[str, LayerReading]

    @property
    def doc(self) -> str:
        """The doc line, which is that of its column."""
        return str((self.column.metadata or {}).get(b"doc", b"").decode())

    def __post_init__(self) -> None:
        """Refuse a column that could not stand beside the others."""
        if not pa.types.is_list(self.column.type) or not self.column.nullable:
            raise ValueError(f"the column of a layer is a nullable list, not {self.column}")


@dataclass(frozen=True, kw_only=True)
class LayerOptions:
    """The layers of a corpus, in the order of the registry, each once."""

    layers: tuple[str, ...] = option(
        (),
        help="further columns of `sentences`, see docs/reference/annotation.md",
        metavar="LAYER",
        choices="lexbeam.transforms.formats.records.layers:LAYERS",
    )

    def __post_init__(self) -> None:
        """Refuse unknown names; put the others in order."""
        LAYERS.check(self.layers, "`layers`")
        for name in self.layers:
            if name in SENTENCES.schema().names:
                raise UsageError(
                    f"`layers`: {name!r} has the name of a column that every table `sentences` "
                    "has: rename the layer in the package that adds it"
                )
        object.__setattr__(self, "layers", tuple(name for name in LAYERS if name in self.layers))


def columns_of(layers: Iterable[str]) -> tuple[pa.Field, ...]:
    """Return the columns of layers."""
    return tuple(LAYERS[name].column.with_name(name) for name in layers)


# Formats that come annotated, and what messages call them.
_ANNOTATED = {"conllu": "CoNLL-U", "vertical": "vertical text"}


def check_layers(layers: Iterable[str], kinds: Collection[str], source: str) -> None:
    """Check that a source can give layers.

    Args:
        kinds: kinds of engines or formats, any of which may give them.
        source: what they are of, for the message: `engine 'builtin:en'`.

    Raises:
        UsageError: none of the kinds gives one of them; the message says what does.
    """
    for name in layers:
        reads = LAYERS[name].reads
        if not any(kind in reads for kind in kinds):
            engines = [f"engine {kind}" for kind in reads if kind not in _ANNOTATED]
            inputs = [f"input in {title} with engine none" for kind, title in _ANNOTATED.items() if kind in reads]
            raise UsageError(
                f"{source} never gives the layer {name!r}: leave it out of `layers`, or take "
                f"{' or '.join([*engines, *inputs])}"
            )


def needs_of(layers: Iterable[str], kind: str) -> dict[str, tuple[str, ...]]:
    """Return what an engine must run for each layer."""
    return {name: LAYERS[name].reads[kind].needs for name in layers}


def values_of(layers: Sequence[str], kind: str, tokens: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of each layer for a sentence; None if it has none, or only nulls.

    Raises:
        LexbeamError: a layer's function gives more or fewer values than there are tokens.
    """
    by_layer = []
    for name in layers:
        reading = LAYERS[name].reads.get(kind)
        values = None if reading is None else reading.values(tokens)
        if values is not None and len(values) != len(tokens):
            raise LexbeamError(
                f"layer {name!r} of {kind} gives {len(values)} values for {len(tokens)} tokens: correct its function"
            )
        has_values = values is not None and any(value is not None for value in values)
        by_layer.append(values if has_values else None)
    return tuple(by_layer)


def _texts(name: str, doc: str, range: str | None = None) -> pa.Field:
    return column(name, pa.list_(pa.string()), doc, range=range, nullable=True)


LAYERS: Registry[Layer] = Registry(
    {
        "xpos": Layer(
            column=_texts("xpos", "parts of speech in the tag set of model or treebank"),
            reads={
                "spacy": LayerReading(lambda tokens: [token.tag_ or None for token in tokens], ("token.tag",)),
                "stanza": LayerReading(_of_each(attrgetter("xpos")), ("pos",)),
                "conllu": LayerReading(_of_each(lambda word: word.cells[XPOS])),
                "vertical": LayerReading(lambda tags: [tag or None for tag in tags]),
            },
        ),
        "feats": Layer(
            column=_texts(
                "feats",
                "morphological features; null where a token has none",
                "Name=Value|Name=Value, as FEATS of CoNLL-U",
            ),
            reads={
                "spacy": LayerReading(lambda tokens: [str(token.morph) or None for token in tokens], ("token.morph",)),
                "stanza": LayerReading(_of_each(attrgetter("feats")), ("pos",)),
                "conllu": LayerReading(_of_each(lambda word: word.cells[FEATS])),
            },
        ),
        "heads": Layer(
            column=column(
                "heads",
                pa.list_(pa.int32()),
                "syntactic head of each token: its number within the sentence",
                unit="tokens, from 1",
                range="0 (root) to the number of tokens",
                nullable=True,
            ),
            reads={
                "spacy": LayerReading(spacy_heads, ("token.head",)),
                "stanza": LayerReading(stanza_heads, ("pos", "lemma", "depparse")),
                "conllu": LayerReading(conllu_heads),
            },
        ),
        "deprels": Layer(
            column=_texts("deprels", "relation of each token to its head; `root` where that is 0"),
            reads={
                "spacy": LayerReading(spacy_deprels, ("token.dep", "token.head")),
                "stanza": LayerReading(stanza_deprels, ("pos", "lemma", "depparse")),
                "conllu": LayerReading(_of_each(lambda word: word.cells[DEPREL])),
            },
        ),
        "entities": Layer(
            column=_texts("entities", "named entities", "IOB2: O, B-TYPE (first token), I-TYPE"),
            reads={
                "spacy": LayerReading(spacy_entities, ("doc.ents",)),
                "stanza": LayerReading(stanza_entities, ("ner",)),
                "conllu": LayerReading(conllu_entities),
            },
        ),
    },
    what="layer",
    group="lexbeam.layers",
)
