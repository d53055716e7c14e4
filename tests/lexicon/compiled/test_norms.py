"""Every line of docs/reference/resources.md that names a file of the norms, against readings by pandas."""

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from kinds_opened import opened

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.compiled.list_options import SCALES
from lexbeam.transforms.lexicon.compiled.word_list import WORDS
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare

DOC = (Path(__file__).parents[3] / "docs" / "reference" / "resources.md").read_text("utf-8")
LINES = dict(line.split("=", 1) for line in re.findall(r"```\n(.*?)```", DOC, re.DOTALL)[0].splitlines())
TABLE = {
    cells[0]: cells
    for cells in (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in DOC.splitlines()
        if re.match(r"\| \w+ \| \d+ \|", line)
    )
}
# How pandas reads each file: its options, and the columns of word, value, sd and n.
PLAIN = {"keep_default_na": False, "dtype": str, "encoding": "utf-8", "quoting": 3}
READ = {
    "Concreteness_ratings_Brysbaert_et_al_BRM.txt": {"sep": "\t"},
    "subtlex-es.tsv.xz": {"sep": "\t", "skiprows": 16},
    **{f"{lang}_50k.txt": {"sep": " ", "header": None} for lang in ("de", "en", "es", "sv")},
}
COLUMNS = {
    "concreteness": [0, 2, 3, 5],
    "aoa": [0, 3, 4, 2],
    "prevalence": [0, 3, None, 2],
    "familiarity": [0, 1],
    "mrc_concreteness": [0, 2],
    "imageability": [0, 3],
    "subtitles": [0, 6],
    "contexts": [0, 8],
}


@pytest.fixture(scope="module")
def norms(data):
    folder = data / "norms"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    return folder


def by_pandas(path, name):
    """The rows of a file as text: word, value, sd, n."""
    frame = pd.read_csv(path, **PLAIN, **READ.get(path.name, {}))
    places = [*COLUMNS.get(name, [0, 1]), None, None][:4]
    found = pd.DataFrame(
        {
            column: frame.iloc[:, place] if place is not None else ""
            for column, place in zip(("word", "value", "sd", "n"), places, strict=True)
        }
    )
    numbers = ["value", "sd", "n"]
    found[numbers] = found[numbers].replace({"": None, "NA": None}).astype(float)
    return found


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", LINES)
def test_each_line_loads_what_pandas_reads(norms, name):
    spec = LINES[name].replace("norms/", f"{norms}/", 1)
    path = Path(spec.split(":word=")[0])
    found = opened(WORDS, spec)
    frame = by_pandas(path, name)
    rows = len(frame)
    if "min_n=1" in spec:
        frame = frame[frame["n"] >= 1]
    frame = frame[frame["value"].notna()]
    if "duplicates=sum" in spec:
        frame = frame.groupby("word", as_index=False, sort=False).agg({"value": "sum", "sd": "first", "n": "first"})
    if "factor=100" in spec:
        frame["value"] = (frame["value"] * 100).round(6)
    table = found.look_up(pa.array(frame["word"])).to_pandas()
    for column in ("value", "sd", "n"):
        expected = frame[column].astype(float).reset_index(drop=True)
        pd.testing.assert_series_equal(table[column], expected, check_names=False, rtol=0, atol=0)
    facts = found.facts
    low, high = (frame["value"].min(), frame["value"].max())
    assert (facts["rows"], facts["words"]) == (rows, len(frame))
    _, in_doc, words, left_out, scale = TABLE[name]
    assert (int(in_doc), int(words)) == (rows, len(frame))
    left = facts["without_value"] + facts["below_min_n"] + facts["merged"] + facts["without_word"]
    assert int(re.match(r"\d*", left_out)[0] or 0) == left == rows - len(frame)
    if "scale=" not in spec:
        assert found.scale == (low, high)
    shown = " to ".join(f"{end:.10g}" for end in found.scale)
    assert scale.startswith(shown + (", declared" if "scale=" in spec else ", read"))


@pytest.mark.data
def test_every_file_of_the_norms_has_a_line(norms):
    named = {Path(spec.split(":word=")[0]).name for spec in LINES.values()}
    there = {path.name for path in norms.rglob("*") if path.is_file()}
    assert there - {"mrc_README.txt"} == named


ERRORS = [
    line.strip() for line in DOC.split("### Errors")[1].split("\n## ")[0].splitlines() if line.startswith("    norms/")
]


@pytest.mark.data
@pytest.mark.parametrize(
    ("place", "spec"),
    [
        (0, "mrc.csv:word=WORD,value=conc"),
        (1, "mrc.csv:word=WORD,value=MEANP,factor=100,scale=100-700"),
        (3, "mrc.csv:word=2,value=1,header=yes"),
        (4, "subtlex-es.tsv.xz:word=word,value=count"),
    ],
)
def test_errors_of_the_doc_are_those_that_come(norms, place, spec):
    with pytest.raises(LexbeamError) as failed:
        opened(WORDS, f"{norms}/{spec}")
    _is_in_doc(failed.value, norms, place)


@pytest.mark.data
def test_a_well_known_list_on_another_scale_is_the_error_of_the_doc(norms, tmp_path):
    spec = f"concreteness={norms}/mrc.csv:word=WORD,value=CONC"
    with pytest.raises(LexbeamError) as failed:
        prepare(LexiconOptions(resources=(spec,), cache=str(tmp_path)))
    _is_in_doc(failed.value, norms, 2)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", sorted(LINES.keys() & SCALES.keys()))
def test_the_norms_at_hand_are_on_the_scales_of_their_names(norms, tmp_path, name):
    spec = re.sub(",scale=[^,]*", "", LINES[name]).replace("norms/", f"{norms}/", 1)
    (found,) = prepare(LexiconOptions(resources=(f"{name}={spec}",), cache=str(tmp_path))).held
    assert found.open().facts["declared"] is False


def _is_in_doc(error, norms, place):
    told = re.sub(r"^resource '\w+': ", "", str(error)).replace(f"{norms}/", "norms/")
    pieces = [re.escape(piece) for piece in ERRORS[place].split("...")]
    assert re.match(".*".join(pieces), told), told
