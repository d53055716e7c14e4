"""Files read and settled: every record is in a pair or a reject, whatever runs, parts and order."""

import gzip
import hashlib
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from part_tasks import parts_of, rejects_listed
from staged_inputs import staged_inputs

from lexbeam.schemas.cloze import FLAGS, PAIR_REASONS, PAIRS
from lexbeam.transforms.annotation.engines import known_engines
from lexbeam.transforms.cloze.pairs.loaded_pairs import ReadPairs, SettlePairs
from lexbeam.transforms.cloze.pairs.pair import LengthOptions, article_id
from lexbeam.transforms.cloze.pairs.pair_layouts import (
    CORPUS,
    LAYOUTS,
    CutOptions,
    ReadOptions,
    kind_of_name,
    paths_of_fields,
)
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import staged
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.formats.ingest.ingestion import InputFile, Unit
from lexbeam.transforms.formats.records.base import ReaderOptions
from lexbeam.transforms.intake import intake_staging, settling
from lexbeam.transforms.intake.settling import TextAnnotationOptions

NAME = "Task_1_Imperceptibility.jsonl"


def question(article="The dog barks at cats.", text="A @placeholder barks .", label=1, **more):
    words = {f"option_{n}": word for n, word in enumerate(("cat", "dog", "fox", "cow", "hen"))}
    return {"article": article, "question": text, **words, "label": label, **more}


def lines(rows):
    return "".join(f"{json.dumps(row)}\n" if isinstance(row, dict) else f"{row}\n" for row in rows)


def options_of(layout, fields=(), lengths=None, cut=None, reader=None, **more):
    reader = reader or ReaderOptions(fields=fields)
    read = ReadOptions(layout=layout, cut=cut or CutOptions(), reader=reader, **more)
    return ReadPairs(how=read, lengths=lengths or LengthOptions())


def units_of(folder, texts, together=1):
    """Files written to a folder, as units of so many each."""
    units = []
    for name, content in texts.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
        units.append(InputFile(name, str(folder / name), len(data), "input"))
    return [Unit(tuple(units[n : n + together]), 1) for n in range(0, len(units), together)]


@pytest.fixture
def load(tmp_path):
    """A function that reads files, by name, and returns pairs and rejects."""

    def loaded(texts, layout="recam", parts=2, name="work", together=1, engine="", **options):
        (tmp_path / name).mkdir()
        workspace = Workspace(str(tmp_path / name))
        asked = options_of(layout, **options)
        units = units_of(tmp_path / name, texts, together)
        receipts = [make(workspace, asked, unit) for unit in units]
        pairs = []
        for task in parts_of(receipts, parts):
            settled = make(workspace, SettlePairs(annotate=TextAnnotationOptions(engine=engine)), task)
            pairs += pq.read_table(settled.tables[PAIRS.name].file.path).to_pylist()
        rejects = rejects_listed(workspace, SettlePairs, receipts)
        assert sum(receipt.records for receipt in receipts) == sum(pair["rows"] for pair in pairs)
        assert sum(sum(receipt.reasons.values()) for receipt in receipts) == len(rejects)
        return pairs, rejects

    return loaded


def test_order_of_files_parts_runs_and_units_changes_nothing(load, monkeypatch):
    rows = [question(f"Dog {n % 5} barks.", f"A @placeholder barks {n % 4} .", n % 3) for n in range(40)]
    texts = {f"{n}-{NAME}": lines(rows[n::4]) for n in range(4)}
    pairs, rejects = load(texts)
    assert rejects == []
    assert [pair["pair_id"] for pair in pairs] == sorted({pair["pair_id"] for pair in pairs})
    assert sum(len(pair["targets"]) for pair in pairs) == len(pairs)
    monkeypatch.setattr(intake_staging, "_ROWS", 3)
    monkeypatch.setattr(staged, "RUN_BYTES", 1)
    monkeypatch.setattr(staged, "BATCH_BYTES", 600)
    monkeypatch.setattr(SettlePairs, "at_once", 2)
    turned = dict(sorted(texts.items(), reverse=True))
    assert load(turned, parts=5, name="b", together=3) == (pairs, rejects)


def test_a_question_is_a_pair_with_its_target(load):
    (pair,), _ = load({NAME: lines([question(id=7, genre="news")])})
    (target,) = pair["targets"]
    assert pair["summary"] == "A dog barks ."
    assert pair["summary_forms"][target["token"]] == target["form"] == "dog"
    assert (target["kind"], target["label"]) == ("imperceptibility", 1)
    assert target["options"] == ["cat", "dog", "fox", "cow", "hen"]
    assert (target["source"], target["position"], target["source_id"]) == (NAME, "1", "7")
    assert (pair["language"], pair["genre"], pair["flags"]) == ("en", "news", [])
    assert pair["article_id"] == article_id("The dog barks at cats.")
    assert (pair["summary_lemmas"], pair["summary_sentences"]) == (None, [0])
    starts, ends = pair["passage_starts"], pair["passage_ends"]
    words = [pair["passage"][a:b] for a, b in zip(starts, ends, strict=True)]
    assert words == pair["passage_forms"] == ["The", "dog", "barks", "at", "cats", "."]


