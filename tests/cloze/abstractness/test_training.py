"""Concreteness learned from ratings: ratings joined, words described, folds that do not leak."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from wordnet_making import Synset, both_ways, open_folder, write_wordnet

from lexbeam.transforms.cloze.abstractness.concreteness_estimators import (
    ESTIMATORS,
    NONE,
    ConcretenessTraining,
    fit,
    predict,
)
from lexbeam.transforms.cloze.abstractness.concreteness_estimators import _weights as solved_weights
from lexbeam.transforms.cloze.abstractness.concreteness_inputs import (
    InputResources,
    gloss_vectors,
    hypernyms_of,
    numbers_of,
    senses_of,
)
from lexbeam.transforms.cloze.abstractness.concreteness_model import (
    concreteness,
    describe,
    fit_inputs,
    ngram_part,
    opened_concreteness,
    with_wordnet,
)
from lexbeam.transforms.cloze.abstractness.concreteness_options import (
    AbstractnessOptions,
    EstimatorOptions,
    InputOptions,
)
from lexbeam.transforms.cloze.abstractness.concreteness_training import (
    joined_ratings,
    learn,
    out_of_fold,
    vocabulary_of,
)
from lexbeam.transforms.cloze.filters.candidate_options import CandidateOptions, filter_request
from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.evaluation.bootstrap import BootstrapOptions
from lexbeam.transforms.learning.models.keeping import keep_model
from lexbeam.transforms.lexicon.compiled.list_options import WordListRules
from lexbeam.transforms.lexicon.compiled.resource_kind import Opened
from lexbeam.transforms.lexicon.compiled.word_list import ArgumentOptions, compile_rows, open_words

pytest.importorskip("sklearn")

SYNSETS = both_ways(
    [
        Synset("entity", "n", ["entity"], "what is there"),
        Synset("animal", "n", ["animal"], "a thing that lives", pointers=[("@", "entity", 0, 0)]),
        Synset("dog", "n", ["dog"], "an animal that barks", pointers=[("@", "animal", 0, 0)], counts={"dog": 3}),
        Synset("follow", "v", ["follow", "dog"], "go after an animal", lex_class=38),
        Synset("house_cat", "n", ["house_cat"], "an animal that purrs", pointers=[("@", "animal", 0, 0)]),
    ]
)


def opened(folder, synsets):
    write_wordnet(folder, synsets)
    return open_folder(folder)


def word_list(values, **rules):
    rows = pa.table(
        {
            "word": pa.array(list(values), pa.large_string()),
            "value": pa.array(list(values.values()), pa.float64()),
            "sd": pa.nulls(len(values), pa.float64()),
            "n": pa.nulls(len(values), pa.float64()),
            "pos": pa.nulls(len(values), pa.large_string()),
            "line": pa.array(range(len(values)), pa.int64()),
        }
    )
    how = WordListRules(**rules)
    made: Opened = dict(compile_rows(rows, how, "a.csv", "CONC"))
    return open_words(made, ArgumentOptions(argument="", rules=how))


def letters(count, start=""):
    return [f"{start}{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(count)]


def test_ratings_are_joined_on_one_scale():
    first = word_list(dict(zip(letters(30), range(30), strict=True)))
    second = word_list({"AA": 5.0, "zz": 1.0}, low=1.0, high=5.0)
    ratings = joined_ratings({"a.csv": first, "b.csv": second})
    values = dict(zip(ratings.words, ratings.values.tolist(), strict=True))
    assert ratings.words == sorted(values)
    assert (values["aa"], values["zz"]) == (0.5, 0.0)  # the mean of 0 and 1
    assert values["ab"] == pytest.approx(1 / 29)
    assert ratings.scales == {"a.csv": (0.0, 29.0), "b.csv": (1.0, 5.0)}
    again = joined_ratings({"b.csv": second, "a.csv": first})
    assert again.values.tobytes() == ratings.values.tobytes()


@pytest.mark.parametrize(
    ("values", "said"), [({"a": 2.0, "b": 2.0}, "every value in column 'CONC' is 2"), ({"a": 1.0, "b": 2.0}, "20 are")]
)
def test_lists_of_which_nothing_is_learned(values, said):
    with pytest.raises(LexbeamError, match=said):
        joined_ratings({"a.csv": word_list(values)})


def test_words_as_wordnet_has_them(tmp_path):
    wordnet = opened(tmp_path, SYNSETS)
    senses = senses_of(wordnet, pa.array(["dogs", "unheard"]))
    assert senses.base.to_pylist() == ["dog", "unheard"]
    assert senses.known.tolist() == [True, False]
    noun, verb = 4 / 5, 1 / 5  # 3 + 1/1 against 0 + 1/1
    assert sorted(senses.weights.tolist()) == pytest.approx([verb, noun])
    above = hypernyms_of(wordnet, senses).toarray()
    assert sorted(above[0][above[0] > 0].tolist()) == pytest.approx([verb, noun, noun, noun])
    assert not above[1].any()
    numbers = numbers_of(wordnet, senses)
    np.testing.assert_allclose(numbers[0][:6], [noun, verb, 0, 0, np.log(3), np.log(4)])
    assert numbers[0][6:].tolist() == pytest.approx([2 * noun, 2 * noun])


def test_words_of_like_glosses_are_alike(tmp_path):
    wordnet = opened(tmp_path, SYNSETS)
    vectors = gloss_vectors(wordnet, 3, 1)
    words = wordnet.glosses.rows(pa.array(["barks", "purrs", "there"])).values
    barks, purrs, there = vectors.words[words]
    assert barks @ purrs > barks @ there + 0.1
    np.testing.assert_allclose(np.linalg.norm(vectors.words[words], axis=1), 1.0)
    assert gloss_vectors(wordnet, 3, 1).around.tobytes() == vectors.around.tobytes()


def test_a_model_holds_words_and_no_phrases(tmp_path):
    resources = InputResources(opened(tmp_path, SYNSETS))
    assert vocabulary_of(["zebra"], resources, 10) == ["zebra", "animal", "dog", "entity", "follow"]
    assert vocabulary_of(["zebra"], resources, 2) == ["zebra", "animal"]


def test_words_of_which_only_n_grams_are_known():
    words = letters(40, "st")
    options = InputOptions(components=8, ngram_words=2)
    described = fit_inputs(words, ["ngrams"], InputResources(), options)
    rows, known = describe(described.how, [*words, "stab", "ÿÿÿ"], InputResources())
    np.testing.assert_array_equal(rows[:40], described.rows)
    alone = np.concatenate([describe(described.how, [word], InputResources())[0] for word in words])
    np.testing.assert_array_equal(alone, described.rows)  # whatever words are beside it
    assert known.tolist() == [True] * 41 + [False]
    assert not rows[41].any()
    projected, _ = describe(ngram_part(described.how), ["stab"], InputResources())
    np.testing.assert_allclose(projected[0], rows[40])
    # Blocks have a mean square length of 1, and components keep it but for what they leave out.
    whole = fit_inputs(words, ["ngrams"], InputResources(), InputOptions(components=40, ngram_words=2))
    assert (whole.rows**2).sum(axis=1).mean() == pytest.approx(1.0)


def training(count=60, columns=4, seed=3):
    rows = np.random.default_rng(seed).normal(size=(count, columns)) / np.sqrt(columns)
    labels = 1 / (1 + np.exp(-2 * rows[:, 0]))
    return ConcretenessTraining(letters(count), rows, labels)


def test_ridge_is_scikit_learns():
    linear = pytest.importorskip("sklearn.linear_model")
    rated = training()
    [fitted] = fit("ridge", rated, EstimatorOptions(ridge_alpha=2.0))
    other = linear.Ridge(alpha=2.0).fit(rated.rows, rated.labels).predict(rated.rows)
    np.testing.assert_allclose(predict("ridge", fitted, rated.rows), np.clip(other, 0, 1))


def test_with_all_words_as_landmarks_the_kernel_is_scikit_learns():
    kernels = pytest.importorskip("sklearn.kernel_ridge")
    rated, options = training(), EstimatorOptions(ridge_alpha=0.5, kernel_gamma=0.4)
    mean = rated.labels.mean()
    [fitted] = fit("kernel", rated._replace(labels=rated.labels - mean), options)
    rows, other = rated.rows, training(7, seed=5).rows
    between = [np.exp(-0.4 * ((some[:, None] - rows) ** 2).sum(axis=2)) + some @ rows.T for some in (rows, other)]
    # The intercept, which scikit-learn does not have, is subtracted from the labels.
    labels = rated.labels - mean - fitted["intercept"]
    reference = kernels.KernelRidge(alpha=0.5, kernel="precomputed").fit(between[0], labels).predict(between[1])
    found = ESTIMATORS["kernel"].predict(fitted, other)
    np.testing.assert_allclose(found - fitted["intercept"], reference, atol=1e-5)


@pytest.mark.filterwarnings("error")
def test_a_large_penalty_leaves_the_mean():
    # The intercept's count of words is nothing beside it: a matter of units, not of a solution that is in doubt.
    rated = training()
    for name in ("ridge", "kernel"):
        for penalty in (2.0**63, 1e300):
            [fitted] = fit(name, rated, EstimatorOptions(ridge_alpha=penalty))
            np.testing.assert_allclose(predict(name, fitted, rated.rows), rated.labels.mean(), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:An ill-conditioned matrix")  # by its units, which is the point
def test_units_of_the_normal_equations_change_no_bit():
    from scipy.linalg import solve

    rows = np.hstack([training().rows * [1e-5, 1, 300, 1e9], np.ones((60, 1))])
    square, sums = rows.T @ rows, rows.T @ training().labels
    np.testing.assert_array_equal(solved_weights(square, sums), solve(square, sums, assume_a="pos"))


def test_what_rounding_would_decide_is_refused():
    options = EstimatorOptions(ridge_alpha=1e-9, kernel_gamma=1e-6)
    with pytest.raises(UsageError, match="greater `ridge_alpha`"):
        fit("kernel", training(), options)
    fit("kernel", training(), replace(options, ridge_alpha=0.3))


def test_few_landmarks_do_nearly_as_well():
    rows = np.random.default_rng(4).normal(size=(300, 2))
    rated = ConcretenessTraining(letters(300), rows, (np.hypot(*rows.T) < 1).astype(np.float64))
    names = {count: EstimatorOptions(landmarks=count, ridge_alpha=0.01) for count in (40, 300)}
    few, all_of_them = (out_of_fold(rated, "kernel", 3, options) for options in names.values())
    assert [len(found[1]["landmarks"]) for found in (few, all_of_them)] == [40, 300]
    assert np.corrcoef(few[0], all_of_them[0])[0, 1] > 0.95
    linear = out_of_fold(rated, "ridge", 3, EstimatorOptions())[0]
    assert np.corrcoef(linear, rated.labels)[0, 1] < 0.3 < 0.8 < np.corrcoef(few[0], rated.labels)[0, 1]


@pytest.mark.parametrize("name", ["ridge", "kernel"])
def test_a_fold_does_not_see_its_ratings(name):
    rated, options = training(), EstimatorOptions()
    predicted, _ = out_of_fold(rated, name, 3, options)
    fold = fold_of(rated.words, 3, seed=options.seed, label="cloze/abstractness")
    held = fold == 0
    other = rated._replace(labels=np.where(held, 1 - rated.labels, rated.labels))
    again, _ = out_of_fold(other, name, 3, options)
    assert again[held].tobytes() == predicted[held].tobytes()
    assert not np.allclose(again[~held], predicted[~held])
    assert np.corrcoef(predicted, rated.labels)[0, 1] > 0.8


def test_to_leave_out_a_fold_is_to_fit_the_others():
    rated = training()
    fold = np.arange(len(rated.words)) % 3
    left = fit("ridge", rated, EstimatorOptions(), fold, [1, NONE])
    others = ConcretenessTraining(
        [word for word, of in zip(rated.words, fold, strict=True) if of != 1],
        rated.rows[fold != 1],
        rated.labels[fold != 1],
    )
    for fitted, own in zip(left, (others, rated), strict=True):
        [alone] = fit("ridge", own, EstimatorOptions())
        np.testing.assert_allclose(predict("ridge", fitted, rated.rows), predict("ridge", alone, rated.rows))


def test_the_network_learns_and_is_the_same_twice():
    torch = pytest.importorskip("torch")
    own, options = training(200), EstimatorOptions(hidden=16, epochs=40, patience=40, dropout=0.0)
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    [fitted] = fit("network", own, options)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), state)
    [again] = fit("network", own, options)
    assert all(again[name].tobytes() == array.tobytes() for name, array in fitted.items())
    found = predict("network", fitted, own.rows)
    assert np.corrcoef(found, own.labels)[0, 1] > 0.9
    hidden = own.rows / fitted["scale"]
    data = torch.tensor(hidden, dtype=torch.float64)
    for place in range(3):
        weights, intercepts = (
            torch.tensor(fitted[f"{part}_{place}"], dtype=torch.float64) for part in ("weights", "intercepts")
        )
        data = data @ weights + intercepts
        data = torch.relu(data) if place < 2 else torch.sigmoid(data)
    np.testing.assert_allclose(found, data[:, 0].numpy())


def learned(abstract_below=0.35, compare=(), values=None):
    """Learn from forty rated words, or others, by their n-grams alone."""
    values = values or dict(zip(letters(40, "st"), range(40), strict=True))
    ratings = joined_ratings({"a.csv": word_list(values)})
    options = AbstractnessOptions(
        ratings=("a.csv:word=word,value=value",),
        out="model",
        abstract_below=abstract_below,
        folds=2,
        words=InputOptions(inputs=("ngrams",), components=4, ngram_words=2),
        learning=EstimatorOptions(estimator="ridge", compare=compare),
        bootstrap=BootstrapOptions(resamples=0),
    )
    return learn(ratings, InputResources(), options, {}, {"ngrams": "n-grams"})


def test_words_rated_below_the_option_are_abstract():
    default, other = learned(), learned(abstract_below=0.6)
    assert [made.cuts[0].threshold for made in (default, other)] == [0.35, 0.6]
    assert [opened_concreteness(made.model).below for made in (default, other)] == [0.35, 0.6]


def test_further_estimators_are_measured_beside_the_one_that_is_kept():
    assert list(learned().measured) == ["ridge"]
    compared = learned(compare=("kernel", "ridge"))
    assert list(compared.measured) == ["ridge", "kernel"]
    assert compared.model.options["estimator"] == "ridge"


def test_the_filter_has_the_threshold_of_its_option_or_else_that_of_the_model(tmp_path):
    folder, cache = str(tmp_path / "model"), str(tmp_path / "cache")
    keep_model(folder, learned(abstract_below=0.6).model)

    def threshold(**options):
        chosen = CandidateOptions(
            kind=("imperceptibility",), filters=("lemma",), abstractness=folder, cache=cache, **options
        )
        return filter_request(chosen).candidates.setting.abstractness.below

    assert threshold() == 0.6
    assert threshold(concreteness_below=0.2) == 0.2


def test_a_model_of_an_estimator_that_is_no_more_is_refused():
    model = learned().model
    with pytest.raises(LexbeamError, match="make it anew by `lexbeam cloze abstractness`"):
        opened_concreteness(replace(model, options={**model.options, "estimator": "svr"}))


def test_phrases_are_described_by_their_words(tmp_path):
    resources = InputResources(opened(tmp_path, SYNSETS))
    words = ["animal", "dog", "house", "follow", "dog follow", "dog zzz", "house cat"]
    options = InputOptions(ngram_words=1, components=40)
    for name in ("ngrams", "wordnet"):
        described = fit_inputs(words, [name], resources, options)
        rows = dict(zip(words, described.rows, strict=True))
        np.testing.assert_allclose(rows["dog follow"], (rows["dog"] + rows["follow"]) / 2, atol=1e-12)
        alone = np.concatenate([describe(described.how, [word], resources)[0] for word in words])
        np.testing.assert_array_equal(alone, described.rows)
    # What WordNet has keeps its senses, what it knows a word of has those.
    rows = dict(zip(words, described.rows, strict=True))
    np.testing.assert_allclose(rows["dog zzz"], rows["dog"], atol=1e-12)
    assert described.known["wordnet"].tolist() == [True, True, False, True, True, True, True]
    assert not np.allclose(rows["house cat"], rows["house"])


def test_words_and_phrases_are_measured_apart():
    values = dict(zip(letters(40, "st"), range(40), strict=True))
    values |= {f"{word} {letters(40, 'st')[-1 - at]}": 39.0 - at for at, word in enumerate(letters(20, "st"))}
    made = learned(values=values)
    assert list(made.apart["ridge"]) == ["words", "phrases"]
    alone = made.apart["ridge"]
    assert made.model.metrics["pearson_of_phrases"] == alone["phrases"].value
    held = opened_concreteness(made.model)
    phrase = np.array([" " in word for word in held.words.to_pylist()])
    for sort, chosen in (("words", ~phrase), ("phrases", phrase)):
        expected = np.corrcoef(held.predictions[chosen], held.ratings[chosen])[0, 1]
        assert made.apart["ridge"][sort].value == pytest.approx(expected)
    assert learned().apart["ridge"] == {}


def test_a_phrase_that_a_model_does_not_list_has_the_mean_of_its_words():
    model = opened_concreteness(learned().model)
    first, last = letters(40, "st")[0], letters(40, "st")[-1]
    asked = pa.array([first, last, f"{first} {last}", f"{first}_ÿÿÿ", "ÿÿÿ žžž"])
    low, high, mean, one, none = concreteness(model, asked).tolist()
    assert (mean, one) == ((low + high) / 2, low)
    assert np.isnan(none)


def test_a_word_that_a_model_does_not_list_is_like_those_spelled_alike():
    words = [f"{letter}{end}" for letter in "bcdfghklmnprstvw" for end in ("oathing", "imbable")]
    values = {word: float(word.endswith("ing")) + place / 100 for place, word in enumerate(words)}
    model = opened_concreteness(learned(values=values).model)
    high, low, none = concreteness(model, pa.array(["zoathing", "zimbable", "zzz"])).tolist()
    assert low < 0.3 < 0.7 < high
    assert np.isnan(none)
    listed = dict(zip(words, concreteness(model, pa.array(words)), strict=True))
    bare = concreteness(model._replace(ngrams=None), pa.array(["zoathing"]))
    assert bare[0] == pytest.approx(listed["boathing"])  # the first of the shortest


def test_words_that_wordnet_lacks_are_described_by_those_spelled_alike(tmp_path):
    options = InputOptions(ngram_words=1, components=40)
    resources = with_wordnet(InputResources(opened(tmp_path, SYNSETS)), ["wordnet"], options)
    words = ["animal", "animalist", "dog", "follow", "dogfollow", "xyz"]
    described = fit_inputs(words, ["wordnet"], resources, options)
    rows = dict(zip(words, described.rows, strict=True))
    np.testing.assert_allclose(rows["animalist"], rows["animal"], atol=1e-12)
    np.testing.assert_allclose(rows["dogfollow"], (3 * rows["dog"] + 6 * rows["follow"]) / 9, atol=1e-12)
    assert not rows["xyz"].any()
    # They are not what WordNet knows.
    assert described.known["wordnet"].tolist() == [True, False, True, True, False, False]
    alone = np.concatenate([describe(described.how, [word], resources)[0] for word in words])
    np.testing.assert_array_equal(alone, described.rows)
