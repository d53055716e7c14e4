import shutil
from dataclasses import fields, replace

import pytest

from lexbeam.transforms.annotation import annotate as module
from lexbeam.transforms.annotation.annotate import AnnotateOptions, AnnotateRecords
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine
from lexbeam.transforms.annotation.engines.normalise import parse_rules
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.receipts import encode
from lexbeam.transforms.common.store.staged import StagedFile
from lexbeam.transforms.formats.ingest.duplicates import AnnotateTask, Decision
from lexbeam.transforms.formats.ingest.ingestion import Ingest, IngestOptions, InputFile, Unit

OPTIONS = AnnotateOptions(engine="builtin:en", name="builtin:en", fingerprint=describe_engine("builtin:en").fingerprint)
TEXTS = {"a": "The cats sat. They slept.", "b": "A dog.", "c": "Long text. " * 9}


def stage(folder, texts=TEXTS):
    """Stage texts; return the staging file, and the work space it lies in."""
    files = []
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(text)
        files.append(InputFile(path.name, str(path), len(text), "in"))
    space = Workspace(str(folder / "work"))
    receipt = make(space, Ingest(IngestOptions(language="en")), Unit(tuple(files), 1))
    (found,) = receipt.stages
    return space, found


@pytest.fixture
def staged(tmp_path):
    return stage(tmp_path)


def annotate(staged, decisions=(), options=OPTIONS):
    space, found = staged
    return make(space, AnnotateRecords(options), AnnotateTask(found, tuple(decisions)))


def second(staged, same_as):
    """The decision on the second record."""
    return Decision(str(staged[1].records.path), 1, 1, same_as)


def entries(receipt, table):
    with StagedFile(getattr(receipt, table)) as opened:
        return [
            (key, number, some.slice(place, place + 1).rows.to_pylist())
            for some in opened.entries(1)
            for place, (key, number) in enumerate(zip(some.keys.to_pylist(), some.column("number"), strict=True))
        ]


def read(receipt, table):
    """The rows of a table, in the order of their sources."""
    sources = {name: rows[0]["source"] for name, _, rows in entries(receipt, "documents")}
    return [row for _, _, rows in sorted(entries(receipt, table), key=lambda e: sources[e[0]]) for row in rows]


def test_records_become_documents_and_sentences(staged):
    receipt = annotate(staged)
    documents, sentences = read(receipt, "documents"), read(receipt, "sentences")
    assert [row["source"] for row in documents] == ["a.txt", "b.txt", "c.txt"]
    assert receipt.counts["documents"] == 3
    assert receipt.counts["sentences"] == len(sentences) == 12
    assert receipt.counts["tokens"] == sum(len(row["forms"]) for row in sentences)
    assert receipt.counts["characters"] == sum(len(row["text"]) for row in documents)
    first = sentences[0]
    assert (first["lemmas"], first["language"], first["sentence"]) == (["the", "cat", "sit", "."], "en", 0)
    text = documents[0]["text"]
    spans = zip(first["starts"], first["ends"], strict=True)
    assert [text[start:end] for start, end in spans] == first["forms"]
    assert receipt.columns == ("ends", "forms", "lemmas", "starts", "upos")


def test_entries_are_named_by_their_document(staged):
    receipt = annotate(staged)
    ids = {row["document_id"] for row in read(receipt, "documents")}
    assert len(ids) == 3
    for table in ("documents", "sentences"):
        named = [(name, number) for name, number, _ in entries(receipt, table)]
        assert named == [(name, 0) for name in sorted(ids)]
        assert all({row["document_id"] for row in rows} == {name} for name, _, rows in entries(receipt, table))


def test_a_receipt_does_not_grow_with_documents(tmp_path):
    sizes = []
    for number in (3, 60):
        (tmp_path / str(number)).mkdir()
        texts = {f"{n}": f"A dog of {n}." for n in range(number)}
        sizes.append(len(encode(annotate(stage(tmp_path / str(number), texts)))))
    assert sizes[1] < sizes[0] + 20  # digits of counts


def test_a_duplicate_is_a_reject_and_a_kept_one_has_its_own_id(staged):
    rejected = annotate(staged, [second(staged, "a.txt")])
    assert rejected.reasons == {"duplicate": 1}
    assert [row.detail for row in rejected.examples] == ["same as a.txt"]
    assert [row["source"] for row in read(rejected, "documents")] == ["a.txt", "c.txt"]
    with StagedFile(rejected.rejects) as opened:
        ((row,),) = (table.to_pylist() for table in opened.tables())
    assert (row["source"], row["stage"], row["reason"]) == ("b.txt", "ingest", "duplicate")
    kept = annotate(staged, [second(staged, "")])
    assert kept.reasons == {}
    assert kept.rejects is None
    plain = annotate(staged)
    ids = [[row["document_id"] for row in read(r, "documents")] for r in (plain, kept)]
    assert (ids[0][0], ids[0][2]) == (ids[1][0], ids[1][2])
    assert ids[0][1] != ids[1][1]


