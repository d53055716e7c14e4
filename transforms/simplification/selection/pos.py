"""Filter pos: the sentence is tagged again with the candidate in place.

A candidate goes on if the engine gives it the part of speech that it gives the target in the same
sentence (Ferrés and Saggion 2022, selection by part of speech). Both are tagged by the same engine
here: what other engines said of the target does not count. A sentence that comes twice is tagged
once, in whatever settings.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from transforms.annotation.engines.registry import load_tagger
from transforms.annotation.engines.texts import annotate_sentences
from transforms.common.errors import LexbeamError
from transforms.common.records import Sentence
from transforms.simplification.selection.filter import CandidateState, InstanceCandidates, Selecting, replaced

__all__ = ["equal_pos", "filter_pos"]

# What stands where an engine has set no tag; X, other, is one that it has set.
_UNSET = ("", "_")
# Where the head of a phrase is last, for other parts of speech than verbs.
_HEAD_LAST = ("en", "de", "sv", "nl", "da")

_Place = tuple[str, int, int]  # a sentence, and the span of a word in it


def equal_pos(pairs: Iterable[str]) -> dict[str, str]:
    """Return what stands for each part of speech, of those that are taken for one.

    What two others are taken for is one with both, in whatever order they are named.

    >>> equal_pos(["VERB=AUX", "ADJ=VERB"])
    {'VERB': 'ADJ', 'AUX': 'ADJ', 'ADJ': 'ADJ'}
    """
    found: dict[str, str] = {}
    for pair in pairs:
        first, _, second = pair.partition("=")
        for name in (first, second):
            found.setdefault(name, name)
        kept, merged = found[first], found[second]
        found = {name: kept if own == merged else own for name, own in found.items()}
    return found


def filter_pos(groups: Sequence[InstanceCandidates], selecting: Selecting) -> None:
    """Drop `pos_mismatch`; note phrases that nothing is said of.

    Raises:
        LexbeamError: the engine has no tag for a word.
    """
    asked: list[tuple[InstanceCandidates, CandidateState | None, _Place]] = []
    head = selecting.options.pos_phrases == "head"
    for group in groups:
        kept = group.kept
        if kept:
            own = group.instance
            asked.append((group, None, (own.sentence, own.start, own.end)))
        for one in kept:
            if " " in one.form and not head:
                one.note = "pos_unchecked"
                continue
            sentence, start = replaced(group.instance, one.shown, one.before)
            asked.append((group, one, (sentence, start, start + len(one.shown))))
    tags = _tags(asked, selecting)
    same = equal_pos(selecting.options.same_pos)
    of_target: dict[str, str] = {}
    for (group, state, _), tag in zip(asked, tags, strict=True):
        if state is None:
            of_target[group.instance.instance_id] = tag
            continue
        state.upos = tag
        wanted = of_target[group.instance.instance_id]
        if same.get(tag, tag) != same.get(wanted, wanted):
            state.reason = "pos_mismatch"


def _tags(asked: Sequence[tuple[InstanceCandidates, CandidateState | None, _Place]], selecting: Selecting) -> list[str]:
    # Whether the head is last changes what is read from a sentence, not how it is tagged.
    keys = [(*place, group.instance.language.partition("-")[0] in _HEAD_LAST) for group, _, place in asked]
    tags: dict[Any, str] = {} if selecting.tagged is None else selecting.tagged
    new = list(dict.fromkeys(key for key in keys if key not in tags))
    texts = list(dict.fromkeys(sentence for sentence, *_ in new))
    engine = load_tagger(selecting.engine)
    found = dict(zip(texts, annotate_sentences(texts, engine), strict=True))
    for sentence, start, end, last in new:
        tag = _tag(found[sentence], (sentence, start, end), last)
        if tag in _UNSET:
            raise LexbeamError(
                f"the engine has no part of speech for {sentence[start:end]!r} in {sentence!r}: "
                "filter pos needs an engine that tags every word"
            )
        tags[sentence, start, end, last] = tag
    return [tags[key] for key in keys]


def _tag(sentence: Sentence, place: _Place, head_last: bool) -> str:
    """Return the tag of a word's first token, or of a phrase's head; empty if it has no token.

    A verb in front is the head of its phrase in all languages.
    """
    upos: Collection[str] = sentence.upos or ()
    starts, ends = sentence.starts or (), sentence.ends or ()
    own = [tag for tag, start, end in zip(upos, starts, ends, strict=True) if start < place[2] and end > place[1]]
    if not own:
        return ""
    if len(own) > 1 and " " in place[0][place[1] : place[2]]:
        if own[0] not in ("VERB", "AUX") and head_last:
            return own[-1]
        return own[0]
    # Several tokens of one word: a contraction or clitics; the first one is the word itself.
    return own[0]
