from lexbeam.transforms.cloze.pairs.annotation import annotation_columns, give_places
from lexbeam.transforms.common.store.batches import Sentence


def test_columns_are_the_sentences_joined_and_what_one_lacks_all_lack():
    sentences = [
        Sentence(["A", "b"], ["a", "b"], ["DET", "NOUN"], [10, 12], [11, 13]),
        Sentence([], [], [], [], []),
        Sentence(["C"], None, ["X"], [14], [15]),
    ]
    assert annotation_columns("summary", sentences, start=10) == {
        "summary_forms": ["A", "b", "C"],
        "summary_lemmas": None,
        "summary_upos": ["DET", "NOUN", "X"],
        "summary_starts": [0, 2, 4],
        "summary_ends": [1, 3, 5],
        "summary_sentences": [0, 2],
    }


def test_a_target_has_the_place_of_the_token_that_is_just_it():
    pair = {
        "summary_starts": [0, 3, 6],
        "summary_ends": [2, 5, 9],
        "flags": ["repeated"],
        "targets": [{"start": 3, "end": 5}, {"start": 0, "end": 2}],
    }
    give_places(pair)
    assert (pair["targets"], pair["flags"]) == ([{"token": 1}, {"token": 0}], ["repeated"])
    for start, end in ((3, 9), (6, 8), (None, None)):
        pair["targets"] = [{"start": start, "end": end}]
        give_places(pair)
        assert pair["targets"] == [{"token": None}]
        assert set(pair["flags"]) == {"repeated", "target_not_found"}
