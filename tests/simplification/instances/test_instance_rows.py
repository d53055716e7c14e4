"""Rows of files as targets in their sentences."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nets import ends

from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.options.fields import from_mapping
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.intake.row_files import About
from lexbeam.transforms.simplification.instances.benchmark_layouts import (
    BenchmarkInstance,
    instance_id,
    pair_key,
    placed,
)
from lexbeam.transforms.simplification.instances.instance_rows import READERS, RuleOptions, marked

SENTENCE = "La licuefacción de un gas."


def read(layout, *lines, **rules):
    """Return what each line gives: targets with places and flags, or a reason."""
    rows = ((number, line.split("\t")) for number, line in enumerate(lines, 1))
    records = READERS[layout].read(rows, About("f.tsv"), RuleOptions(**rules))
    return [
        rows.reason
        if isinstance(rows, BadRecord)
        else [(row.sentence[slice(*row.places[0])] if row.places else "", row.flags) for row in rows]
        for _, rows in records
    ]


def cwi(target="licuefacción", start=3, end=15, marks=5, annotators=10, complexity="0.5"):
    cells = ["3KW", SENTENCE, start, end, target, annotators, 0, marks, 0, 1, complexity]
    return "\t".join(map(str, cells))


@pytest.mark.parametrize(
    ("line", "rules", "expected"),
    [
        (cwi(), {}, [("licuefacción", ())]),
        (cwi(marks=4), {}, "below_native"),
        (cwi(marks=4), {"min_native": 4}, [("licuefacción", ())]),
        (cwi("licuefacción de", end=18), {}, "phrase"),
        (cwi("licuefacción de", end=18), {"phrases": True}, [("licuefacción de", ())]),
        (cwi("La", 0, 2), {}, "capital"),
        (cwi("La", 0, 2), {"capitals": True}, [("La", ())]),
        (cwi(complexity="0.3"), {"min_complexity": 0.5}, "below_complexity"),
        (cwi(complexity="0.5"), {"min_complexity": 0.5}, [("licuefacción", ())]),
        (cwi(start=4, end=16), {}, [("licuefacción", ("wrong_place",))]),
        (cwi("nada", 3, 7), {}, [("", ("wrong_place",))]),
        (cwi(marks=11), {}, "malformed"),
        ("3KW\t" + SENTENCE + "\t3\t15\tlicuefacción", {}, "below_native"),
        ("3KW\t" + SENTENCE + "\t3\t15\tlicuefacción", {"min_native": 0}, [("licuefacción", ())]),
    ],
)
def test_words_of_cwi_2018_are_taken_by_the_rule_of_the_paper(line, rules, expected):
    # The first row of a file must be of the layout.
    assert read("cwi2018", cwi(marks=0), line, **rules)[1] == expected


def table(*lines, **rules):
    """Return sentence, target, source id, substitutes of each row of a table, or why it has none."""
    rows = ((number, line.split(";")) for number, line in enumerate(lines, 1))
    return [
        row.reason
        if isinstance(row, BadRecord)
        else [(one.target, one.source_id, [(word.text, word.annotators) for word in one.substitutes]) for one in row]
        for _, row in READERS["text"].read(rows, About("f.csv"), RuleOptions(**rules))
    ]


def test_columns_of_a_table_are_named():
    lines = ("n;Palabra;oracion;sinonimos;otro", "7;mar;El mar.;agua, oc\u00e9ano|agua;agua", "8;mar;El r\u00edo.;;")
    columns = ("sentence=Oracion", "target=palabra", "id=n", "substitutes=sinonimos", "substitutes=otro")
    expected = [[("mar", "7", [("agua", 3), ("oc\u00e9ano", 1)])], [("mar", "8", [])]]
    assert table(*lines, columns=columns) == expected
    numbers = ("sentence=3", "target=2", "id=1", "substitutes=4", "substitutes=5")
    assert table(*lines[1:], columns=numbers) == expected
    assert table("El [[mar]].;agua", columns=("sentence=1", "substitutes=2")) == [[("mar", None, [("agua", 1)])]]
    two = "El [[mar]] del [[mar]].;agua"
    assert table(two, columns=("sentence=1", "substitutes=2")) == ["malformed"]
    with pytest.raises(LexbeamError, match=r"no column 'frase' in the header; .* `columns`"):
        table(*lines, columns=("sentence=frase",))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("target=x",), "names no sentence"),
        (("sentence=a", "sentence=b"), "names sentence twice"),
        (("sentence=a", "word=b"), "'word=b' is no ROLE=COLUMN"),
        (("sentence=1", "target=word"), "all by numbers"),
        (("sentence=0",), "numbers from 1"),
    ],
)
def test_columns_that_contradict_are_told(columns, message):
    with pytest.raises(UsageError, match=message):
        from_mapping(RuleOptions, {"columns": columns})


def test_sentences_with_marks():
    assert read("text", "The [[old]] sea is [[ vast ]].", "none", "[[a", "a]] [[b]]", "[[]] x") == [
        [("old", ()), ("vast", ())],
        "no_target",
        "malformed",
        "malformed",
        "malformed",
    ]


def test_a_table_of_sentences():
    lines = [
        "id\tsentence\tstart\tend\ttarget",
        '7\tThe "old sea.\t5\t8\t',
        "8\tsea and sea\t\t\tsea",
        "9\tsea and [[sea]]",
        "9\tsea\t1\t9",
        "9\tsea\tx\t9",
        "9\tsea\t0\t2\tsea",
        "9\tsea\t1\t1",
    ]
    assert read("text", *lines) == [
        [("old", ())],
        [("sea", ("several",))],
        [("sea", ())],
        "malformed",
        "malformed",
        [("sea", ("wrong_place",))],
        "malformed",
    ]


def test_broken_rows_and_control_characters_are_rejects():
    bad = BadRecord("undecodable", "x")
    for layout in ("alexsis", "benchls", "text"):
        ((line, record),) = READERS[layout].read([(3, bad)], About("f"), RuleOptions())
        assert (line, record) == (3, bad)
    assert read("tsar", "a b\x00\tb") == ["control"]


def test_sentences_are_nfc_and_offsets_are_of_the_sentence_that_is_stored():
    raw = unicodedata.normalize("NFD", "  Él leyó el códice\u00ad antiguo.")
    start = raw.index("antiguo")
    for line in (f"{raw}\tantiguo\tviejo", f"{raw}\tANTIGUO"):
        ((_, rows),) = READERS["tsar"].read([(1, line.split("\t"))], About("f"), RuleOptions())
        ((sentence, target, begin, end, _),) = placed(rows[0], "first")
        assert sentence == "Él leyó el códice antiguo."
        assert sentence[begin:end] == target == "antiguo"
    rows = [(1, ["sentence", "start", "end"]), (2, [raw, str(start), str(start + 7)])]
    ((_, record),) = READERS["text"].read(rows, About("f"), RuleOptions())
    assert [instance[2:4] for instance in placed(record[0], "first")] == [(begin, end)]


def test_a_mark_within_brackets():
    (row,) = marked("He [[[sat]]] there.")
    assert (row.sentence, row.target, row.places) == ("He [sat] there.", "sat", ((4, 7),))


WORD = st.text("abcé", min_size=1, max_size=4)


@given(st.lists(st.tuples(WORD, st.booleans()), min_size=1, max_size=8))
def test_marks_say_where_targets_stand(words):
    line = " ".join(f"[[{word}]]" if mark else word for word, mark in words)
    if not any(mark for _, mark in words):
        with pytest.raises(BadRecord):
            marked(line)
        return
    rows = marked(line)
    assert {row.sentence for row in rows} == {" ".join(word for word, _ in words)}
    assert [row.sentence[slice(*row.places[0])] for row in rows] == [w for w, mark in words if mark]
    starts = [row.places[0][0] for row in rows]
    assert starts == sorted(set(starts))


@given(st.text("ab A.\u0301\u00ad", max_size=12), st.text("abA", max_size=2), st.text(max_size=5))
def test_any_row_is_instances_or_a_reject(sentence, target, extra):
    of_cwi = ["id", sentence, "1", "2", target, "9", "0", "9", "0", "1", "1"]
    few = [[sentence, target, extra], [sentence], [sentence, target, "1", "2:b"]]
    for layout in READERS:
        for cells in [of_cwi] if layout == "cwi2018" else few:
            records = list(READERS[layout].read([(1, list(cells))], About("f"), RuleOptions()))
            assert len(records) == ("sentence" not in cells)
            for _, rows in records:
                for row in [] if isinstance(rows, BadRecord) else rows:
                    for instance in placed(row, "all") if row.places else ():
                        assert instance[0] == instance[0].strip()
                        assert instance[0][instance[2] : instance[3]] == instance[1] != ""


def test_occurrences():
    row = BenchmarkInstance(" sea and sea", "sea", ((1, 4), (9, 12)))
    assert [instance[2] for instance in placed(row, "first")] == [0]
    assert [instance[2] for instance in placed(row, "all")] == [0, 8]
    with pytest.raises(BadRecord) as caught:
        list(placed(row, "reject"))
    assert caught.value.reason == "several"
    with pytest.raises(BadRecord) as caught:
        list(placed(row._replace(places=()), "first"))
    assert caught.value.reason == "not_in_sentence"


def test_ids_are_of_sentence_target_and_start():
    base = instance_id("a sea, a sea", "sea", 2)
    assert len(base) == 32
    assert int(base, 16) >= 0
    others = {
        instance_id("a sea, a sea", "sea", 9),
        instance_id("a sea, a sea", "a", 2),
        instance_id("a sea,  a sea", "sea", 2),
    }
    assert base not in others
    assert len(others) == 3
    assert {name[:20] for name in others if name[:12] == base[:12]} >= {base[:20]}
    assert pair_key("a  sea, a sea", "sea") == base[:20]


@pytest.mark.data
def test_cwi_2018_has_520_rows_and_510_pairs(data):
    folder = data / "cwi2018-es"
    if not folder.is_dir():
        pytest.skip("needs cwi2018-es")
    pairs = []
    for path in sorted(folder.glob("*.tsv")):
        lines = path.read_text("utf-8").splitlines()
        rows = enumerate((line.split("\t") for line in lines), 1)
        for _, record in READERS["cwi2018"].read(rows, About(path.name), RuleOptions()):
            if not isinstance(record, BadRecord):
                pairs += [(row.sentence, row.target) for row in record]
    assert (len(pairs), len(set(pairs))) == (520, 510)


def test_marks_that_are_not_closed_take_no_time():
    with ends(10), pytest.raises(BadRecord, match="not closed"):  # 4,000 characters took 23 ms, with the square of them
        marked("[[a" * 100_000)
    with pytest.raises(BadRecord, match="not closed"):
        marked("[[a [[b]] c")
