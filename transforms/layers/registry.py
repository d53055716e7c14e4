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
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from lexbeam.schemas.columns import column
from lexbeam.schemas.corpus.sentences import SENTENCES
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.layers import values as of


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
        choices="lexbeam.transforms.layers.registry:LAYERS",
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
        layers: the layers.
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
                "spacy": LayerReading(of.spacy_xpos, ("token.tag",)),
                "stanza": LayerReading(of.stanza_xpos, ("pos",)),
                "conllu": LayerReading(of.conllu_xpos),
                "vertical": LayerReading(of.vertical_xpos),
            },
        ),
        "feats": Layer(
            column=_texts(
                "feats",
                "morphological features; null where a token has none",
                "Name=Value|Name=Value, as FEATS of CoNLL-U",
            ),
            reads={
                "spacy": LayerReading(of.spacy_feats, ("token.morph",)),
                "stanza": LayerReading(of.stanza_feats, ("pos",)),
                "conllu": LayerReading(of.conllu_feats),
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
                "spacy": LayerReading(of.spacy_heads, ("token.head",)),
                "stanza": LayerReading(of.stanza_heads, ("pos", "lemma", "depparse")),
                "conllu": LayerReading(of.conllu_heads),
            },
        ),
        "deprels": Layer(
            column=_texts("deprels", "relation of each token to its head; `root` where that is 0"),
            reads={
                "spacy": LayerReading(of.spacy_deprels, ("token.dep", "token.head")),
                "stanza": LayerReading(of.stanza_deprels, ("pos", "lemma", "depparse")),
                "conllu": LayerReading(of.conllu_deprels),
            },
        ),
        "entities": Layer(
            column=_texts("entities", "named entities", "IOB2: O, B-TYPE (first token), I-TYPE"),
            reads={
                "spacy": LayerReading(of.spacy_entities, ("doc.ents",)),
                "stanza": LayerReading(of.stanza_entities, ("ner",)),
                "conllu": LayerReading(of.conllu_entities),
            },
        ),
    },
    what="layer",
    group="lexbeam.layers",
)