def test_bad_records_have_their_outcomes(load):
    no_label, no_option = question(), question()
    del no_label["label"]
    del no_option["option_2"]
    rows = [
        question(article=" "),
        question(text="@placeholder"),
        question("word " * 50_000),
        question(text="A dog ."),
        question("The @placeholder ."),
        no_label,
        no_option,
        question(label=5),
        question(label=-1),
        question(label="x"),
        question(label=True),
        "{broken",
        "[1]",
        question(article=5),
        question(option_1=["dog"]),
        question(option_1="", article="One."),
        question("NUL \0."),
    ]
    good = [
        question("Numbers.", option_1=1950),
        question("Case.", option_0="Dog", label="1"),
        question("It cost Â£5."),
        question("In a word.", "Under@placeholder barks ."),
        question(option_1="cafe\u0301"),
        question("Twice."),
        question("Twice."),
    ]
    pairs, rejects = load({NAME: lines([*rows, *good])})
    reasons = [row["reason"] for row in sorted(rejects, key=lambda row: int(row["position"]))]
    assert reasons == [
        "empty_passage",
        "short_summary",
        "long_passage",
        "placeholder",
        "placeholder",
        "missing_field",
        "missing_field",
        "bad_label",
        "bad_label",
        "bad_label",
        "bad_label",
        "malformed",
        "malformed",
        "malformed",
        "malformed",
        "bad_label",
        "control",
    ]
    assert set(reasons) <= set(PAIR_REASONS)
    by_passage = {pair["passage"]: pair for pair in pairs}
    assert {name: pair["flags"] for name, pair in by_passage.items() if pair["flags"]} == {
        "Case.": ["doubled_options"],
        "It cost Â£5.": ["mis_decoded"],
        "Twice.": ["repeated"],
        "In a word.": ["target_not_found"],
    }
    assert by_passage["Numbers."]["summary"] == "A 1950 barks ."
    assert by_passage["Twice."]["rows"] == 2
    assert len(by_passage["Twice."]["targets"]) == 1
    assert by_passage["In a word."]["targets"][0]["token"] is None
    (composed,) = by_passage["The dog barks at cats."]["targets"]
    assert (composed["form"], composed["token"]) == ("caf\u00e9", 1)


def test_kinds_are_of_the_files_names_or_given(load):
    assert kind_of_name("data/Task_3_train.jsonl") == "intersection"
    assert kind_of_name("task10.jsonl") is None
    with pytest.raises(LexbeamError, match=r"q\.jsonl.*`kind`"):
        load({"q.jsonl": lines([question()])})
    (pair,), _ = load({"q.jsonl": lines([question()])}, kind="nonspecificity", name="given")
    (other,), _ = load({NAME: lines([question()])}, kind="nonspecificity", name="said")
    assert [one["targets"][0]["kind"] for one in (pair, other)] == ["nonspecificity", "imperceptibility"]


def test_json_lines_and_tables_with_named_fields(load):
    fields = ("passage=doc.article", "summary=highlights", "id=doc.n")
    rows = [
        {"doc": {"article": ["One  two.", "Three."], "n": 3}, "highlights": "Of two.", "genre": "g"},
        {"doc": {"article": "One."}},
        {"doc": {}, "highlights": "Of none."},
        {"doc": {"article": "One."}, "highlights": {"a": "b"}},
    ]
    (pair,), rejects = load({"a.jsonl": lines(rows)}, "jsonl", fields=fields, language="fr")
    assert (pair["passage"], pair["summary"]) == ("One  two.\n\nThree.", "Of two.")
    assert (pair["source_id"], pair["genre"], pair["language"]) == ("3", "g", "fr")
    assert (pair["targets"], pair["passage_sentences"]) == ([], [0, 3])
    assert [row["reason"] for row in rejects] == ["missing_field", "missing_field", "malformed"]
    table = 'summary\tpassage\tlanguage\n"Of ""two""."\tOne.\tde\nOf none.\nA.\tB.\tC\tD\n'
    (pair,), rejects = load({"a.tsv": table}, "tsv", name="tsv")
    assert (pair["summary"], pair["language"], pair["position"]) == ('Of "two".', "de", "2")
    assert [row["reason"] for row in rejects] == ["malformed", "malformed"]
    with pytest.raises(LexbeamError, match=r"b\.tsv: no column 'passage'.*there are summary, text, language.*`fields`"):
        load({"b.tsv": table.replace("passage", "text")}, "tsv", name="none")


