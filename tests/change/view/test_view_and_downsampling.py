from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

from lexbeam.schemas.corpus_tables import SENTENCES, UPOS
from lexbeam.transforms.change.view import view_and_downsampling
from lexbeam.transforms.change.view.slices import parse_slices, slice_of
from lexbeam.transforms.change.view.view_and_downsampling import (
    BINS,
    columns_needed,
    derive,
    keep_mask,
    sentence_keys,
    threshold,
    token_histogram,
)
from lexbeam.transforms.change.view.words import NO_TAG, ViewOptions, ViewTargets, is_word, load_targets, normalise_word
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping

SLICES = parse_slices("..-1,1800-1850,1900..")
TARGETS = load_targets(["attack_nn", "Liber", "fair_jj"], ViewOptions())


def sentences(rows):
    """Rows of (document_id, sentence, year, lemmas, upos)."""
    return pa.Table.from_pylist(
        [
            {"document_id": document, "sentence": number, "year": year, "lemmas": lemmas, "forms": lemmas, "upos": upos}
            for document, number, year, lemmas, upos in rows
        ],
        schema=SENTENCES.schema(),
    )


def plain(lemmas, year=1800, document="d", number=0):
    return (document, number, year, lemmas, None)


def reference(rows, targets, options):
    """The view of one row after another, as the definition has it."""
    result = []
    for document, number, year, lemmas, upos in rows:
        place = slice_of(year, SLICES)
        if place is None:
            continue
        words, tags = [], []
        for lemma, tag in zip(lemmas, upos or [None] * len(lemmas), strict=True):
            word = normalise_word(lemma or "", options)
            if not is_word(word):
                continue
            for bare, wanted, joined in targets.joined:
                if (bare, wanted) == (word, tag):
                    word = joined
                    break
            words.append(word)
            tags.append(tag if tag in UPOS else None)
        length = len(lemmas) if options.length_counts == "all" else len(words)
        if length < options.min_sentence or not words:
            continue
        holds = any(word in targets.words for word in words)
        for start in range(0, len(words), view_and_downsampling.LONGEST_SENTENCE):
            cut = slice(start, start + view_and_downsampling.LONGEST_SENTENCE)
            result.append((place, document, number, holds, words[cut], tags[cut]))
    return result


def as_rows(batch):
    codes = [NO_TAG] * len(batch.words.flatten()) if batch.tags is None else batch.tags
    tags = iter([*UPOS, None][code] for code in codes)
    lists = [list(islice(tags, length)) for length in batch.words.value_lengths().to_pylist()]
    return list(
        zip(
            batch.slice.tolist(),
            batch.document.to_pylist(),
            batch.sentence.tolist(),
            batch.target.tolist(),
            batch.words.to_pylist(),
            lists,
            strict=True,
        )
    )


LEMMAS = st.sampled_from(
    ["attack", "Attack", "attack_nn", "liber#2", "fair", ",", "--", "", None, "o'", "9", "e\u0301"]
)
TAGS = st.sampled_from(["NOUN", "VERB", "ADJ", "PROPN", "PUNCT", "ODD", None])


@st.composite
def corpora(draw, tagged=True):
    rows = []
    for number in range(draw(st.integers(0, 6))):
        lemmas = draw(st.lists(LEMMAS, max_size=9))
        upos = [draw(TAGS) for _ in lemmas] if tagged and draw(st.booleans()) else None
        year = draw(st.sampled_from([None, -5, 0, 1800, 1850, 1851, 1900, 2000]))
        rows.append((draw(st.sampled_from("ab")), number, year, lemmas, upos))
    return rows


