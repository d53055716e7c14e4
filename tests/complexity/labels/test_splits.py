"""Split methods: the paper's rule by hand, what balanced splits never do, and what they reach."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.draws.splits import Shares, bands_of, deal, distances, parse_shares, pattern
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.complexity.labels.label_splits import NO_SENTENCE, SPLIT_METHODS, Instances, SplitOptions

PAPER = parse_shares(["train=.85", "trial=.05", "test=.10"])
TRAIN, TRIAL, TEST = range(3)


def instances(rows, kept=None):
    """Instances of (token, genre, complexity) or (token, genre, complexity, sentence)."""
    return Instances(
        content_hashes([row[0] for row in rows]),
        np.array([content_hashes([row[3]])[0] if len(row) > 3 else NO_SENTENCE for row in rows], "u8"),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.float64),
        np.full(len(rows), -1) if kept is None else np.array(kept),
    )


def split(rows, method="balanced", shares=PAPER, **options):
    """Return the splits of rows by a method."""
    found = SPLIT_METHODS[method].deal(instances(rows), shares, SplitOptions(method=method, **options)).split
    assert len(found) == len(rows)
    assert set(found.tolist()) <= set(range(len(shares.names)))
    return found.tolist()


def corpus(number, genres=3, seed=0, uses=4):
    """Return random instances: tokens with one to some uses, in one genre or two."""
    draw = np.random.default_rng(seed)
    rows = []
    for token in range(number):
        own = draw.choice(genres, size=draw.integers(1, 3))
        level = draw.beta(2, 5)
        for _ in range(draw.integers(1, uses + 1)):
            value = float(np.clip(np.round((level + draw.normal(0, 0.05)) * 40) / 40, 0, 1))
            rows.append((f"t{token}", int(draw.choice(own)), value, f"s{draw.integers(number * 3)}"))
    return rows


def in_several(keys, found):
    """Return the keys that stand in several splits."""
    splits = defaultdict(set)
    for key, one in zip(keys, found, strict=True):
        splits[key].add(one)
    return {key for key, several in splits.items() if len(several) > 1}


def largest(rows, found, splits=3):
    """Return the largest distance of complexity between two splits."""
    return distances(np.array([row[2] for row in rows]), np.array(found), splits).max()


def test_the_papers_pattern_is_one_trial_two_test_seventeen_train():
    assert pattern(PAPER).tolist() == [TRIAL] + [TEST] * 2 + [TRAIN] * 17


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["train=.5", "test=.5"], [0, 1]),
        (["a=.75", "b=.25"], [1, 0, 0, 0]),
        (["a=.333", "b=.333", "c=.333"], [0, 1, 2]),
        (["train=.7", "trial=.05", "test=.25"], [1, *[2] * 5, *[0] * 14]),
        (["a=.01", "b=.99"], [0, *[1] * 99]),
        (["a=.001", "b=.999"], [0, *[1] * 99]),  # the nearest that gives each a place
    ],
)
def test_the_pattern_of_other_shares(texts, expected):
    assert pattern(parse_shares(texts)).tolist() == expected


@given(st.lists(st.integers(1, 400), min_size=2, max_size=8))
def test_a_pattern_gives_every_split_its_share(weights):
    shares = Shares(tuple("abcdefgh"[: len(weights)]), tuple(w / sum(weights) for w in weights))
    block = pattern(shares)
    assert len(weights) <= len(block) <= 100
    counts = np.bincount(block, minlength=len(weights))
    assert counts.min() >= 1
    sizes = counts[block]
    assert (np.diff(sizes) >= 0).all()  # smaller splits first
    if min(weights) / sum(weights) > 0.01:
        assert abs(counts / len(block) - shares.values).max() < 0.01


def test_a_short_last_block_has_about_its_shares():
    block = pattern(PAPER)
    assert deal(40, block).tolist() == [*block, *block]
    # Of 10 groups the k-th takes place 2k + 1 of 20: 1, 3, 5, ...
    assert deal(10, block).tolist() == [TEST] + [TRAIN] * 9
    assert deal(1, block).tolist() == [TRAIN]
    assert deal(0, block).tolist() == []


def test_the_paper_by_hand():
    # Two groups to a block: the first to b, the second to a. Least complexities of genre 0 are
    # x .1, y .2, z .3, w .4; those of genre 1: y .1, x .5.
    rows = [
        ("x", 0, 0.9),
        ("x", 0, 0.1),
        ("y", 0, 0.2),
        ("z", 0, 0.3),
        ("w", 0, 0.8),
        ("w", 0, 0.4),
        ("x", 1, 0.5),
        ("y", 1, 0.1),
    ]
    shares = parse_shares(["a=.6", "b=.4"])
    block = pattern(shares).tolist()
    assert block == [1, 1, 0, 0, 0]
    halves = parse_shares(["b=.5", "a=.5"])  # places: b 0, a 1
    assert split(rows, "paper", halves) == [0, 0, 1, 0, 1, 1, 1, 0]
    # x and y stay where genre 0 puts them.
    assert split(rows, "paper-global", halves) == [0, 0, 1, 0, 1, 1, 0, 1]


def test_ties_are_decided_by_the_hash_of_the_token_and_the_seed():
    rows = [(f"t{n}", 0, 0.5) for n in range(40)]
    first = split(rows, "paper", seed=1)
    assert first != split(rows, "paper", seed=2)
    assert sorted(first) == sorted([TRIAL, TEST, TEST, *[TRAIN] * 17] * 2)
    assert first == split(rows[::-1], "paper", seed=1)[::-1]


@pytest.mark.parametrize("method", ["paper", "paper-global", "balanced"])
def test_the_order_of_rows_does_not_count(method):
    rows = corpus(50)
    order = np.random.default_rng(5).permutation(len(rows))
    shuffled = split([rows[place] for place in order], method)
    found = split(rows, method)
    assert [found[place] for place in order] == shuffled


def test_the_paper_leaks_and_the_others_do_not():
    rows = corpus(120)
    tokens = [row[0] for row in rows]
    assert in_several(tokens, split(rows, "paper"))
    assert not in_several(tokens, split(rows, "paper-global"))
    assert not in_several(tokens, split(rows, "balanced"))


def test_balanced_splits_have_sizes_genres_and_complexities_alike():
    rows = corpus(700)
    found = split(rows)
    sizes = np.bincount(found) / len(rows)
    assert abs(sizes - PAPER.values).max() <= 0.01
    genres = np.array([row[1] for row in rows])
    for genre in range(3):
        own = np.bincount(np.array(found)[genres == genre], minlength=3)
        assert abs(own / own.sum() - PAPER.values).max() <= 0.01
        of_split = own / np.bincount(found)
        assert abs(of_split - (genres == genre).mean()).max() <= 0.01
    # Below any of 120 random dealings of tokens, and below what the paper's rule gives.
    draw = np.random.default_rng(1)
    tokens = np.unique([row[0] for row in rows], return_inverse=True)[1]
    random = [largest(rows, draw.choice(3, size=tokens.max() + 1, p=PAPER.values)[tokens]) for _ in range(120)]
    assert largest(rows, found) < min(random) / 2
    assert largest(rows, found) < largest(rows, split(rows, "paper")) / 2


def test_no_sentence_in_two_splits_and_what_is_too_large_goes_to_the_largest():
    rows = corpus(100)
    # A sentence that a quarter of the tokens share joins them.
    rows += [(f"t{n}", 0, 0.5, "everywhere") for n in range(60)]
    dealt = SPLIT_METHODS["balanced"].deal(instances(rows), PAPER, SplitOptions(one_sentence=True))
    found = dealt.split.tolist()
    for column in (0, 3):
        assert not in_several([row[column] for row in rows], found)
    (large,) = dealt.too_large
    assert large.rows >= 60
    assert large.share == large.rows / len(rows)
    assert {found[place] for place, row in enumerate(rows) if row[3] == "everywhere"} == {TRAIN}
    assert in_several([row[3] for row in rows], split(rows))


def test_rows_without_a_sentence_are_not_joined():
    rows = [(f"t{n}", 0, n / 60) for n in range(60)]
    found = split(rows, one_sentence=True)
    assert sorted(found) == [TRAIN] * 51 + [TRIAL] * 3 + [TEST] * 6


TOKENS = st.tuples(
    st.sampled_from("abcdefgh"),
    st.integers(0, 2),
    st.sampled_from([0, 0.25, 0.3, 0.5, 1.0]),
    st.sampled_from(["p", "q", "r", "s", "t", "u"]),
)


@settings(max_examples=40)
@given(
    st.lists(TOKENS, max_size=25),
    st.sampled_from(["paper", "paper-global", "balanced"]),
    st.booleans(),
    st.integers(2, 5),
)
def test_small_inputs_of_every_shape(rows, method, one_sentence, splits):
    shares = parse_shares([f"{name}={1 / splits}" for name in "abcde"[:splits]])
    found = split(rows, method, shares, one_sentence=one_sentence and method == "balanced")
    if method != "paper":
        assert not in_several([row[0] for row in rows], found)
    if method == "balanced" and one_sentence:
        assert not in_several([row[3] for row in rows], found)
    if method == "paper":
        assert not in_several([row[:2] for row in rows], found)


@given(st.lists(st.floats(0, 1).map(lambda x: round(x, 2)), min_size=1), st.integers(2, 30))
def test_bands_keep_the_order_and_equal_values_together(values, bands):
    found = bands_of(np.array(values), bands)
    assert set(found.tolist()) == set(range(max(found) + 1))
    assert len(set(found.tolist())) <= bands
    for (x, a), (y, b) in itertools.combinations(zip(values, found, strict=True), 2):
        assert (x == y) <= (a == b)
        assert (x < y) <= (a <= b)
    if len(set(values)) <= bands:
        assert len(set(found.tolist())) == len(set(values))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["train=.5"], "two splits or more"),
        (["train=.5", "test=.4"], "add up to 0.9"),
        (["train=.5", "train=.5"], "given twice"),
        (["train=x", "test=.5"], "NAME=SHARE"),
        (["train", "test=.5"], "NAME=SHARE"),
        (["train=0", "test=1"], "between 0 and 1"),
        (["=.5", "test=.5"], "names no split"),
        (["a b=.5", "test=.5"], "names no split"),
        (["train=nan", "test=.5"], "NAME=SHARE"),
    ],
)
def test_wrong_shares_are_told(texts, message):
    with pytest.raises(UsageError, match=message):
        parse_shares(texts)


def test_rounded_shares_are_scaled():
    assert parse_shares(["a=.333", "b = .333", "c=.333"]) == Shares(
        ("a", "b", "c"), pytest.approx((1 / 3, 1 / 3, 1 / 3))
    )


@pytest.mark.parametrize("method", SPLIT_METHODS)
def test_what_is_kept_stays_and_shares_come_out_as_tokens_are_added(method):
    rows = corpus(60, genres=1)
    kept = split(rows, method)
    for night in range(40):  # a token each: alone, each would be dealt as the first of a block
        rows = [*rows, (f"new {night}", 0, night / 40), (rows[night][0], rows[night][1], 0.5)]
        asked = [*kept, -1, -1]
        found = SPLIT_METHODS[method].deal(instances(rows, asked), PAPER, SplitOptions(method=method)).split.tolist()
        assert found[: len(kept)] == kept
        assert found[-1] == kept[night]  # another instance of a token follows it
        kept = found
    shares = np.bincount(kept, minlength=3) / len(kept)
    assert np.abs(shares - PAPER.values).max() < 0.05


def test_what_is_kept_is_not_torn_by_what_connects_it():
    # One sentence of two tokens that are kept in two splits: both stay, and the new instance follows one of them.
    rows = [("a", 0, 0.1, "one"), ("b", 0, 0.2, "two"), ("a", 0, 0.1, "two")]
    options = SplitOptions(one_sentence=True)
    found = balanced_kept(rows, [TEST, TRIAL, -1], options)
    assert found[2] in (TEST, TRIAL)
    assert balanced_kept(rows, [TEST, TEST, -1], options) == [TEST, TEST, TEST]
    assert balanced_kept(rows, [TEST, TRIAL, TRIAL], options)[0] == TRIAL  # most rows of the group


def balanced_kept(rows, kept, options):
    """The splits of groups; instances that are kept are put back by whoever asks."""
    return SPLIT_METHODS["balanced"].deal(instances(rows, kept), PAPER, options).split.tolist()
