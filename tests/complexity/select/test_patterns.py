import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.schemas.complexity import KINDS
from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.select.patterns import PATTERNS, chosen_patterns, match


def test_the_registry_names_parts_of_speech_and_kinds_that_there_are():
    for name, pattern in PATTERNS.items():
        assert name.startswith(pattern.language + ":")
        assert pattern.kind in KINDS
        assert (len(pattern.steps) == 1) == (pattern.kind == "single")
        tags = {tag for step in pattern.steps for tag in step.upos} | set(pattern.not_before)
        assert tags <= set(UPOS)


def test_patterns_are_chosen_by_name_for_the_languages_that_there_are():
    english = ("en:adj-noun", "en:noun", "en:noun-noun")
    assert chosen_patterns((), {"en"}) == english
    assert chosen_patterns(("noun",), {"en", "es", "sv"}) == ("en:noun", "es:noun")
    assert chosen_patterns(("es:noun", "adj-noun"), {"en", "es"}) == ("en:adj-noun", "es:noun")


@pytest.mark.parametrize(
    ("names", "languages", "message"),
    [
        (("nuon",), {"en"}, "no pattern is called 'nuon'.*noun"),
        ((), {"sv"}, "patterns for sv: there are patterns for de, en, es"),
        ((), set(), "no known language"),
        (("noun-adj",), {"en"}, "patterns for en"),
    ],
)
def test_what_is_not_there_is_refused(names, languages, message):
    with pytest.raises(UsageError, match=message):
        chosen_patterns(names, languages)


TAG = st.sampled_from(["NOUN", "NOUN", "ADJ", "ADJ", "PROPN", "VERB", "PUNCT", "ODD", None])
FINE = st.sampled_from(["NN", "NNS", "NNP", "JJ", "JJR", None])
SENTENCE = st.lists(st.tuples(TAG, FINE), max_size=7)
SENTENCES = st.lists(st.one_of(st.none(), SENTENCE), max_size=5)
NAMES = st.lists(st.sampled_from(sorted(PATTERNS)), min_size=1, unique=True)


def fits(step, tag, fine, proper, plural):
    wanted = set(step.upos)
    tags = set(step.fine)
    if proper and step.proper:
        wanted.add("PROPN")
        tags |= set(step.proper_fine)
    if not plural:
        tags -= set(step.plural)
    return tag in wanted and (not step.fine or fine is None or fine in tags)


def naive(sentences, patterns, proper, plural):
    """Return by (row, position, kind) how many tokens the longest target has, token by token."""
    found = {}
    for row, sentence in enumerate(sentences):
        for position in range(len(sentence or ())):
            for pattern in patterns:
                piece = sentence[position : position + len(pattern.steps)]
                if len(piece) < len(pattern.steps):
                    continue
                if not all(
                    fits(step, *token, proper, plural) for step, token in zip(pattern.steps, piece, strict=True)
                ):
                    continue
                after = sentence[position + len(piece) : position + len(piece) + 1]
                if pattern.not_before and any(tag not in UPOS or tag in pattern.not_before for tag, _ in after):
                    continue
                key = (row, position, pattern.kind)
                found[key] = max(found.get(key, 0), len(piece))
    return found


def columns(sentences, with_fine=True):
    texts = pa.list_(pa.string())
    upos = pa.array([s and [tag for tag, _ in s] for s in sentences], texts)
    fine = pa.array([s and [fine for _, fine in s] for s in sentences], texts)
    return upos, fine if with_fine else None


def matched(upos, xpos, names, **options):
    found = match(upos, xpos, [PATTERNS[name] for name in names], **options)
    kinds = [found.kinds[kind] for kind in found.kind]
    return {
        key: tokens
        for *key, tokens in zip(found.row.tolist(), found.position.tolist(), kinds, found.tokens.tolist(), strict=True)
        for key in [tuple(key)]
    }


@given(SENTENCES, NAMES, st.booleans(), st.booleans(), st.booleans())
def test_what_a_loop_over_tokens_finds(sentences, names, proper, plural, with_fine):
    upos, xpos = columns(sentences, with_fine)
    if not with_fine:
        sentences = [s and [(tag, None) for tag, _ in s] for s in sentences]
    patterns = [PATTERNS[name] for name in names]
    found = matched(upos, xpos, names, proper=proper, plural=plural)
    assert found == naive(sentences, patterns, proper, plural)


@given(SENTENCES, st.lists(st.booleans(), min_size=5, max_size=5))
def test_fine_tags_may_be_missing_of_any_sentence(sentences, there):
    upos, xpos = columns(sentences)
    kept = [s if some else s and [(t, None) for t, _ in s] for s, some in zip(sentences, there, strict=False)]
    partly = pa.array([x if some else None for x, some in zip(xpos.to_pylist(), there, strict=False)], xpos.type)
    names = ["en:noun", "en:adj-noun"]
    wanted = naive(kept, [PATTERNS[name] for name in names], False, True)
    assert matched(upos, partly, names) == wanted


@given(SENTENCES, st.integers(0, 5))
def test_sentences_cut_off_a_table_are_found_as_they_are(sentences, start):
    upos, xpos = columns(sentences)
    names = ["en:noun", "en:noun-noun"]
    wanted = naive(sentences[start:], [PATTERNS[name] for name in names], False, True)
    assert matched(upos[start:], xpos[start:], names) == wanted


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ("ADJ NOUN", [0]),
        ("ADJ NOUN VERB", [0]),
        ("ADJ NOUN NOUN", [1]),  # the first is followed by a noun, the last two by nothing
        ("ADJ NOUN PROPN", []),
        ("NOUN NOUN NOUN", [1]),
        ("ADJ NOUN X", [0]),
    ],
)
def test_english_expressions_by_hand(tags, wanted):
    upos = pa.array([tags.split()])
    found = match(upos, None, [PATTERNS["en:adj-noun"], PATTERNS["en:noun-noun"]])
    assert found.position.tolist() == wanted
    assert (found.tokens == 2).all()


def test_of_no_sentences_nothing():
    found = match(pa.array([], pa.list_(pa.string())), None, [PATTERNS["es:noun"]])
    assert found.row.dtype == np.int64
    assert len(found.row) == 0


def test_tags_that_are_not_parallel_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        match(pa.array([["NOUN"]]), pa.array([["NN", "NN"]]), [PATTERNS["en:noun"]])