def parquet_of(rows):
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


ROWS = [
    {"uid": "x1", "body": "The old dog barks at cats.", "head": "Dog barks", "lang": "en"},
    {"uid": "x2", "body": "Ships sailed " + "far away " * 300, "head": "Ships " + "and more " * 200, "lang": "en"},
]
FIELDS = ("passage=body", "summary=head", "id=uid", "language=lang")
FILES = {
    "jsonl": ("a.jsonl", lines(ROWS)),
    "json": ("a.json", json.dumps(ROWS, indent=1)),
    "tsv": ("a.tsv", "lang\tuid\thead\tbody\n" + "".join("{lang}\t{uid}\t{head}\t{body}\n".format(**r) for r in ROWS)),
    "csv": ("a.csv", "lang;uid;head;body\n" + "".join('{lang};{uid};"{head}";{body}\n'.format(**r) for r in ROWS)),
    "parquet": ("a.parquet", parquet_of(ROWS)),
}


@pytest.mark.parametrize("kind", sorted(FILES))
def test_every_format_with_any_names_gives_the_same_pairs(load, kind):
    name, content = FILES[kind]
    layout = "tsv" if kind == "csv" else kind
    pairs, rejects = load({name: content}, layout, fields=FIELDS)
    assert rejects == []
    by_id = {pair["source_id"]: pair for pair in pairs}
    for row in ROWS:
        pair = by_id[row["uid"]]
        assert (pair["passage"], pair["summary"]) == (row["body"].strip(), row["head"].strip())
        assert (pair["language"], pair["source"]) == ("en", name)
    # The option that names texts elsewhere names the passage, too.
    reader = ReaderOptions(fields=FIELDS[1:], text_field="body")
    assert load({name: content}, layout, name="again", reader=reader) == (pairs, rejects)


@pytest.mark.parametrize("layout", ["tsv", "parquet"])
@pytest.mark.parametrize(("missing", "told"), [("head", "'headline'"), ("body", "'text'"), ("uid", "'number'")])
def test_a_table_without_a_named_column_stops_and_lists_those_that_there_are(load, layout, missing, told):
    name, content = FILES[layout]
    places = {"passage": "body", "summary": "head", "id": "uid"}
    (wrong,) = (key for key, column in places.items() if column == missing)
    places[wrong] = told.strip("'")
    with pytest.raises(LexbeamError) as caught:
        load({name: content}, layout, fields=tuple(f"{key}={column}" for key, column in places.items()))
    message = str(caught.value)
    assert f"{name}: no column {told}" in message
    assert all(column in message.partition("there are")[2] for column in ("uid", "head", "lang"))
    assert "`fields`" in message


def test_objects_without_a_field_are_rejects_that_list_those_that_there_are(load):
    rows = [ROWS[0], {"uid": "x3", "body": "One.", "title": "Two"}, {"body": " ", "head": "Empty one"}]
    pairs, rejects = load({"a.json": json.dumps(rows)}, "json", fields=FIELDS)
    assert [pair["source_id"] for pair in pairs] == ["x1"]
    told = {row["position"]: (row["reason"], row["detail"]) for row in rejects}
    assert told["2"][0] == "missing_field"
    assert "no field 'head'; there are uid, body, title" in told["2"][1]
    assert told["3"][0] == "empty_passage"


def test_pairs_within_arrays_of_objects(load):
    feed = {"data": [{"lang": "fr", "items": [{"body": ["Un deux.", "Trois."], "head": "Quatre cinq"}]}]}
    reader = ReaderOptions(
        json_path="data", records="items[]", fields=("passage=body", "summary=head", "language=lang")
    )
    (pair,), rejects = load({"a.json": json.dumps(feed)}, "json", reader=reader)
    assert (pair["passage"], pair["language"], pair["position"]) == ("Un deux.\n\nTrois.", "fr", "1:1")
    assert rejects == []


def test_a_column_that_is_there_twice_is_refused(load):
    _, rejects = load({"a.tsv": "passage\tsummary\tsummary\nA b.\tC d.\tE f.\n"}, "tsv")
    assert [(row["reason"], "several columns 'summary'" in row["detail"]) for row in rejects] == [("malformed", True)]


def test_what_fields_may_name():
    assert paths_of_fields(ReaderOptions()) == {"passage": "passage", "summary": "summary"}
    with pytest.raises(UsageError, match="did you mean 'passage'"):
        paths_of_fields(ReaderOptions(fields=("pasage=x",)))
    with pytest.raises(UsageError, match=r"`text_field` and `fields` both.*'a' and 'b'"):
        paths_of_fields(ReaderOptions(fields=("passage=b",), text_field="a"))


