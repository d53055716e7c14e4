"""Reader `context`: evidence against plain counting, its weights, and what it may learn from."""

from math import log, sqrt

import numpy as np
import pytest
from reader_tables import KIND, lists, part

from lexbeam.schemas.cloze import CANDIDATES, PAIRS
from lexbeam.transforms.cloze.readers.context import (
    EVIDENCE,
    START_WEIGHTS,
    ContextCounts,
    ContextData,
    CountedTexts,
    context_log_probabilities,
    fit_weights,
    train_context,
)
from lexbeam.transforms.cloze.readers.data import EncodeOptions, GroupTask, QuestionGroup, candidates, pairs, questions
from lexbeam.transforms.cloze.readers.encoding import EncodeGroup
from lexbeam.transforms.cloze.readers.options import PLACEHOLDER, RESERVED, UNKNOWN, Questions
from lexbeam.transforms.cloze.readers.reading_in_folds import FitReader, NameWords, ReadTask, folds_of
from lexbeam.transforms.common.draws.by_content import content_hashes
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.tables import read_table
from lexbeam.transforms.learning.crossfitting import Asked
from lexbeam.transforms.learning.models.keeping import load_model

WORDS = 120
SPELLINGS = ["walked", "talked", "running", "sings", "red", "unheard"]
CHOSEN = np.array([RESERVED, RESERVED + 1, RESERVED + 2, RESERVED + 3, RESERVED + 4, UNKNOWN])


def texts(seed, many, longest=14):
    """Draw texts whose first words are few and frequent, and others rare."""
    random = np.random.default_rng(seed)
    tops = [random.choice([14, WORDS], random.integers(4, longest)) for _ in range(many)]
    return [[int(random.integers(RESERVED, top)) for top in of_text] for of_text in tops]


def asked_about(passages, summaries, places, answers=None, options=None):
    number = len(summaries)
    keys = content_hashes([f"question {n}" for n in range(number)])
    return Questions(
        lists(passages),
        np.arange(number),
        lists(summaries),
        np.array(places),
        np.zeros(number, np.int64) if answers is None else np.array(answers),
        keys,
        content_hashes([f"article {n}" for n in range(number)]),
        options,
    )


def plainly(articles, passage, summary, gap):
    """Return the evidence of `SPELLINGS`, each count made anew from lists of words; `articles`: texts of each."""
    flat = [text for article in articles for text in article]
    padded = [[0, 0, 0, *text, 0, 0, 0] for text in flat]
    uses = [(n, text, at) for text in padded for at, n in enumerate(text) if n in CHOSEN[:-1]]
    around = [0, 0, 0, *summary, 0, 0, 0]
    place = gap + 3

    def ending(n, size):
        word = SPELLINGS[n - RESERVED]
        return word[-size:] if len(word) > size + 1 else word + "$"

    def chance(of, things, name, where, lower, a):
        """P of a thing given the words at places `where`, shrunk to `lower` of it."""
        there = [(n, t, at) for n, t, at in uses if all(t[at + w] == around[place + w] for w in where)]
        return (sum(name(n) == of for n, _, _ in there) + a * lower[of]) / (len(there) + a)

    def shares(things, name):
        return {t: (sum(name(n) == t for n, _, _ in uses) + 0.5) / (len(uses) + 0.5 * len(things)) for t in things}

    def along(things, name, side, base):
        found = [base]
        for count in (1, 2, 3):
            where = [side * step for step in range(1, count + 1)]
            found.append({t: chance(t, things, name, where, found[-1], 20 if count == 1 else 5) for t in things})
        return found[1:]

    def beside(things, name, left, right, base):
        both = {t: left[t] * right[t] / base[t] for t in things}
        whole = sum(both.values())
        return {t: chance(t, things, name, (-1, 1), {u: p / whole for u, p in both.items()}, 5) for t in things}

    numbers = [*CHOSEN[:-1].tolist(), -1]  # the last has no number, and no use
    base = shares(numbers, lambda n: n)
    left, right = (along(numbers, lambda n: n, side, base) for side in (-1, 1))
    rows = [left[0], left[2], right[0], right[2]]
    for step, a in ((2, 60), (3, 100)):
        rows += [{t: chance(t, numbers, lambda n: n, (side * step,), base, a) for t in numbers} for side in (-1, 1)]
    rows.append(beside(numbers, lambda n: n, left[0], right[0], base))
    found = [[log(base[t]) for t in numbers]] + [[log(row[t] / base[t]) for t in numbers] for row in rows]
    for size in (3, 2):
        of = [ending(n, size) for n in range(RESERVED, RESERVED + len(SPELLINGS))]
        things = sorted(set(of))
        own = shares(things, lambda n, size=size: ending(n, size))
        left, right = (along(things, lambda n, size=size: ending(n, size), side, own) for side in (-1, 1))
        both = beside(things, lambda n, size=size: ending(n, size), left[0], right[0], own)
        found += [[log(row[t] / own[t]) for t in of] for row in (left[1], right[1], both)]
    whole = [{n for text in article for n in text} for article in articles]
    parts = [set(text[start : start + 20]) for text in flat for start in range(0, len(text), 20)]
    for text, holds in ((summary, whole), (passage, whole), (summary, parts)):
        said = [w for w in sorted(set(text)) if 3 <= sum(w in h for h in holds) <= 0.2 * len(holds)]
        row = []
        for n in numbers:
            mine = sum(n in h for h in holds)
            total = 0.0
            for w in said:
                expected = mine * sum(w in h for h in holds) / len(holds)
                total += log((sum(n in h and w in h for h in holds) + 2) / (expected + 2))
            row.append(total / sqrt(len(said)) if said else 0.0)
        found.append(row)
    found += [[float(n in text) for n in numbers] for text in (passage, summary)]
    return np.array(found)


