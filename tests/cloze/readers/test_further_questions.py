"""Further questions against a plain way to them; what of them training sees; own vectors."""

import dataclasses
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_tables import KIND, lists, part

from lexbeam.schemas.cloze import CANDIDATES, PAIRS
from lexbeam.transforms.cloze.readers.data import (
    EncodeOptions,
    GroupTask,
    QuestionGroup,
    further,
    pairs,
    questions,
    texts,
)
from lexbeam.transforms.cloze.readers.encoding import EncodeGroup, SideTexts, chosen_of, further_of
from lexbeam.transforms.cloze.readers.options import PLACEHOLDER, RESERVED, ReaderNetworkOptions
from lexbeam.transforms.cloze.readers.reading_in_folds import (
    BandSetting,
    FitReader,
    NetworkSetting,
    ReadSettings,
    ReadTask,
    folds_of,
)
from lexbeam.transforms.cloze.readers.training import EpochQuestions, epoch_of
from lexbeam.transforms.cloze.readers.words import BandOptions, train_vectors
from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.store.artefacts import Artefact, Workspace, make
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.learning.models.keeping import load_model
from lexbeam.transforms.lexicon.resources import Lexicon

WORD = st.integers(0, 5)
SENTENCE = st.lists(WORD, min_size=1, max_size=7)
PAIR = st.tuples(st.lists(SENTENCE, min_size=1, max_size=4), SENTENCE)
SMALL = ReaderNetworkOptions(hidden=3, dim=4, epochs=2, batch=4)


def lemma(word):
    """Return 0 for words 0 and 1, 1 for 2 and 3, and so on: two forms of each lemma."""
    return word // 2


def side(texts, vocabulary, firsts):
    flat = np.array([word for text in texts for word in text], np.int64)
    bounds = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    candidates = np.where(np.isin(flat, vocabulary), flat, -1)
    starts = [bounds[n] + first for n, sentence_firsts in enumerate(firsts) for first in sentence_firsts]
    return SideTexts(bounds, candidates, flat, lemma(flat), np.array(starts, np.int64))


def plainly(made, vocabulary, asked, train_on, most):
    """Yield pair, whether in the passage, start, stop, place and answer, word by word."""
    for number, (sentences, summary) in enumerate(made):
        passage = [word for sentence in sentences for word in sentence]
        for place, word in enumerate(summary):
            if train_on == "answers" or word not in vocabulary or (number, place) in asked:
                continue
            if lemma(word) not in {lemma(other) for other in passage}:
                yield number, False, 0, len(summary), place, word
        first = 0
        for sentence in sentences if train_on == "passages" else ():
            for place, word in enumerate(sentence):
                start, stop = first, first + len(sentence)
                if len(sentence) > most:
                    start = min(max(first + place - most // 2, first), first + len(sentence) - most)
                    stop = start + most
                rest = passage[:start] + passage[stop:]
                there = lemma(word) in {lemma(other) for other in rest}
                if word in vocabulary and rest and not there:
                    yield number, True, start, stop, first + place - start, word
            first += len(sentence)


@given(
    st.lists(PAIR, min_size=1, max_size=4),
    st.sets(WORD),
    st.sampled_from(["answers", "summaries", "passages"]),
    st.integers(2, 5),
    st.data(),
)
def test_against_word_by_word(made, vocabulary, train_on, most, data):
    asked = data.draw(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 6))))
    passages = [[word for own in sentences for word in own] for sentences, _ in made]
    firsts = [[0, *np.cumsum([len(own) for own in s])[:-1].tolist()] for s, _ in made]
    known = np.array(sorted(vocabulary), np.int64)
    summaries = side([summary for _, summary in made], known, [[0]] * len(made))
    taken = [
        summaries.bounds[pair] + place
        for pair, place in sorted(asked)
        if pair < len(made) and place < len(made[pair][1])
    ]
    found = further_of(side(passages, known, firsts), summaries, np.array(taken, np.int64), train_on, most)
    rows = [tuple(row.values())[:-1] for row in found.to_pylist()]
    wanted = list(plainly(made, vocabulary, asked, train_on, most))
    assert Counter(rows) == Counter(wanted)


def test_no_pair_has_more_than_its_share():
    rows = pa.table({"pair": [1, 0, 1, 1, 0], "key": [5, 9, 2, 7, 3]})
    assert chosen_of(rows, 2).to_pydict() == {"pair": [0, 0, 1, 1], "key": [3, 9, 2, 5]}
    assert chosen_of(rows, 0).num_rows == 0


NAMES = ("hope", "fear", "trust", "doubt")


