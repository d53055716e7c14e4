import pytest

from lexbeam.pipelines.frame.configuration import read_jobs
from lexbeam.transforms.common.errors import UsageError

MINIMAL = "out: results\ncorpus: {inputs: [texts]}\nchange: {slices: '1800-1850,1900-1950'}\n"


def write(folder, text):
    path = folder / "config.yaml"
    path.write_text(text, "utf-8")
    return str(path)


def read(folder, text, given=None):
    return {job.section: job.options for job in read_jobs(write(folder, text), given or {})}


def test_paths_are_relative_to_the_file(tmp_path):
    text = MINIMAL.replace("slices:", "targets: words.txt, slices:").replace(
        "inputs:", "dates: 'table:d.csv:key=id,date=d', engine: 'stanza:en:models', inputs:"
    )
    options = read(tmp_path, text)
    corpus, change = options["corpus"], options["change"]
    assert corpus.inputs == (str(tmp_path / "texts"),)
    assert corpus.out == change.out == str(tmp_path / "results")
    assert change.targets == str(tmp_path / "words.txt")
    assert corpus.dates == f"table:{tmp_path / 'd.csv'}:key=id,date=d"
    assert corpus.engine == f"stanza:en:{tmp_path / 'models'}"


def test_a_model_is_a_folder_beside_the_file_or_a_name(tmp_path):
    text = MINIMAL.replace("inputs:", "engine: 'spacy:en_model', inputs:")
    assert read(tmp_path, text)["corpus"].engine == "spacy:en_model"
    (tmp_path / "en_model").mkdir()
    assert read(tmp_path, text)["corpus"].engine == f"spacy:{tmp_path / 'en_model'}"


def test_the_command_line_wins(tmp_path):
    options = read(tmp_path, "parts: 5\n" + MINIMAL, {"out": "/else", "parts": 3})
    assert [options["corpus"].out, options["corpus"].parts] == ["/else", "3"]
    assert options["change"].out == "/else"


def test_remote_inputs_stay_as_they_are(tmp_path):
    text = MINIMAL.replace("[texts]", "[gs://bucket/texts]")
    assert read(tmp_path, text)["corpus"].inputs == ("gs://bucket/texts",)


def test_corpora_are_beside_the_file_or_left_to_the_run(tmp_path):
    assert read(tmp_path, MINIMAL)["change"].corpora == ()
    for value in ("[here, /there]", "'here,/there'"):
        text = MINIMAL.replace("slices:", f"corpora: {value}, slices:")
        assert read(tmp_path, text)["change"].corpora == (str(tmp_path / "here"), "/there")


def test_a_section_comes_after_what_it_reads_whatever_the_order_of_the_file(tmp_path):
    turned = "change: {slices: '1800-1850,1900-1950'}\ncorpus: {inputs: [texts]}\nout: results\n"
    assert list(read(tmp_path, turned)) == ["corpus", "change"]
    # What is read elsewhere waits for nothing.
    apart = turned.replace("slices:", "corpora: [other], slices:")
    assert list(read(tmp_path, apart)) == ["change", "corpus"]


