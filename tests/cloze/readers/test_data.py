"""Questions as numbers against a plain way to them; words, glosses and figures of readers."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_tables import KIND, part
from wordnet_making import Synset, open_folder, write_wordnet

from lexbeam.schemas.cloze import CANDIDATES, PAIRS
from lexbeam.transforms.cloze.readers.data import EncodeOptions, GroupTask, QuestionGroup, candidates, questions
from lexbeam.transforms.cloze.readers.encoding import EncodeGroup
from lexbeam.transforms.cloze.readers.options import PLACEHOLDER, RESERVED, UNKNOWN
from lexbeam.transforms.cloze.readers.reading_in_folds import folds_of, tally_of
from lexbeam.transforms.cloze.readers.words import glosses_of, vectors_of
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.tables import read_table

TEXTS = [
    ("The Hope grows", "en", "One two one THREE"),
    ("Hopes and hope", "en", "two three"),
    ("Fear and fears", "en", "four one"),
    ("Angst und Hope", "de", "eins one"),
]
ASKED = [(0, 1, True), (1, 0, True), (1, 2, False), (2, 0, True), (2, 2, True), (3, 2, True)]


def tables(folder):
    pairs, asked = [], []
    for place, (summary, language, passage) in enumerate(TEXTS):
        row = {"pair_id": f"p{place}", "article_id": f"a{place}", "language": language}
        for side, text in (("summary", summary), ("passage", passage)):
            forms = text.split()
            row |= {
                f"{side}_forms": forms,
                f"{side}_lemmas": [form.lower().removesuffix("s") for form in forms],
                f"{side}_upos": ["NOUN"] * len(forms),
            }
        pairs.append(row)
    for place, token, passed in ASKED:
        form = TEXTS[place][0].split()[token]
        asked.append(
            {
                "question_id": f"q{place}{token}",
                "kind": KIND,
                "pair_id": f"p{place}",
                "article_id": f"a{place}",
                "token": token,
                "form": form,
                "lemma": form.lower().removesuffix("s"),
                "upos": "NOUN",
                "passed": passed,
                "target": not passed,
            }
        )
    return (
        tuple(part(folder, PAIRS, pairs[start::2], start) for start in range(2)),
        tuple(part(folder, CANDIDATES, asked[start::2], start) for start in range(2)),
    )


@pytest.fixture
def encode(tmp_path):
    pairs, asked = tables(tmp_path)

    def made(language="en", **options):
        task = GroupTask(QuestionGroup(KIND, language), pairs, asked)
        return make(Workspace(str(tmp_path)), EncodeGroup(EncodeOptions(**options)), task)

    return made


def texts_of(lists, words):
    names = {PLACEHOLDER: "@", UNKNOWN: "?"} | dict(enumerate(words, RESERVED))
    return [
        [names[n] for n in lists.values[a:b].tolist()] for a, b in zip(lists.bounds[:-1], lists.bounds[1:], strict=True)
    ]


def test_questions_are_the_texts_with_a_placeholder(encode):
    encoded = encode()
    asked = questions(encoded)
    words = read_table([encoded.words.path])["word"].to_pylist()
    assert words == ["one", "and", "hope", "three", "two"]  # twice and more, most frequent first
    assert texts_of(asked.summaries, words) == [
        ["?", "@", "?"],
        ["@", "and", "hope"],
        ["@", "and", "?"],
        ["?", "and", "@"],
    ]
    passages = texts_of(asked.passages, words)
    assert [passages[n] for n in asked.passage.tolist()] == [
        ["one", "two", "one", "three"],
        ["two", "three"],
        ["?", "one"],
        ["?", "one"],
    ]
    assert asked.places.tolist() == [1, 0, 0, 2]
    rows = candidates(encoded)
    assert rows["word"].to_pylist() == ["Fear", "Hope", "Hopes", "fears"]
    assert rows["lemma"].to_pylist() == ["fear", "hope", "hope", "fear"]
    assert rows["count"].to_pylist() == [1, 2, 1, 1]
    assert [rows["word"][n].as_py() for n in asked.answers] == ["Hope", "Hopes", "Fear", "fears"]
    forms = read_table([encoded.forms.path]).to_pylist()
    assert {(row["lemma"], row["form"], row["count"]) for row in forms} == {
        ("hope", "hope", 2),
        ("hope", "hopes", 1),
        ("fear", "fear", 1),
        ("fear", "fears", 1),
    }


def test_languages_targets_and_rare_answers(encode):
    assert candidates(encode("de"))["word"].to_pylist() == ["Hope"]
    assert candidates(encode(asked="targets"))["word"].to_pylist() == ["hope"]
    assert encode("fr").asked == 0
    rare = encode(min_answers=2)
    assert rare.named == 0
    assert questions(rare).answers.tolist() == [-1] * 4


def test_questions_of_an_article_are_in_one_fold(encode):
    asked = questions(encode())
    folds = folds_of(asked.articles, 4, 1)
    assert folds[2] == folds[3]
    assert ((folds >= 0) & (folds < 4)).all()


@given(st.lists(st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=4, max_size=4), min_size=1), st.data())
def test_figures_against_counting(rows, data):
    logs = np.log(np.array(rows))
    answers = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=len(rows), max_size=len(rows))))
    seen = np.array(data.draw(st.lists(st.booleans(), min_size=4, max_size=4)))
    reciprocal, of_seen, hits, unseen = 0.0, 0.0, [0.0] * 3, 0
    for scores, answer in zip(logs, answers.tolist(), strict=True):
        unseen += answer < 0 or not seen[answer]
        if answer < 0:
            continue
        above, tied = (scores > scores[answer]).sum(), (scores == scores[answer]).sum()
        ranks = above + 1 + np.arange(tied)
        reciprocal += 1 / ranks.mean()
        of_seen += seen[answer] / ranks.mean()
        hits = [hit + (ranks <= k).mean() for hit, k in zip(hits, (1, 5, 10), strict=True)]
    tally = tally_of(logs, answers, seen)
    assert (tally.questions, tally.unseen) == (len(rows), unseen)
    assert tally.reciprocal == pytest.approx(reciprocal)
    assert tally.reciprocal_seen == pytest.approx(of_seen)
    assert tally.hits == pytest.approx(hits)


def test_glosses_are_first_senses_behind_their_parts_of_speech(tmp_path):
    write_wordnet(
        tmp_path,
        [
            Synset("a", "n", ["hope"], gloss='a good feeling; "hope springs"'),
            Synset("b", "n", ["hope"], gloss="another sense"),
            Synset("c", "v", ["hope"], gloss="to feel good"),
        ],
        index_sense=False,
    )
    wordnet = open_folder(tmp_path)
    glosses = glosses_of(wordnet, ["Hopes", "law"], ["hope", "law"], 60)
    assert glosses.bounds.tolist() == [0, 8, 9]
    # <n> a good feeling <v> to feel good; law
    assert glosses.values.tolist() == [1, 2, 3, 4, 5, 6, 7, 3, 8]
    assert glosses_of(wordnet, ["hope"], ["hope"], 3).values.tolist() == [1, 2, 3]
    assert glosses_of(None, ["Hope", "hope"], ["hope"] * 2, 3).values.tolist() == [1, 1]


def test_vectors_stand_behind_reserved_rows():
    class Held:
        dim = 2

        def vectors(self, words):
            return np.ones((len(words), 2), np.float32), np.array([True, False])

    vectors, there = vectors_of(Held(), pa.array(["a", "b"]))
    assert vectors.shape == (RESERVED + 2, 2)
    assert there.tolist() == [False] * RESERVED + [True, False]


def test_most_words_keeps_the_most_frequent(encode):
    encoded = encode(most_words=2)
    assert read_table([encoded.words.path])["word"].to_pylist() == ["one", "and"]