def tables(folder, swapped=None):
    """Pairs and questions; of pair `swapped` the words of all texts stand in another order."""
    random = np.random.default_rng(3)
    made, asked = [], []
    for number in range(24):
        fill = [f"w{n}" for n in random.integers(0, 9, 6)]
        answer, other = (NAMES[(number + step) % 4] for step in (0, 1))
        summary = [*fill[:3], answer, *fill[3:5]]
        passage = [*fill[2:], ".", "a", other, "b", ".", "w0", f"w{number % 9}"]
        token = 3
        if number == swapped:
            summary = [*summary[:3][::-1], answer, *summary[4:][::-1]]
            passage = passage[::-1]
        row = {"pair_id": f"p{number}", "article_id": f"a{number}", "language": "en"}
        for name, text in (("summary", summary), ("passage", passage)):
            ends = [0, *(n + 1 for n, word in enumerate(text[:-1]) if word == ".")]
            row |= {
                f"{name}_forms": text,
                f"{name}_lemmas": text,
                f"{name}_upos": ["NOUN"] * len(text),
                f"{name}_sentences": ends,
            }
        made.append(row)
        asked.append(
            {
                "question_id": f"q{number:02}",
                "kind": KIND,
                "pair_id": f"p{number}",
                "article_id": f"a{number}",
                "token": token,
                "form": answer,
                "lemma": answer,
                "upos": "NOUN",
                "passed": True,
            }
        )
    return GroupTask(QuestionGroup(KIND, "en"), (part(folder, PAIRS, made),), (part(folder, CANDIDATES, asked),))


def encode(folder, swapped=None, **options):
    folder.mkdir(exist_ok=True)
    task = tables(folder, swapped)
    return make(Workspace(str(folder)), EncodeGroup(EncodeOptions(**options)), task)


def test_the_word_is_hidden_and_its_sentence_left_out(tmp_path):
    encoded = encode(tmp_path)
    own, more = questions(encoded), further(encoded)
    asked = EpochQuestions(own, more)
    names = read_table([encoded.words.path])["word"].to_pylist()
    passages, whole = own.passages, texts(encoded)

    def words(numbers):
        return ["@" if n == PLACEHOLDER else names[n - RESERVED] for n in numbers.tolist()]

    assert more.in_passage.sum() == 24  # each passage has one of the candidate words
    assert asked.first == 24
    assert len(asked.answers) == 24 + len(more.answers)
    assert len(asked.lengths(9)) == len(asked.answers)
    candidates = sorted(NAMES)
    for row, pair in enumerate(more.pair.tolist()):
        passage, summary, place = asked.texts(24 + row, 800)
        text = words(passages.values[passages.bounds[pair] : passages.bounds[pair + 1]])
        answer = candidates[more.answers[row]]
        if more.in_passage[row]:
            assert words(summary) == ["a", "@", "b", "."]
            at = text.index(answer)
            assert words(passage) == text[: at - 1] + text[at + 3 :]
        assert words(summary)[place] == "@"
        assert answer not in words(summary)
        assert answer not in words(passage)
        assert len(asked.texts(24 + row, 3)[0]) <= 3
    # Summaries with their answers are as they were: hiding copies.
    summaries = [whole.values[a:b] for a, b in zip(whole.bounds, whole.bounds[1:], strict=False)]
    assert not any((text == PLACEHOLDER).any() for text in summaries)


def test_what_is_trained_on(tmp_path):
    number = {
        name: len(further(encode(tmp_path / name, train_on=name)).answers)
        for name in ("answers", "summaries", "passages")
    }
    assert number["answers"] == 0
    # The only candidate words of summaries are the answers.
    assert number["summaries"] == 0
    assert number["passages"] == 24
    assert len(further(encode(tmp_path / "few", further_most=0)).answers) == 0


def task_of(encoded, fold=0, **reader):
    setting = NetworkSetting(ReaderNetworkOptions(**{**vars(SMALL), **reader}))
    return ReadTask(QuestionGroup(KIND, "en"), "ar", fold, encoded.numbered, setting)


def trained(place, task):
    return FitReader(3, 1).make(Artefact(str(place)), task)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["own", "random"])
def test_nothing_of_the_fold_held_out_is_seen(tmp_path, start):
    pytest.importorskip("torch")
    first = encode(tmp_path / "first")
    articles = dict(zip(*(own.tolist() for own in pairs(first)), strict=True)).values()
    folds = fold_of(np.array(list(articles), np.uint64), 3, seed=1, label="cloze/fold")
    second = encode(tmp_path / "second", swapped=5)
    for name in ("words", "candidates"):  # the same numbers of words
        assert getattr(first, name).sha256 == getattr(second, name).sha256
    assert (further(first).starts != further(second).starts).any()
    own = int(folds[5])
    for fold in range(3):
        made = [
            trained(tmp_path / f"{name}{fold}", task_of(encoded, fold, start=start))
            for name, encoded in (("first", first), ("second", second))
        ]
        weights = [load_model(fitted.model).content for fitted in made]
        same = all((weights[0][name] == weights[1][name]).all() for name in weights[0])
        assert same == (fold == own)
        others = folds_of(questions(first).articles, 3, 1) != fold
        assert 0 < made[0].figures.further <= others.sum()  # each passage has one


