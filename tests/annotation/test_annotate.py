from dataclasses import replace

import pytest

from transforms.annotation.annotate import AnnotateOptions, annotate_file
from transforms.annotation.base import load_engine
from transforms.annotation.normalise import parse_rules
from transforms.common.artefacts import Workspace
from transforms.common.batches import BatchReader
from transforms.common.errors import LexbeamError
from transforms.formats.duplicates import Decision
from transforms.formats.ingest import IngestOptions, InputFile, Unit, ingest_unit

OPTIONS = AnnotateOptions(engine="builtin:en", fingerprint="x", parts=2)


@pytest.fixture
def staged(tmp_path):
    """A staging file of three texts, and the work space it lies in."""
    files = []
    for name, text in (
        ("a", "The cats sat. They slept."),
        ("b", "A dog."),
        ("c", "Long text. " * 9),
    ):
        path = tmp_path / f"{name}.txt"
        path.write_text(text)
        files.append(InputFile(path.name, str(path), len(text), "in"))
    space = Workspace(str(tmp_path / "work"))
    receipt = ingest_unit(space, Unit(tuple(files), 1), IngestOptions(language="en"))
    return space, receipt["files"][0][0]


def annotate(staged, decisions=(), options=OPTIONS, engine=None):
    space, path = staged
    engine = engine or load_engine("builtin:en")
    return annotate_file(space, path, "", tuple(decisions), engine, options)


def read(receipt, table):
    with BatchReader() as reader:
        return [
            row
            for name, _, _, _, ordinal in receipt["staged"]
            if name == table
            for row in reader.read(receipt[table], ordinal).to_pylist()
        ]


def test_records_become_documents_and_sentences(staged):
    receipt = annotate(staged)
    documents, sentences = read(receipt, "documents"), read(receipt, "sentences")
    assert [row["source"] for row in documents] == ["a.txt", "b.txt", "c.txt"]
    assert receipt["counts"]["documents"] == 3
    assert receipt["counts"]["tokens"] == sum(len(row["forms"]) for row in sentences)
    first = sentences[0]
    assert (first["lemmas"], first["language"], first["sentence"]) == (
        ["the", "cat", "sit", "."], "en", 0,
    )  # fmt: skip
    text = documents[0]["text"]
    spans = zip(first["starts"], first["ends"], strict=True)
    assert [text[start:end] for start, end in spans] == first["forms"]
    assert receipt["columns"] == ["ends", "forms", "lemmas", "starts", "upos"]


def test_a_duplicate_is_a_reject_and_a_kept_one_has_its_own_id(staged):
    rejected = annotate(staged, [Decision(staged[1], 1, 1, "a.txt")])
    assert rejected["reasons"] == [["b.txt", "duplicate"]]
    assert [row["source"] for row in read(rejected, "documents")] == ["a.txt", "c.txt"]
    kept = annotate(staged, [Decision(staged[1], 1, 1, "")])
    assert kept["reasons"] == []
    plain = annotate(staged)
    ids = [[row["document_id"] for row in read(r, "documents")] for r in (plain, kept)]
    assert (ids[0][0], ids[0][2]) == (ids[1][0], ids[1][2])
    assert ids[0][1] != ids[1][1]


def test_a_document_over_the_limit_is_a_reject(staged):
    receipt = annotate(staged, options=replace(OPTIONS, max_characters=50))
    assert receipt["reasons"] == [["c.txt", "too_large"]]


def test_a_document_that_breaks_the_engine_is_a_reject(staged):
    engine = load_engine("builtin:en")

    def fail(paragraphs, map_form=None):
        if "dog" in paragraphs[0]:
            raise RuntimeError("no dogs")
        return engine.annotate(paragraphs, map_form)

    receipt = annotate(staged, engine=replace(engine, annotate=fail))
    assert receipt["reasons"] == [["b.txt", "engine_error"]]
    assert receipt["counts"]["documents"] == 2


def test_text_without_an_engine_is_an_error_that_names_the_remedy(staged):
    space, path = staged
    with pytest.raises(LexbeamError, match="--engine"):
        annotate_file(space, path, "", (), None, replace(OPTIONS, engine="none"))


def test_rules_map_annotation_that_came_with_the_input(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("uideo virtus\njus\n")
    file = InputFile("a.txt", str(path), 5, "in")
    space = Workspace(str(tmp_path / "work"))
    made = ingest_unit(space, Unit((file,), 5), IngestOptions(format="lines"))
    staged, ready = made["files"][0][:2]
    rules = parse_rules("lemma-char\tv\tu\nlemma\tjus\tius\n")
    options = AnnotateOptions(engine="none", fingerprint="none", normalise=rules)
    receipt = annotate_file(space, staged, ready, (), None, options)
    assert [row["lemmas"] for row in read(receipt, "sentences")] == [["uideo", "uirtus"], ["ius"]]
    assert read(receipt, "sentences")[0]["forms"] is None
