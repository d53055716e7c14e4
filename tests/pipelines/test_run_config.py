import pytest

from pipelines.run import read_config
from transforms.common.errors import UsageError

MINIMAL = "out: results\ncorpus: {inputs: [texts]}\nchange: {slices: '1800-1850,1900-1950'}\n"


def write(folder, text):
    path = folder / "config.yaml"
    path.write_text(text, "utf-8")
    return str(path)


def test_paths_are_relative_to_the_file(tmp_path):
    text = MINIMAL.replace("slices:", "targets: words.txt, slices:")
    corpus, change = read_config(write(tmp_path, text), {})
    assert corpus.inputs == (str(tmp_path / "texts"),)
    assert corpus.out == change.out == str(tmp_path / "results")
    assert change.targets == str(tmp_path / "words.txt")


def test_the_command_line_wins(tmp_path):
    corpus, change = read_config(write(tmp_path, MINIMAL), {"out": "/else", "parts": 3})
    assert (corpus.out, corpus.parts, change.out) == ("/else", 3, "/else")


def test_remote_inputs_stay_as_they_are(tmp_path):
    text = MINIMAL.replace("[texts]", "[gs://bucket/texts]")
    assert read_config(write(tmp_path, text), {})[0].inputs == ("gs://bucket/texts",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpsu: {}\n" + MINIMAL, r"unknown key 'corpsu'; did you mean 'corpus'\?"),
        (MINIMAL.replace("slices", "slice"), r"did you mean 'slices'\?"),
        (MINIMAL.replace("[texts]", "[texts], fromat: text"), "did you mean 'format'"),
        (MINIMAL.replace("slices:", "resume: true, slices:"), "belongs at the command line"),
        (MINIMAL.replace("slices:", "parts: 3, slices:"), "belongs at the file's top"),
        (MINIMAL.replace("slices:", "dim: many, slices:"), "dim must be a whole number"),
        ("out: x\ncorpus: [1]\n", "section corpus must be a mapping"),
        ("just text", "sections `corpus` and `change`"),
        ("a: [b", "is not YAML in UTF-8"),
        ("out: x\ncorpus: {inputs: [a]}\n", "slices must be given"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_explained(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        read_config(write(tmp_path, text), {})


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        read_config(str(tmp_path / "nowhere.yaml"), {})
