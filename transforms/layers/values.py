"""Values of the layers, from the tokens of a sentence as spaCy, Stanza or CoNLL-U have them.

Entities are IOB2 whatever the source writes: IOB1, BIOES and BILOU are turned into it, an entity
that runs over a sentence's end begins anew, and words of one multiword token share its entity.

    >>> iob2(["S-PER", "O", "B-LOC", "E-LOC", "I-LOC", "I-ORG", None])
    ['B-PER', 'O', 'B-LOC', 'I-LOC', 'I-LOC', 'B-ORG', None]
"""

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeVar

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
    """Return relations with `root` for every token without a head, and None for empty ones."""
    return [(relation or None) if head else "root" for relation, head in zip(relations, heads, strict=True)]


def spacy_xpos(tokens: Sequence[Any]) -> Texts:
    """Return the tags of a tagger."""
    return [token.tag_ or None for token in tokens]


def spacy_feats(tokens: Sequence[Any]) -> Texts:
    """Return the features of a morphologizer or attribute ruler."""
    return [str(token.morph) or None for token in tokens]


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


def stanza_xpos(words: Sequence[Any]) -> Texts:
    """Return the tags of the treebank."""
    return [_present(word.xpos) for word in words]


def stanza_feats(words: Sequence[Any]) -> Texts:
    """Return the features."""
    return [_present(word.feats) for word in words]


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


def conllu_xpos(words: Sequence[ConlluWord]) -> Texts:
    """Return column XPOS."""
    return [_present(word.cells[XPOS]) for word in words]


def vertical_xpos(tags: Sequence[str]) -> Texts:
    """Return the tags of vertical text."""
    return [tag or None for tag in tags]


def conllu_feats(words: Sequence[ConlluWord]) -> Texts:
    """Return column FEATS."""
    return [_present(word.cells[FEATS]) for word in words]


def conllu_heads(words: Sequence[ConlluWord]) -> list[int | None]:
    """Return column HEAD; None where it names no word of the sentence."""
    # The reader takes no sentence whose words are not numbered from 1 without gaps, and empty
    # nodes have numbers of their own: a word's number is its place.
    heads = [word.cells[HEAD] for word in words]
    return [int(head) if _NUMBER.fullmatch(head) and int(head) <= len(words) else None for head in heads]


def conllu_deprels(words: Sequence[ConlluWord]) -> Texts:
    """Return column DEPREL."""
    return [_present(word.cells[DEPREL]) for word in words]


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


def _present(value: str | None) -> str | None:
    return None if value in (None, "", "_") else value


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
