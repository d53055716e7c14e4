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


def test_corpora_are_beside_the_file_or_left_to_the_run(tmp_path):
    assert read_config(write(tmp_path, MINIMAL), {})[1].corpora == ()
    for value in ("[here, /there]", "'here,/there'"):
        text = MINIMAL.replace("slices:", f"corpora: {value}, slices:")
        change = read_config(write(tmp_path, text), {})[1]
        assert change.corpora == (str(tmp_path / "here"), "/there")


def test_what_may_be_replaced_is_said_at_the_command_line_of_both_sections(tmp_path):
    given = {"overwrite": True, "drop": ("change",), "keep": "published", "keep_snapshots": 5}
    for options in read_config(write(tmp_path, MINIMAL), given):
        assert {name: getattr(options, name) for name in given} == given
        assert (options.resume, options.fresh) == (False, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpsu: {}\n" + MINIMAL, r"unknown key 'corpsu'; did you mean 'corpus'\?"),
        (MINIMAL.replace("slices", "slice"), r"did you mean 'slices'\?"),
        (MINIMAL.replace("[texts]", "[texts], fromat: text"), "did you mean 'format'"),
        (MINIMAL.replace("slices:", "resume: true, slices:"), "belongs at the command line"),
        (MINIMAL.replace("slices:", "fresh: true, slices:"), "belongs at the command line"),
        (MINIMAL.replace("[texts]", "[texts], keep-snapshots: 3"), "belongs at the command line"),
        ("overwrite: true\n" + MINIMAL, "unknown key 'overwrite'"),
        (MINIMAL.replace("[texts]", "[texts], corpora: [a]"), "unknown option .*corpora"),
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
