"""Example sentences, against all sentences that hold the word, found by brute force."""

import sys
from collections import Counter
from pathlib import Path
from unittest import mock

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "corpora"))

from corpora_making import document, write_corpus

from transforms.change import examples as module
from transforms.change.examples import Token, draw_examples, token_of
from transforms.change.slicing import parse_slices
from transforms.change.targets import load_targets
from transforms.change.words import ViewOptions
from transforms.common.errors import LexbeamError

SLICES = parse_slices("1800-1803,1804-1809")
SIZES = [4, 0, 6, 5]  # of the sentences of the longest documents
FORMS = ViewOptions(unit="form")
SHIP = Token("ship", None, [])


def draw(corpora, token=SHIP, options=FORMS, slices=SLICES, seed=0, most=1000):
    return draw_examples(corpora, token, options, slices, seed=seed, most=most)


def brute(texts, word="ship"):
    """The examples of each slice, as bags; years are 1800 and the number of a document."""
    found = [Counter(), Counter()]
    for text in texts:
        for row in text.sentences:
            if word in row.forms and row.year < 1810:
                found[row.year > 1803][text.row.source, row.year, " ".join(row.forms)] += 1
    return found


def bags(drawn):
    return [Counter(map(tuple, examples)) for examples in drawn]


@pytest.fixture
def texts():
    return [document(number, SIZES[: 1 + number % 5]) for number in range(12)]


@pytest.mark.parametrize("parts", [1, 3])
def test_all_sentences_are_found_in_their_slices(tmp_path, texts, parts):
    corpus = write_corpus(tmp_path, texts, parts=parts)
    assert bags(draw([corpus])) == brute(texts)
    assert min(map(len, brute(texts))) > 2


def test_fewer_are_the_first_of_all_whatever_the_parts(tmp_path, texts):
    one, three = (write_corpus(tmp_path / str(n), texts, parts=n) for n in (1, 3))
    whole = draw([one], seed=4)
    assert draw([three], seed=4, most=3) == [examples[:3] for examples in whole]
    assert draw([three], seed=4, slices=SLICES[1:]) == whole[1:]
    assert draw([three], seed=5) != whole
    assert bags(draw([three], seed=5)) == bags(whole)


def test_a_document_of_several_corpora_counts_once(tmp_path, texts):
    # Copies differ in their sources, and that of document 6 has other sentences.
    others = [document(n, SIZES[: 1 + n % 5], salt="x") for n in range(4, 8)]
    others[2] = document(6, [6, 6, 6], salt="x")
    corpora = [
        write_corpus(tmp_path / "a", texts, parts=2),
        write_corpus(tmp_path / "b", others, parts=3),
    ]
    counting = {}
    for corpus, held in zip(corpora, (texts, others), strict=True):
        for part in corpus.parts["sentences"]:
            for text in held:
                if any(row["document_id"] == text.row.document_id for row in rows_of(part)):
                    name = text.row.document_id
                    counting[name] = min(
                        counting.get(name, (part.sha256, text)), (part.sha256, text)
                    )
    assert {text.row.source[-5:] for _, text in counting.values()} >= {"x.txt"}
    expected = brute(text for _, text in counting.values())
    assert bags(draw(corpora)) == expected != brute(texts)
    assert draw(corpora[::-1], most=4) == draw(corpora, most=4)
    assert draw([corpora[0], corpora[0]]) == draw([corpora[0]])


def rows_of(part):
    return [row for rows in module.read_rows([part.path]) for row in rows.to_pylist()]


def test_a_target_is_told_by_its_tag(tmp_path):
    (text,) = [document(1, [1, 1, 1])]
    tagged = [
        row._replace(forms=["Ship", "it"], lemmas=["ship", "it"], upos=[tag, "PRON"])
        for row, tag in zip(text.sentences, ["NOUN", "VERB", "NOUN"], strict=True)
    ]
    corpus = write_corpus(tmp_path, [text._replace(sentences=tagged)])
    lemmas = ViewOptions()
    targets = load_targets(["ship_nn"], lemmas)
    for word, number in (("ship_nn", 2), ("ship", 1), ("it", 3)):
        early, late = draw([corpus], token_of(word, targets), lemmas)
        assert [example.text for example in early] == ["Ship it"] * number
        assert late == []


def test_sentences_are_read_once_and_without_other_columns(tmp_path, texts):
    corpus = write_corpus(tmp_path, texts, parts=3)
    with mock.patch.object(module, "read_rows", wraps=module.read_rows) as reading:
        draw([corpus])
    assert sorted(call.args[0][0] for call in reading.call_args_list) == sorted(
        part.path for part in corpus.parts["sentences"]
    )
    assert {tuple(call.args[1]) for call in reading.call_args_list} == {
        ("document_id", "sentence", "year", "forms")
    }


def test_a_damaged_part_is_told(tmp_path, texts):
    corpus = write_corpus(tmp_path, texts, parts=1)
    (part,) = corpus.parts["documents"]
    Path(part.path).write_bytes(b"")
    with pytest.raises(LexbeamError, match="damaged"):
        draw([corpus])