def test_a_file_may_have_any_of_the_sections(tmp_path):
    assert list(read(tmp_path, "out: x\ncorpus: {inputs: [a]}\n")) == ["corpus"]
    assert list(read(tmp_path, "out: x\nchange: {slices: '1-2,3-4'}\n")) == ["change"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpsu: {}\n" + MINIMAL, r"unknown key 'corpsu'; did you mean 'corpus'\?"),
        ("show: {path: x}\n" + MINIMAL, "unknown key 'show': `lexbeam show` makes no tables"),
        (
            "cloze: {abstractness: {}}\n" + MINIMAL,
            "unknown key 'cloze.abstractness': `lexbeam cloze abstractness` makes no tables",
        ),
        (MINIMAL.replace("slices", "slice"), r"did you mean 'slices'\?"),
        (MINIMAL.replace("[texts]", "[texts], fromat: text"), "did you mean 'format'"),
        (MINIMAL.replace("slices:", "resume: true, slices:"), "belongs on the command line"),
        (MINIMAL.replace("slices:", "fresh: true, slices:"), "belongs on the command line"),
        (MINIMAL.replace("[texts]", "[texts], keep-snapshots: 3"), "belongs on the command line"),
        ("overwrite: true\n" + MINIMAL, "unknown key 'overwrite'"),
        (MINIMAL.replace("[texts]", "[texts], corpora: [a]"), "unknown option .*corpora"),
        (MINIMAL.replace("slices:", "parts: 3, slices:"), "belongs at the top of the file"),
        (MINIMAL.replace("slices:", "dim: many, slices:"), "change: dim must be a whole number"),
        (
            "out: x\ncomplexity:\n  load: {inputs: [x], layout: tsv, language: no}\n",
            "language must be text, not False; give a text in quotes",
        ),
        (MINIMAL.replace("slices:", "dim: 0, slices:"), "config.yaml: change: dim must be at least 1, not 0"),
        (MINIMAL.replace("[texts]", "[texts], dates: bogus"), "config.yaml: corpus: `dates`"),
        ("out: x\ncorpus: [1]\n", "section corpus must be a mapping"),
        ("just text", "sections such as corpus, change"),
        ("out: x\n", "has no section"),
        ("corpus: {inputs: [a]}\n", "the folder of the tables must be given"),
        ("a: [b", "is not YAML: "),
        (MINIMAL + "corpus: {inputs: [b]}\n", "line 4: corpus is given twice"),
        ("out: x\nchange:\n  min-count: 1\n  slices: 1-2,3-4\n  min_count: 2\n", "line 5: min_count is given twice"),
        ("out: x\nchange: {}\n", "slices must be given"),
        ("out: x\nparts: 3\nchange: {slices: '1-2,3-4'}\n", "no section takes the option parts"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        read(tmp_path, text)


def test_an_option_called_on_needs_no_quotes(tmp_path):
    text = "out: x\ncomplexity:\n  score: {scorer: ridge, on: other}\n"
    assert read(tmp_path, text)["complexity.score"].on == str(tmp_path / "other")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        read_jobs(str(tmp_path / "nowhere.yaml"), {})


def test_bounds_belong_to_the_sections_of_a_gate(tmp_path):
    gate = """
gate:
  corpus:
    documents: {least: 1000, most: 2000}
    language_shares: {en: {least: .9}, no: {most: .1}}
  change: {slice-tokens: {least: 100000}}
"""
    corpus, change = read_jobs(write(tmp_path, MINIMAL + gate), {})
    assert [bound._replace(gauge=None) for bound in corpus.bounds] == [
        ("documents", None, None, 1000, 2000),
        ("language-shares", None, "en", 0.9, None),
        ("language-shares", None, "no", None, 0.1),
    ]
    assert [bound._replace(gauge=None) for bound in change.bounds] == [("slice-tokens", None, None, 100000, None)]
    for nothing in ("", "{}", "{corpus: }"):
        assert [job.bounds for job in read_jobs(write(tmp_path, f"{MINIMAL}gate: {nothing}\n"), {})] == [(), ()]


@pytest.mark.parametrize(
    ("gate", "told"),
    [
        ("[documents]", "gate must be a mapping of sections"),
        ("{corpora: {}}", "unknown key 'corpora'"),
        ("{complexity.load: {complexity/instances: {least: 1}}}", "complexity.load, which is no section of the file"),
        ("{corpus: [documents]}", "section corpus must be a mapping"),
        ("{corpus: {document: {least: 1}}}", "is no table and no gauge of corpus; did you mean 'documents'?"),
        ("{corpus: {documents: 5}}", "corpus: documents must be {least: NUMBER, most: NUMBER}"),
        ("{corpus: {documents: {}}}", "corpus: documents must be {least: NUMBER"),
        (
            "{corpus: {documents: {least: many}}}",
            "documents must be {least: NUMBER, most: NUMBER}, of which one may be missing, not 'many'",
        ),
        ("{corpus: {documents: {least: .nan}}}", "not nan"),
        ("{corpus: {documents: {least: true}}}", "not True"),
        ("{corpus: {documents: {least: 2, most: 1}}}", "least 2 is more than most 1"),
        ("[]", "gate must be a mapping of sections"),
        ("false", "gate must be a mapping of sections"),
        ("{corpus: []}", "section corpus must be a mapping"),
        ("{corpus: {documents: {least: -1}}}", "documents: -1 is below 0, and no value is: give a limit from 0 up"),
        ("{corpus: {language-shares: {en: {most: -0.1}}}}", "en: -0.1 is below 0"),
        (
            "{corpus: {language-shares: {fr: {most: 20}}}}",
            "language-shares: fr: 20 is above 1, and no share is: give a limit from 0 to 1; 20 % is 0.2",
        ),
        ("{corpus: {language-shares: {least: 2}}}", "language-shares: 2 is above 1"),
        ("{corpus: {language-shares: {~: {most: .2}}}}", "'~' is no text, as names are; give it in quotes"),
        ("{change: {null-scores: {most: 20}}}", "null-scores: 20 is above 1, and no share is"),
        ("{corpus: {language-shares: {en: .9}}}", "language-shares: en must be {least: NUMBER"),
        ("{corpus: {language-shares: {en: {last: .9}}}}", "language-shares: en must be {least: NUMBER"),
    ],
)
def test_bounds_that_say_nothing_are_errors(tmp_path, gate, told):
    with pytest.raises(UsageError) as error:
        read(tmp_path, f"{MINIMAL}gate: {gate}\n")
    assert told in str(error.value)