@settings(max_examples=150, deadline=None)
@given(corpora(), st.integers(0, 4), st.sampled_from(["all", "words"]), st.integers(2, 4))
def test_agrees_with_sentence_by_sentence_derivation(rows, least, counts, longest):
    options = ViewOptions(min_sentence=least, length_counts=counts)
    targets = ViewTargets(("attack", "liber"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view_and_downsampling, "LONGEST_SENTENCE", longest)
        batch = derive(sentences(rows), SLICES, targets, options)
        expected = reference(rows, targets, options)
    assert as_rows(batch) == expected
    inside = [row for row in rows if slice_of(row[2], SLICES) is not None]
    assert batch.tokens_before.sum() == sum(len(row[3]) for row in inside)
    whole = {(row[1], row[2]) for row in expected}
    assert batch.short.sum() == len(inside) - len(whole)
    dropped = [row for row in inside if (row[0], row[1]) not in whole]
    assert batch.short_tokens.sum() == sum(len(row[3]) for row in dropped)
    assert batch.split.sum() == sum(1 for key in whole if sum((row[1], row[2]) == key for row in expected) > 1)


@settings(max_examples=100, deadline=None)
@given(corpora())
def test_joins_targets_with_their_tag_and_nothing_else(rows):
    rows = [(*row[:4], row[4] or ["NOUN"] * len(row[3])) for row in rows]
    options = ViewOptions(min_sentence=0)
    batch = derive(sentences(rows), SLICES, TARGETS, options)
    assert as_rows(batch) == reference(rows, TARGETS, options)


@settings(max_examples=60, deadline=None)
@given(corpora(), st.integers(0, 6))
def test_batch_borders_do_not_matter(rows, border):
    table = sentences(rows)
    options = ViewOptions(min_sentence=1)
    whole = derive(table, SLICES, ViewTargets(("attack",)), options)
    parts = [
        derive(part, SLICES, ViewTargets(("attack",)), options)
        for part in (table.slice(0, border), table.slice(border))
    ]
    assert as_rows(whole) == as_rows(parts[0]) + as_rows(parts[1])
    assert whole.key.tolist() == parts[0].key.tolist() + parts[1].key.tolist()


def test_documents_outside_are_named_once():
    rows = [plain(["w"], 1851, "a"), plain(["w"], None, "b", 1), plain(["w"], 1851, "a", 2)]
    batch = derive(sentences(rows), SLICES, ViewTargets(), ViewOptions(min_sentence=0))
    assert batch.outside == ["a", "b"]


def test_documents_of_a_slice_are_named_once_whether_anything_of_them_is_kept():
    rows = [
        plain(["w"], 1800, "a"),
        plain(["w"], 1850, "a", 1),
        plain([","], 1801, "b"),
        plain(["w"], 1900, "c"),
        plain(["w"], 1851, "d"),
    ]
    batch = derive(sentences(rows), SLICES, ViewTargets(), ViewOptions(min_sentence=0))
    assert batch.inside == [[], ["a", "b"], ["c"]]
    assert batch.outside == ["d"]
    assert set(batch.document.to_pylist()) == {"a", "c"}


def test_dictionary_columns_give_the_same_view():
    rows = [plain(["Attack", ",", "liber#2"]), plain(["fair"], 1900, "e", 3)]
    table = sentences(rows)
    lists = pa.concat_arrays(table["lemmas"].chunks)
    coded = pa.ListArray.from_arrays(lists.offsets, lists.values.dictionary_encode())
    options = ViewOptions(min_sentence=0)
    expected = derive(table, SLICES, ViewTargets(), options)
    place = table.schema.get_field_index("lemmas")
    got = derive(table.set_column(place, "lemmas", coded), SLICES, ViewTargets(), options)
    assert as_rows(got) == as_rows(expected)


def test_form_unit_reads_forms_only():
    assert columns_needed(ViewOptions(unit="form")) == ["document_id", "sentence", "year", "forms", "upos"]


def test_missing_lemmas_or_tags_are_usage_errors_that_name_a_document():
    rows = [("dd", 0, 1800, None, None)]
    with pytest.raises(UsageError, match=r"no lemmas.*document dd.*`unit`"):
        derive(sentences(rows), SLICES, ViewTargets(), ViewOptions())
    with pytest.raises(UsageError, match=r"no upos.*tagger"):
        derive(sentences([plain(["a"] * 10)]), SLICES, TARGETS, ViewOptions())


def test_an_undated_sentence_without_lemmas_is_only_outside():
    batch = derive(sentences([("d", 0, None, None, None)]), SLICES, ViewTargets(), ViewOptions())
    assert (len(batch.slice), batch.outside) == (0, ["d"])


def test_a_sentence_of_20001_words_becomes_three():
    batch = derive(sentences([plain(["w"] * 20_001)]), SLICES, ViewTargets(), ViewOptions())
    assert batch.words.value_lengths().to_pylist() == [10_000, 10_000, 1]
    assert batch.split.tolist() == [0, 1, 0]
    assert len(set(batch.key.tolist())) == 1


def splitmix64(state, output):
    """The reference generator in plain integers."""
    full = 2**64
    state = (state + output * 0x9E3779B97F4A7C15) % full
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) % full
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % full
    return z ^ (z >> 31)


