"""What several rows of a word become, and what is asked by part of speech: against plain loops."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds_opened import opened

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled.word_list import WORDS, words_from

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "A", "b", "c d"]),
        st.integers(-3, 3).map(float),
        st.none() | st.integers(0, 2).map(float),
        st.none() | st.sampled_from(["NOUN", "VERB"]),
    ),
    min_size=1,
)
RULES = ("first", "last", "mean", "sum", "most")


def one(rows, rule):
    """Value and n of several rows, by a loop."""
    if not rows:
        return None, None
    known = [n for _, _, n, _ in rows if n is not None]
    if rule == "mean" and len(rows) > 1:
        return sum(row[1] for row in rows) / len(rows), sum(known) if known else None
    if rule == "sum" and len(rows) > 1:
        return sum(row[1] for row in rows), sum(known) if known else None
    most = max(rows, key=lambda row: -1 if row[2] is None else row[2])
    row = {"last": rows[-1], "most": most}.get(rule, rows[0])
    return row[1], row[2]


@settings(max_examples=40)
@given(ROWS, st.sampled_from(RULES), st.sampled_from(["keep", "lower"]))
def test_several_rows_of_a_word(rows, rule, case):
    def read(argument):
        names = ("word", "value", "n", "pos")
        types = (pa.string(), pa.float64(), pa.float64(), pa.string())
        return pa.table(
            {
                name: pa.array(column, type_)
                for name, column, type_ in zip(names, zip(*rows, strict=True), types, strict=True)
            }
        )

    found = opened(words_from(read, help="", duplicates=rule, case=case), "")
    form = str.lower if case == "lower" else str
    asked = [(w, p) for w in ("a", "A", "b", "c d", "x", None) for p in (None, "NOUN", "VERB", "X")]
    own = {}
    for word, pos in asked:
        some = [row for row in rows if word is not None and form(row[0]) == form(word)]
        own[word, pos] = one([r for r in some if pos is None or r[3] == pos], rule)
    tagged = any(row[3] for row in rows)
    alone = found.look_up(pa.array([word for word, _ in asked], pa.string())).to_pylist()
    assert [(row["value"], row["n"]) for row in alone] == [own[word, None] for word, _ in asked]
    both = found.look_up(
        pa.array([word for word, _ in asked], pa.string()), pa.array([pos for _, pos in asked], pa.string())
    ).to_pylist()
    expected = [own[word, pos if tagged else None] for word, pos in asked]
    assert [(row["value"], row["n"]) for row in both] == expected


def test_parts_of_speech_are_named_as_ours(tmp_path):
    path = tmp_path / "list.tsv"
    path.write_text("w\tp\tv\nRun\tVerb\t1\nrun\tnoun\t2\nrun\tadj\t3\nrun\tEx\t4\nrun\t#N/A\t5\n")
    found = opened(WORDS, f"{path}:word=w,value=v,pos=p,duplicates=first,case=lower")
    tags = pa.array(["VERB", "NOUN", "ADJ", "Ex", "ADV", None])
    assert found.look_up(pa.array(["RUN"] * 6), tags)["value"].to_pylist() == [1.0, 2.0, 3.0, 4.0, None, 1.0]
    for tag, told in {"n": 2, "Noun": 2, "NOUN": 2, "Ex": 4, "r": None, None: 1}.items():
        lines = dict(found.look("run", tag))
        assert lines == ({} if told is None else {"value": f"{told} (v, from 1 to 4)"})
    with pytest.raises(LexbeamError, match="several rows: 'run'"):
        opened(WORDS, f"{path}:word=w,value=v,pos=p,case=lower")


def test_capitals_of_tagged_words(tmp_path):
    path = tmp_path / "list.tsv"
    path.write_text("w\tp\tv\nRun\tVerb\t1\nPolish\tName\t2\npolish\tVerb\t3\n")
    found = opened(WORDS, f"{path}:word=w,value=v,pos=p")
    asked = [("run", "VERB"), ("RUN", "VERB"), ("Polish", "PROPN"), ("Polish", "VERB")]
    words, tags = (pa.array(column) for column in zip(*asked, strict=True))
    assert found.look_up(words, tags)["value"].to_pylist() == [1.0, 1.0, 2.0, 3.0]
    assert found.look_up(pa.array(["Polish", "polish", "POLISH"]))["value"].to_pylist() == [2.0, 3.0, 3.0]


@pytest.mark.parametrize("held", ["string", "large", "chunks", "codes", "slice", "empty"])
def test_words_may_be_held_in_any_way(tmp_path, held):
    path = tmp_path / "list.csv"
    path.write_text("w,v\nsea,1\nship,2\n")
    found = opened(WORDS, f"{path}:word=w,value=v")
    words = pa.array(["ship", None, "sea", "boat"])
    given = {
        "string": words,
        "large": words.cast(pa.large_string()),
        "chunks": pa.chunked_array([words[:1], words[1:]]),
        "codes": words.dictionary_encode(),
        "slice": pa.concat_arrays([pa.array(["boat"]), words])[1:],
        "empty": words[:0],
    }[held]
    expected = [] if held == "empty" else [2.0, None, 1.0, None]
    assert found.look_up(given)["value"].to_pylist() == expected


def test_a_person_is_told_of_one_word(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("w,v,s,n\nsea,1.5,.25,28787591\n")
    found = opened(WORDS, f"{path}:word=w,value=v,sd=s,n=n,scale=1-5")
    assert list(found.look("Sea")) == [
        ("value", "1.5 (v, from 1 to 5)"),
        ("standard deviation", "0.25"),
        ("people or uses", "28787591"),
    ]
    assert list(found.look("ship")) == []
