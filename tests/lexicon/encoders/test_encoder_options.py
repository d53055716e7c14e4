import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import from_mapping, noted_paths, plain_options
from lexbeam.transforms.lexicon.encoders.span_vectors import EncoderOptions, layers_of


@given(st.integers(1, 24), st.data())
def test_layers_count_from_either_end(layers, data):
    names = [*range(layers + 1), *range(-layers - 1, 0)]
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=4))
    found = layers_of(",".join(map(str, chosen)), layers)
    assert found == tuple(sorted({range(layers + 1)[name] for name in chosen}))


@given(st.integers(1, 24), st.data())
def test_a_range_holds_both_of_its_ends(layers, data):
    first = data.draw(st.integers(0, layers))
    last = data.draw(st.integers(first, layers))
    for start in (first, first - layers - 1):
        for end in (last, last - layers - 1):
            assert layers_of(f"{start}..{end}", layers) == tuple(range(first, last + 1))


@pytest.mark.parametrize("text", ["", "last", "1..", "1,", "1...2", "1 2"])
def test_what_is_no_choice_of_layers_is_an_error(text):
    with pytest.raises(UsageError, match=r"encoder_layers(` cannot be| is empty)"):
        from_mapping(EncoderOptions, {"encoder_layers": text})


@pytest.mark.parametrize("text", ["13", "-14", "3..2", "-1..0"])
def test_layers_that_are_not_there_are_an_error(text):
    with pytest.raises(UsageError, match="0 \\(embeddings\\) to 12, or -13 to -1"):
        layers_of(text, 12)


def test_a_folder_is_relative_to_its_configuration_and_shown_without_its_place(tmp_path):
    given = {"encoder": "models/bert", "encoder_pooling": "max", "encoder_batch": "8"}
    made = from_mapping(EncoderOptions, given, base=str(tmp_path))
    assert made.encoder == str(tmp_path / "models" / "bert")
    assert (made.pooling, made.batch_size) == ("max", 8)
    assert noted_paths(made, "place") == {"encoder": [made.encoder]}
    assert plain_options(made)["encoder"] == "bert"


@pytest.mark.parametrize(
    ("given", "found", "shown"),
    [
        ("transformers:bert", "transformers:{base}/bert", "transformers:bert"),
        ("gs://bucket/models/bert", "gs://bucket/models/bert", "bert"),
        ("transformers:gs://bucket/bert", "transformers:gs://bucket/bert", "transformers:bert"),
    ],
)
def test_a_kind_stays_before_its_folder(tmp_path, given, found, shown):
    made = from_mapping(EncoderOptions, {"encoder": given}, base=str(tmp_path))
    assert made.encoder == found.format(base=tmp_path)
    assert plain_options(made)["encoder"] == shown


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"encoder": "transformer:bert"}, "unknown kind of encoder 'transformer'.*did you mean"),
        ({"encoder": "transformers:"}, "names no model"),
        ({"encoder_pooling": "median"}, "encoder_pooling cannot be 'median'"),
        ({"encoder_device": "tpu"}, "encoder_device cannot be 'tpu'"),
        ({"encoder_length": 2}, "at least 8"),
    ],
)
def test_wrong_options_are_errors(given, message):
    with pytest.raises(UsageError, match=message):
        from_mapping(EncoderOptions, given)