@pytest.mark.parametrize("gap", [0, 2, 5])
def test_evidence_against_counting_word_by_word(gap):
    passages, summaries = texts(1, 60, 50), texts(2, 60, 9)
    passage = [*range(RESERVED, WORDS, 2)]
    summary = [7, 40, 8, 60, 41, 61]
    summary[gap] = PLACEHOLDER
    rows = np.arange(60)
    counts = ContextCounts(
        [CountedTexts(lists(passages), rows, rows), CountedTexts(lists(summaries), rows, rows)],
        CHOSEN,
        SPELLINGS,
        WORDS,
    )
    asked = asked_about([passage], [summary], [gap])
    answered = np.array([3, 0, 0, 1, 0, 0])
    found = counts.evidence(asked, 0, answered)
    assert found.shape == (len(EVIDENCE), len(SPELLINGS))
    wanted = plainly(list(zip(passages, summaries, strict=True)), passage, summary, gap)
    assert np.abs(wanted[-5:-2]).max(1).min() > 0  # some words say what a text is about
    assert found[:-1] == pytest.approx(wanted, abs=1e-5)
    assert found[-1] == pytest.approx(np.log(answered + 0.5))
    some = np.array([4, 1])
    assert counts.evidence(asked, 0, answered, some) == pytest.approx(found[:, some])


def test_weights_give_the_answers_the_greatest_likelihood():
    random = np.random.default_rng(3)
    evidence = random.normal(size=(80, len(EVIDENCE), 6))
    true = np.linspace(-1, 1, len(EVIDENCE))
    answers = np.einsum("f,qfw->qw", true, evidence).argmax(1)
    weights = fit_weights(evidence, answers)

    def loss(tried):
        scores = np.einsum("f,qfw->qw", tried, evidence)
        logs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        return -logs[np.arange(80), answers].sum() + 0.2 * ((tried - START_WEIGHTS) ** 2).sum()

    for place in range(len(EVIDENCE)):
        for step in (-1e-3, 1e-3):
            assert loss(weights + step * np.eye(len(EVIDENCE))[place]) > loss(weights)
    assert np.corrcoef(weights, true)[0, 1] > 0.9
    assert (fit_weights(evidence[:0], answers[:0]) == START_WEIGHTS).all()


def test_options_are_read_by_themselves_in_any_order():
    random = np.random.default_rng(5)
    summaries = [[*text[:2], PLACEHOLDER, *text[2:]] for text in texts(3, 24)]
    options = np.array([random.permutation(np.arange(RESERVED, RESERVED + 6))[:5] for _ in range(24)])
    asked = asked_about(texts(4, 24), summaries, [2] * 24, random.integers(0, 5, 24), options)
    data = ContextData(
        asked.passages, lists(texts(5, 24)), asked.articles, np.arange(24), np.unique(options), SPELLINGS, WORDS
    )
    rows, tested = np.arange(16), np.arange(16, 24)

    def answered(own):
        made = train_context(own, rows, data, seed=1)
        logs = np.concatenate(
            [logs for _, logs in context_log_probabilities(made.weights["weights"], own, tested, rows, data)]
        )
        return made, np.exp(logs)

    made, chances = answered(asked)
    assert chances.sum(1) == pytest.approx(np.ones(8))
    assert (made.questions, made.held_out, made.best) == (16, 16, 0)
    turned = asked._replace(options=options[:, ::-1].copy(), answers=4 - asked.answers)
    assert answered(turned)[1] == pytest.approx(chances[:, ::-1], abs=1e-5)
    spoilt = asked.answers.copy()
    spoilt[tested] = (spoilt[tested] + 1) % 5
    assert (answered(asked._replace(answers=spoilt))[1] == chances).all()


NAMES = ("hope", "fear", "trust", "doubt")
SIGNS = dict(zip((*NAMES, "mercy"), ("bright", "dark", "firm", "grey", "mild"), strict=True))


