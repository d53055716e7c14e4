import pytest
from model_making import FEATURES, model_of

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.learning.models.model import ModelColumn

MADE = {"norms": "ab" * 32, "wordnet": "cd" * 32}


@pytest.fixture(scope="module")
def model():
    return model_of("safetensors")


def test_what_it_was_made_with_is_taken(model):
    model.check()
    model.check(
        kind="regressor",
        task="complexity",
        features=[("zipf", "float64"), ("length", "int32"), ("genre", "int32")],
        resources=MADE,
        options={"layers": [1, 2], "rate": 0.1},
    )


DIFFERENCES = {
    "another kind": ({"kind": "reader"}, "is of kind 'regressor', not 'reader'"),
    "another task": ({"task": "cloze"}, "is of task 'complexity', not 'cloze'"),
    "no resource": (
        {"resources": {"norms": "ab" * 32, "wordnets": "cd" * 32}},
        "with resource 'wordnet', which is not given; did you mean 'wordnets'",
    ),
    "another digest": (
        {"resources": {**MADE, "norms": "ff" * 32}},
        "with another 'norms': its digest is abababababab, that of the one given ffffffffffff",
    ),
    "a resource too many": ({"resources": {**MADE, "brown": "0"}}, "without resource 'brown'"),
    "no such option": ({"options": {"round": 3}}, "no option 'round'; did you mean 'rounds'"),
    "another option": ({"options": {"rounds": 4}}, "was made with `rounds` 3, not 4"),
    "another type": ({"options": {"rounds": 3.0}}, "was made with `rounds` 3, not 3.0"),
    "no column": (
        {"features": [("zipf", "float64"), ("lenght", "int32"), ("genre", "int32")]},
        "column 'length', which is not here; did you mean 'lenght'",
    ),
    "a column of another type": (
        {"features": [("zipf", "float32"), *FEATURES[1:]]},
        "reads 'zipf' as float64, and here it is float32",
    ),
    "a column too many": ({"features": [*FEATURES, ("x", "int32")]}, "not know column 'x'"),
    "a column twice": ({"features": [*FEATURES, FEATURES[0]]}, "'zipf' once"),
    "another order": ({"features": FEATURES[::-1]}, "reads 'zipf' as column 0, where 'genre' is here"),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_a_difference_is_named(case, model):
    asked, message = DIFFERENCES[case]
    with pytest.raises(LexbeamError) as error:
        model.check(**asked)
    assert message in str(error.value)
    assert str(error.value).startswith("the model regressor of complexity ")


def test_options_must_be_plain(model):
    with pytest.raises(LexbeamError, match="must be plain, finite values"):
        model.check(options={"rate": float("nan")})


def test_a_feature_is_a_name_and_a_type():
    assert ModelColumn("zipf", "float64") == ("zipf", "float64")