def test_an_epoch_draws_its_own_further_questions(tmp_path):
    encoded = encode(tmp_path)
    more = further(encoded)
    asked = EpochQuestions(questions(encoded), more)
    rows, others = np.arange(8), 24 + np.arange(len(more.answers))
    options = ReaderNetworkOptions(batch=3, further_each=0.5)

    def drawn(epoch, others=others):
        return np.concatenate(list(epoch_of(asked, rows, others, options, seed=1, epoch=epoch)))

    first, second = drawn(0), drawn(1)
    assert sorted(first[first < 24].tolist()) == list(range(8))
    assert (first >= 24).sum() == 4
    assert len(set(first.tolist())) == 12
    assert set(first.tolist()) != set(second.tolist())
    assert (drawn(0, others[::-1]) == first).all()


def test_options_are_part_of_identities(tmp_path):
    task = tables(tmp_path)
    base = EncodeGroup(EncodeOptions()).identity(task)
    for change in ({"train_on": "answers"}, {"further_most": 3}, {"further_tokens": 9}):
        assert EncodeGroup(EncodeOptions(**change)).identity(task) != base
    fit, encoded = FitReader(3, 1), encode(tmp_path / "encoded")
    known = fit.identity(task_of(encoded))
    for field in dataclasses.fields(ReaderNetworkOptions):
        if field.name in ("hops", "hidden", "dim", "epochs", "batch"):
            continue
        value = {"start": "random", "tune_vectors": True}.get(field.name, 0.25)
        assert fit.identity(task_of(encoded, **{field.name: value})) != known
    assert fit.identity(task_of(encode(tmp_path / "other", train_on="answers"))) != known


def test_a_reader_has_the_settings_that_it_uses(tmp_path):
    reader, bands = ReaderNetworkOptions(hops=3), BandOptions(near=7)
    settings = ReadSettings(3, 1, reader, bands, 9, Lexicon(), Lexicon())
    assert settings.of("context") is None
    assert settings.of("frequency") == BandSetting(bands, Lexicon())
    assert settings.of("ga") == NetworkSetting(reader)
    assert settings.of("ar") == NetworkSetting(ReaderNetworkOptions())
    assert settings.of("ar-gloss") == NetworkSetting(ReaderNetworkOptions(), gloss_tokens=9)


def test_trained_vectors_are_of_the_rows_that_are_read():
    random = np.random.default_rng(2)
    numbers = [random.integers(RESERVED, 12, 30).tolist() for _ in range(4)]
    numbers[3] = [13, 13, 13]
    texts_read = lists(numbers)
    rows = np.arange(3)
    options = ReaderNetworkOptions(dim=6, own_epochs=2, own_sample=0, own_deviation=0.5)
    vectors, there = train_vectors((texts_read,), rows, 15, options, seed=7)
    assert vectors.shape == (15, 6)
    assert not there[[0, 1, 2, 13, 14]].any()
    assert vectors[there].std() == pytest.approx(0.5, rel=1e-4)
    again = train_vectors((lists([*numbers[:3], [5, 5]]),), rows, 15, options, seed=7)
    assert (again[0] == vectors).all()
    other = train_vectors((texts_read,), rows, 15, options, seed=8)
    assert (other[0] != vectors).any()
    assert train_vectors((texts_read,), rows[:0], 15, options, seed=7) is None


@pytest.mark.parametrize("change", [{"own_window": 1}, {"own_negative": 1}, {"own_rate": 0.2}])
def test_how_vectors_are_trained_decides_what_they_are(change):
    random = np.random.default_rng(2)
    texts_read = lists([random.integers(RESERVED, 12, 30).tolist() for _ in range(3)])
    default = {"dim": 6, "own_epochs": 2, "own_sample": 0}
    vectors, known = train_vectors((texts_read,), np.arange(3), 15, ReaderNetworkOptions(**default), seed=7)
    changed = ReaderNetworkOptions(**default, **change)
    other_vectors, other_known = train_vectors((texts_read,), np.arange(3), 15, changed, seed=7)
    assert (other_known == known).all()
    assert (other_vectors != vectors).any()


def test_further_questions_count_as_much_as_their_weight_says(tmp_path):
    pytest.importorskip("torch")
    encoded = encode(tmp_path / "encoded")

    def weights(name, **options):
        made = trained(tmp_path / name, task_of(encoded, start="random", epochs=1, **options))
        return load_model(made.model).content

    default, equal, other = weights("default"), weights("equal", further_weight=1.0), weights("other", further_weight=0)
    assert all((default[name] == equal[name]).all() for name in default)
    assert any((default[name] != other[name]).any() for name in default)