def test_a_document_over_the_limit_is_a_reject(staged):
    receipt = annotate(staged, options=replace(OPTIONS, max_characters=50))
    assert receipt.reasons == {"too_large": 1}


def test_a_document_that_breaks_the_engine_is_a_reject(staged, monkeypatch):
    engine = load_engine("builtin:en")

    def fail(paragraphs, map_form=None):
        if "dog" in paragraphs[0]:
            raise RuntimeError(f"cannot read {paragraphs[0]}")
        return engine.annotate(paragraphs, map_form)

    monkeypatch.setattr(module, "load_engine", lambda spec, layers, fingerprint: replace(engine, annotate=fail))
    receipt = annotate(staged)
    assert receipt.reasons == {"engine_error": 1}
    detail = receipt.examples[0].detail
    assert detail == f"RuntimeError in {__name__}.{fail.__qualname__}"  # nothing of the text, which its message quotes
    assert receipt.counts["documents"] == 2


def test_text_without_an_engine_is_an_error_that_names_the_remedy(staged):
    with pytest.raises(LexbeamError, match="`engine`"):
        annotate(staged, options=replace(OPTIONS, engine="none", name="none"))


def test_rules_map_annotation_that_came_with_the_input(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("uideo virtus\njus\n")
    file = InputFile("a.txt", str(path), 5, "in")
    space = Workspace(str(tmp_path / "work"))
    made = make(space, Ingest(IngestOptions(format="lines")), Unit((file,), 5))
    rules = parse_rules("lemma-char\tv\tu\nlemma\tjus\tius\n")
    options = AnnotateOptions(engine="none", name="none", fingerprint="none", normalise=rules)
    receipt = annotate((space, made.stages[0]), options=options)
    assert [row["lemmas"] for row in read(receipt, "sentences")] == [["uideo", "uirtus"], ["ius"]]
    assert read(receipt, "sentences")[0]["forms"] is None


def identity(staged, decisions=(), options=OPTIONS):
    return AnnotateRecords(options).identity(AnnotateTask(staged[1], tuple(decisions)))


def test_what_lies_elsewhere_is_annotated_as_the_same(tmp_path):
    found = []
    for name in "ab":
        (tmp_path / name).mkdir()
        found.append(stage(tmp_path / name))
    first, same = found
    assert first[1].records.path != same[1].records.path
    assert identity(first) == identity(same)
    assert identity(first, [second(first, "a.txt")]) == identity(same, [second(same, "a.txt")])


def test_content_decisions_and_options_decide(staged, tmp_path):
    (tmp_path / "other").mkdir()
    other = stage(tmp_path / "other", TEXTS | {"c": "Short text."})
    identities = [
        identity(staged),
        identity(other),
        identity(staged, [second(staged, "a.txt")]),
        identity(staged, [second(staged, "")]),
        *(
            identity(staged, options=replace(OPTIONS, **changed))
            for changed in (
                {"name": "builtin:de"},
                {"fingerprint": "y"},
                {"max_characters": 50},
                {"normalise": parse_rules("lemma\tcat\tdog\n")},
                {"layers": ("xpos",)},
                {"layers": ("xpos", "feats")},
            )
        ),
    ]
    assert len({str(found) for found in identities}) == len(identities) == 10


def test_layers_are_chosen_by_their_names(staged):
    chosen = AnnotateRecords(replace(OPTIONS, layers=("heads",))).chosen(AnnotateTask(staged[1], ()))
    assert chosen["lexbeam.transforms.formats.records.layers:LAYERS"] == ("heads",)


def test_no_option_of_annotation_is_about_the_tables_parts():
    # Staged rows lie in an order that serves any number; the merge deals them out.
    assert [field.name for field in fields(AnnotateOptions)] == [
        "engine",
        "name",
        "fingerprint",
        "normalise",
        "max_characters",
        "layers",
    ]


def test_an_engine_s_folder_may_move(staged, tiny_spacy, tmp_path):
    other = shutil.copytree(tiny_spacy, tmp_path / "elsewhere" / tiny_spacy.name)
    options = []
    for folder in (tiny_spacy, other):
        info = describe_engine(f"spacy:{folder}")
        options.append(AnnotateOptions(engine=f"spacy:{folder}", name=info.name, fingerprint=info.fingerprint))
    assert options[0].engine != options[1].engine
    assert identity(staged, options=options[0]) == identity(staged, options=options[1])
    chosen = [AnnotateRecords(found).chosen(AnnotateTask(staged[1], ())) for found in options]
    assert chosen[0] == chosen[1]
    first = annotate(staged, options=options[0])
    assert annotate(staged, options=options[1]) == first
    assert first.counts["documents"] == 3


def test_a_file_that_was_annotated_is_taken_up(staged, monkeypatch):
    first = annotate(staged)

    def fail(*args, **kwargs):
        raise AssertionError("annotated again")

    monkeypatch.setattr(module, "load_engine", fail)
    assert annotate(staged) == first
