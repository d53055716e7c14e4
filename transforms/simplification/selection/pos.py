"""Filter pos: the sentence is tagged again with the candidate in place.

A candidate goes on if the engine gives it the part of speech that it gives the target in the same
sentence (Ferrés and Saggion 2022, selection by part of speech). The same engine tags both: the
annotation of the target does not count. Where the engine says how far it looks, only so much of the
sentence is tagged: the tag is the same. Where it does not, it is shown `WINDOW` words to either side, or a
sentence of many targets would be tagged whole for each. What occurs twice is tagged once, even in different settings.
"""

from collections.abc import Collection, Iterable, Sequence

from lexbeam.transforms.annotation.engines.engine import annotate_sentences
from lexbeam.transforms.annotation.engines.known_engines import load_tagger
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.simplification.selection.filter import (
    CandidateState,
    InstanceCandidates,
    Selecting,
    TaggedPlace,
    replaced,
)

WINDOW = 64
# What an engine leaves where it sets no tag; X (other) is a tag.
_UNSET = ("", "_")
# Where the head of a phrase is last, for other parts of speech than verbs.
_HEAD_LAST = ("en", "de", "sv", "nl", "da")


def equal_pos(pairs: Iterable[str]) -> dict[str, str]:
    """Return what stands for each part of speech, of those that are taken for one.

    Pairs chain, in whatever order they are named.

    >>> equal_pos(["VERB=AUX", "ADJ=VERB"])
    {'VERB': 'ADJ', 'AUX': 'ADJ', 'ADJ': 'ADJ'}
    """
    representatives: dict[str, str] = {}
    for pair in pairs:
        first, _, second = pair.partition("=")
        for name in (first, second):
            representatives.setdefault(name, name)
        representative, merged = representatives[first], representatives[second]
        representatives = {
            name: representative if current == merged else current for name, current in representatives.items()
        }
    return representatives


def filter_pos(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `pos_mismatch`; note phrases that are not judged.

    Raises:
        LexbeamError: the engine has no tag for a word.
    """
    queries: list[tuple[InstanceCandidates, CandidateState | None, TaggedPlace]] = []
    head = selecting.options.pos_phrases == "head"
    for group in groups:
        remaining = group.remaining
        instance = group.instance
        head_last = instance.language.partition("-")[0] in _HEAD_LAST
        if remaining:
            place = TaggedPlace(instance.sentence, instance.start, instance.end, head_last)
            queries.append((group, None, place))
        for candidate in remaining:
            if " " in candidate.form and not head:
                candidate.note = "pos_unchecked"
                continue
            sentence, start = replaced(instance, candidate.shown, candidate.before)
            place = TaggedPlace(sentence, start, start + len(candidate.shown), head_last)
            queries.append((group, candidate, place))
    tags = _tags([place for _, _, place in queries], selecting)
    same = equal_pos(selecting.options.same_pos)
    of_target: dict[str, str] = {}
    for (group, state, _), tag in zip(queries, tags, strict=True):
        if state is None:
            of_target[group.instance.instance_id] = tag
            continue
        state.upos = tag
        wanted = of_target[group.instance.instance_id]
        if same.get(tag, tag) != same.get(wanted, wanted):
            state.reason = "pos_mismatch"


def _tags(places: Sequence[TaggedPlace], selecting: Selecting) -> list[str]:
    """Return the tag of each place; those that are known already are not tagged anew."""
    tags: dict[TaggedPlace, str] = {} if selecting.tagged is None else selecting.tagged
    engine = load_tagger(selecting.engine, fingerprint=selecting.fingerprint)
    reach = WINDOW if engine.reach is None else engine.reach
    seen = [within_reach(place, reach) for place in places]
    new = {place: asked for place, asked in zip(seen, places, strict=True) if place not in tags}
    texts = list(dict.fromkeys(place.sentence for place in new))
    sentences = dict(zip(texts, annotate_sentences(texts, engine), strict=True))
    for place, asked in new.items():
        tag = _tag(sentences[place.sentence], place)
        if tag in _UNSET:
            raise LexbeamError(
                f"the engine has no part of speech for {asked.sentence[asked.start : asked.end]!r} in "
                f"{asked.sentence!r}: filter pos needs an engine that tags every word"
            )
        tags[place] = tag
    return [tags[place] for place in seen]


def within_reach(place: TaggedPlace, reach: int) -> TaggedPlace:
    """Return a place in what an engine sees of its sentence when it tags it.

    Args:
        place: the place.
        reach: how many tokens to either side the engine looks.

    Tokens end at white space, so that as many stretches without it have at least as many tokens.

    >>> within_reach(TaggedPlace("As if a cat's paw hit.", 8, 11, True), 1)
    TaggedPlace(sentence="a cat's paw", start=2, end=5, head_last=True)
    """
    sentence = place.sentence
    before = sentence[: place.start + 1].rsplit(None, reach + 1)
    first = 0
    if len(before) > reach + 1:
        rest = sentence[len(before[0]) : place.start + 1]
        first = place.start + 1 - len(rest.lstrip())
    after = sentence[place.end - 1 :].split(None, reach + 1)
    end = len(sentence)
    if len(after) > reach + 1:
        end = len(sentence[: end - len(after[-1])].rstrip())
    return TaggedPlace(sentence[first:end], place.start - first, place.end - first, place.head_last)


def _tag(sentence: Sentence, place: TaggedPlace) -> str:
    """Return the tag of a word's first token, or of a phrase's head; empty if it has no token.

    In all languages a verb in front is the head of its phrase.
    """
    upos: Collection[str] = sentence.upos or ()
    starts, ends = sentence.starts or (), sentence.ends or ()
    tags = [tag for tag, start, end in zip(upos, starts, ends, strict=True) if start < place.end and end > place.start]
    if not tags:
        return ""
    is_phrase = len(tags) > 1 and " " in place.sentence[place.start : place.end]
    if is_phrase and place.head_last and tags[0] not in ("VERB", "AUX"):
        return tags[-1]
    # The first of several tokens of one word, as of a contraction or clitics, is the word itself.
    return tags[0]