def text_row(pair, article, summary, passage, language="en"):
    row = {"pair_id": pair, "article_id": article, "language": language}
    for name, forms in (("summary", summary), ("passage", passage)):
        row |= {f"{name}_forms": forms, f"{name}_lemmas": forms, f"{name}_upos": ["NOUN"] * len(forms)}
        row[f"{name}_sentences"] = [0]
    return row


def group(folder, changed=None, more=()):
    """A group of 25 questions, the last about *mercy*; of pair `changed` the summary has other words."""
    folder.mkdir(exist_ok=True)
    made, asked = [], []
    for number in range(25):
        answer = "mercy" if number == 24 else NAMES[number % 4]
        summary = ["so", SIGNS[answer], answer, "grew", f"w{number % 5}"]
        if number == changed:
            summary = ["grew", f"w{number % 5}", answer, "so", SIGNS[answer]]
        made.append(text_row(f"p{number}", f"a{number}", summary, ["w1", "w2", f"w{number % 5}", "so"]))
        asked.append(
            {
                **dict.fromkeys(("form", "lemma"), answer),
                "question_id": f"q{number:02}",
                "kind": KIND,
                "pair_id": f"p{number}",
                "article_id": f"a{number}",
                "token": 2,
                "upos": "NOUN",
                "passed": True,
            }
        )
    further = tuple(part(folder, PAIRS, rows, 7 + number) for number, rows in enumerate(more))
    return GroupTask(
        QuestionGroup(KIND, "en"), (part(folder, PAIRS, made),), (part(folder, CANDIDATES, asked),), further
    )


def read(folder, task, fold, min_count=1):
    """Return the weights for a fold, table cloze/predictions of it, the tally, and the fold of each question."""
    place = Workspace(str(folder))
    encoded = make(place, EncodeGroup(EncodeOptions(min_count=min_count)), task)
    request = ReadTask(task.group, "context", fold, encoded.numbered, None)
    made = make(place, FitReader(3, 1), request)
    predicted = make(place, NameWords(3, 1), Asked(request, made.model))
    rows = read_table([predicted.part.file.path])
    return load_model(made.model).content["weights"], rows, predicted.tally, folds_of(questions(encoded).articles, 3, 1)


def first_word(rows, question):
    return next(r["word"] for r in rows.to_pylist() if (r["question_id"], r["rank"]) == (question, 1))


NEWS = [
    text_row(f"n{number}", f"news{number}", ["so", "mild", "mercy", "grew"], ["so", "mild", "mercy", "came"])
    for number in range(40)
]


def test_further_pairs_teach_words_that_no_question_has(tmp_path):
    pytest.importorskip("safetensors")
    alone, taught = group(tmp_path / "alone"), group(tmp_path / "taught", more=[NEWS])
    fold = int(read(tmp_path / "alone", alone, 0)[3][24])
    _, rows, _, _ = read(tmp_path / "alone", alone, fold)
    assert first_word(rows, "q24") != "mercy"
    _, rows, tally, _ = read(tmp_path / "taught", taught, fold)
    assert first_word(rows, "q24") == "mercy"
    assert tally.unseen == 1
    assert tally.reciprocal - tally.reciprocal_seen == pytest.approx(1)


def test_pairs_that_are_known_and_of_other_languages_are_not_read_again(tmp_path):
    german = [text_row("d1", "d", ["so", "mercy"], ["mild", "mercy"], "de")]
    task = group(tmp_path, more=[NEWS[:3], NEWS[2:5], german])
    own = [text_row("p0", "a0", ["other"], ["words"])]
    task = task._replace(more=(*task.more, part(tmp_path, PAIRS, own, 12)))
    encoded = make(Workspace(str(tmp_path)), EncodeGroup(EncodeOptions(min_count=1)), task)
    known = pairs(encoded)[0]
    assert len(known) == len(set(known.tolist())) == 25 + 5
    assert "other" not in read_table([encoded.words.path])["word"].to_pylist()
    assert encoded.asked == 25
    assert candidates(encoded)["word"].to_pylist() == sorted(SIGNS)


def test_nothing_of_the_fold_held_out_is_seen(tmp_path):
    pytest.importorskip("safetensors")
    first, second = group(tmp_path / "first", more=[NEWS]), group(tmp_path / "second", changed=5, more=[NEWS])
    for fold in range(3):
        weights, rows, _, folds = read(tmp_path / "first", first, fold)
        others, changed, _, _ = read(tmp_path / "second", second, fold)
        own = folds[5] == fold
        assert (weights == others).all() == own
        # Of the fold itself only the question that was changed is answered otherwise.
        same = {row["question_id"] for row in rows.to_pylist()} - {"q05"}
        if own:
            assert [r for r in rows.to_pylist() if r["question_id"] in same] == [
                r for r in changed.to_pylist() if r["question_id"] in same
            ]