def test_splitmix64_reference_has_the_published_outputs():
    assert [splitmix64(1234567, i) for i in (1, 2)] == [6457827717110365317, 3203168211198807973]


def test_keys_are_the_published_generator_s_and_stay_what_they_are():
    import hashlib

    documents = pa.array(["aa", "bb", "aa"]).dictionary_encode()
    keys = sentence_keys(documents, [0, 0, 7], 3)
    start = int.from_bytes(hashlib.blake2b(b"3:aa", digest_size=8).digest(), "little")
    assert keys[0] == splitmix64(start, 1)
    assert keys[2] == splitmix64(start, 8)
    assert len(set(keys.tolist()) | set(sentence_keys(documents, [0, 0, 7], 4).tolist())) == 6


def test_another_seed_gives_sentences_other_keys():
    rows = sentences([plain(["sea"] * 12, number=number) for number in range(5)])

    def view(options):
        return derive(rows, SLICES, ViewTargets(), options)

    first, second = (view(from_mapping(ViewOptions, {"view_seed": seed})) for seed in (0, 2))
    assert (first.key == view(ViewOptions()).key).all()
    assert (first.key != second.key).all()
    assert as_rows(first) == as_rows(second)


def corpus(seed, sentences=3_000, share=0.1):
    generator = np.random.default_rng(seed)
    keys = generator.integers(0, 2**64, sentences, dtype=np.uint64)
    lengths = generator.integers(1, 40, sentences)
    return keys, lengths, generator.random(sentences) < share


@given(st.integers(0, 50), st.integers(0, 80_000))
def test_keeps_targets_and_as_much_of_the_rest_as_the_budget_allows(seed, budget):
    keys, lengths, targets = corpus(seed)
    histogram, held = token_histogram(keys, lengths, targets)
    assert histogram.sum() + held == lengths.sum()
    limit = threshold(histogram, held, budget)
    take = keep_mask(keys, targets, limit)
    assert take[targets].all()
    tokens = lengths[take].sum()
    assert tokens <= max(budget, held)
    if limit < BINS:
        assert tokens + histogram[limit] > budget  # one bin more would be too much


def test_without_a_budget_all_is_kept():
    keys, lengths, targets = corpus(1)
    histogram, held = token_histogram(keys, lengths, targets)
    assert threshold(histogram, held, None) == BINS
    assert threshold(histogram, held, int(lengths.sum())) == BINS
    assert keep_mask(keys, targets, BINS).all()


def test_what_is_kept_is_spread_over_the_order_of_training():
    keys, lengths, targets = corpus(2)
    histogram, held = token_histogram(keys, lengths, targets)
    take = keep_mask(keys, targets, threshold(histogram, held, int(lengths.sum() // 3)))
    free = take & ~targets
    assert kstest(keys[free] / 2**64, "uniform").pvalue > 0.001
    assert abs(spearmanr(keys[take], targets[take]).statistic) < 0.1


def test_parts_add_up():
    keys, lengths, targets = corpus(3)
    whole, held = token_histogram(keys, lengths, targets)
    parts = [token_histogram(keys[c], lengths[c], targets[c]) for c in (slice(9), slice(9, None))]
    assert (whole == parts[0][0] + parts[1][0]).all()
    assert held == parts[0][1] + parts[1][1]