def test_documents_are_cut_in_any_format(load):
    text = "Title\n\nFirst one. And two.\n\nThe rest."
    table = json.dumps({"text": text, "id": "x", "genre": "news"})
    conllu = "# text = A b.\n1\tA\ta\tDET\t_\t_\t0\troot\t_\t_\n\n"
    texts = {
        "a.txt": text,
        "b.txt.gz": gzip.compress(text.encode()),
        "c.jsonl": table,
        "d.conllu": conllu,
        "e.txt": "Title",
        "f.pdf": b"%PDF-1.7\n",
    }
    cut = CutOptions(skip_paragraphs=1)
    (pair,), rejects = load(texts, "documents", cut=cut, language="en", together=9)
    assert (pair["summary"], pair["passage"]) == ("First one.", "The rest.")
    assert (pair["rows"], pair["source"], pair["genre"]) == (3, "a.txt", "news")
    assert (pair["source_id"], pair["flags"]) == ("x", ["repeated"])
    reasons = {row["source"]: row["reason"] for row in rejects}
    assert reasons == {"d.conllu": "annotated", "e.txt": "empty_summary", "f.pdf": "pdf"}


def failing(paragraphs, map_form=None):
    """Words between spaces, in capitals as lemmas, sentences of three; fails on the word bad."""
    annotated = []
    for text in paragraphs:
        if "bad" in text:
            raise ValueError(text)
        starts = [n for n in range(len(text)) if n == 0 or text[n - 1] == " "]
        words = [text[start:].split()[0] for start in starts]
        three = [slice(n, n + 3) for n in range(0, len(words), 3)]
        ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
        annotated.append([Sentence(words[s], [w.upper() for w in words[s]], None, starts[s], ends[s]) for s in three])
    return annotated


def test_an_engine_annotates_both_texts_and_what_it_fails_on_is_flagged(load, monkeypatch):
    engine = known_engines.Engine(
        name="x", language=None, fingerprint="x", has_upos=False, has_lemmas=True, annotate=failing
    )
    monkeypatch.setattr(settling, "load_engine", lambda _, layers, fingerprint: engine)
    rows = [question("one two three four"), question("so bad")]
    pairs, _ = load({NAME: lines(rows)}, engine="builtin:x")
    bad, good = sorted(pairs, key=lambda pair: len(pair["passage"]))
    assert good["passage_lemmas"] == ["ONE", "TWO", "THREE", "FOUR"]
    assert (good["passage_sentences"], good["summary_sentences"]) == ([0, 3], [0, 3])
    assert good["summary_forms"][good["targets"][0]["token"]] == "dog"
    assert (bad["flags"], bad["passage_lemmas"], bad["summary_lemmas"][1]) == (["not_annotated"], None, "DOG")


def test_a_file_that_changes_is_read_as_it_is_then(load, tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (unit,) = units_of(tmp_path / "a", {NAME: lines([question()])})
    before = hashlib.sha256((tmp_path / "a" / NAME).read_bytes()).hexdigest()
    assert unit.readings[0].sha256 == before
    unit.readings[0].broken = "gone"
    loaded = make(Workspace(str(tmp_path)), options_of("recam"), unit)
    (row,) = staged_inputs(loaded)
    assert (loaded.records, row.sha256) == (1, before)


PIECES = st.lists(
    st.one_of(
        st.sampled_from(["\t", "\n", '"', "{", "}", ":", ",", "article", "question", "label", "0", "a b", "\r"]),
        st.sampled_from(["passage", "summary", "@placeholder", "\0", "\u0301" * 40, "\ufeff"]),
        st.sampled_from([json.dumps(question()), json.dumps({"passage": "a b", "summary": "c d"})]),
        st.binary(max_size=3),
    ),
    max_size=30,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted({*LAYOUTS} - {CORPUS})), PIECES, st.booleans())
def test_any_bytes_are_pairs_rejects_or_an_error_that_names_the_file(tmp_path_factory, layout, pieces, headed):
    text = b"".join(p if isinstance(p, bytes) else p.encode("utf-8") for p in pieces)
    folder = tmp_path_factory.mktemp("fuzz")
    head = b"passage\tsummary\n" if headed else b""
    (unit,) = units_of(folder, {f"a-{NAME}": head + text})
    workspace, refused = Workspace(str(folder)), ""
    try:
        loaded = make(workspace, options_of(layout), unit)
    except LexbeamError as error:
        refused = str(error)
    if refused:
        assert f"a-{NAME}" in refused
        return
    records = 0
    for task in parts_of([loaded], 2):
        settled = make(workspace, SettlePairs(), task)
        for pair in pq.read_table(settled.tables[PAIRS.name].file.path).to_pylist():
            records += pair["rows"]
            assert set(pair["flags"]) <= set(FLAGS)
    assert records == loaded.records
    reasons = {row["reason"] for row in rejects_listed(workspace, SettlePairs, [loaded])}
    assert reasons == set(loaded.reasons) <= set(PAIR_REASONS)
