"""What somebody writes in the first hour, by command line and in Python: taken as it is meant, or told what to do.

A case is a command, what it is given, and either what its message says, cause first, or what is then published.
"""

import operator
import re
import shlex
from functools import reduce

import pyarrow.parquet as pq
import pytest
from edges_making import is_readable
from small_runs import make_out, manifest

import lexbeam
from lexbeam.pipelines.cli import main

FRENCH = "Où est passé l'été ? Le garçon a mangé une crêpe près du théâtre."
FILES = {
    "words.csv": "word\nship\nsea\nland\nsailor\n",
    "gloss.csv": "word;gloss\nship;a vessel\nsea;a body of water\n",
    "glosses.tsv": "Lemma\tgloss\nship\ta vessel\nsea\ta body of water\n",
    "unnamed.csv": "vocabolo;glossa\nship;a vessel\nsea;a body of water\n",
    "line.txt": "ship, sea, land\n",
    "gold.csv": "word,graded\nship,0.5\nsea,0.1\nland,0.9\n",
    "gold.tsv": "word\tgraded\nship\t0.5\nsea\t0.1\nland\t0.9\n",
    "semicolons.csv": "Lemma;graded\nship;0.5\nsea;0.1\nland;0.9\n",
    "multils.tsv": "id\tlanguage\tsentence\ttoken\tcomplexity\n"
    "1\tenglish\tThe ship sails.\tship\t0.1\n2\tdeu\tDas Schiff fährt.\tSchiff\t0.2\n"
    "3\tEspañol\tEl barco sale.\tbarco\t0.3\n4\ten-GB\tThe sea is calm.\tsea\t0.4\n",
    "elvish.tsv": "language\tsentence\ttoken\tcomplexity\nelvish\tThe ship sails.\tship\t0.1\n",
    "ratings.tsv": "sentence\ttoken\tcomplexity\nThe ship sails.\tship\t4\nThe sea is calm.\tsea\t2.5\n",
    "scores.tsv": "id\tcomplexity\n1\t4\n2\t2\n",
    "pairs.csv": "text,abstract\nThe dogs stay in the house.,An animal is at home.\n",
    "pairs.jsonl": '{"passage": "Dogs stay in.", "summary": "An animal is in.", "language": "elvish"}\n',
}

# (case, command, its inputs, options, cause, remedy)
REFUSED = (
    ("dates=name", "corpus", ["texts"], {"dates": "name"}, "'name' is none of", r"write name:\(\\d\{4\}\)"),
    ("dates=field", "corpus", ["texts"], {"dates": "field"}, "'field' is none of", "write field:date"),
    ("dates=table", "corpus", ["texts"], {"dates": "table"}, "'table' is none of", "write table:dates.tsv:key="),
    ("dates=column", "corpus", ["texts"], {"dates": "created_at"}, "'created_at' is none", "field:created_at"),
    ("engine=english", "corpus", ["texts"], {"engine": "english"}, "engine 'english'", "did you mean 'builtin:en'"),
    ("engine=EN", "corpus", ["texts"], {"engine": "EN"}, "engine 'EN'", "did you mean 'builtin:en'"),
    ("engine=deutsch", "corpus", ["texts"], {"engine": "deutsch"}, "engine 'deutsch'", "did you mean 'builtin:de'"),
    ("engine=elvish", "corpus", ["texts"], {"engine": "builtin:Elvish"}, "language 'Elvish'", "languages: .* en "),
    ("engine=klingon", "corpus", ["texts"], {"engine": "builtin:Klingon"}, "language 'Klingon' ", "languages: .* en "),
    ("spacy:english", "corpus", ["texts"], {"engine": "spacy:english"}, "model 'english'", "download en_core_web_sm"),
    ("spacy:de", "corpus", ["texts"], {"engine": "spacy:de"}, "no spaCy model 'de'", "download de_core_news_sm"),
    ("language", "corpus", ["texts"], {"language": "espanol"}, "'espanol' is no language", "did you mean 'español'"),
    (
        "language of simplify",
        "simplify instances",
        ["marked.txt"],
        {"language": "englsh"},
        "'englsh' is no language",
        "write a code such as en.*did you mean 'english'",
    ),
    (
        "language of pairs",
        "cloze pairs",
        ["pairs.jsonl"],
        {"layout": "jsonl", "language": "xyz"},
        "'xyz' is no language",
        "write a code such as en",
    ),
    (
        "languages of features",
        "complexity features",
        ["."],
        {"languages": ["de", "germn"]},
        "languages: 'germn' is no language",
        "did you mean 'german'",
    ),
    (
        "language of a list",
        "lexicon look",
        ["sea"],
        {"resources": ["w=gold.tsv:word=word,value=graded,language=englsh"]},
        "'englsh' is no language",
        "did you mean 'english'",
    ),
    (
        "language of frequencies",
        "lexicon look",
        ["sea"],
        {"resources": ["w=wordfreq:englsh"]},
        "'englsh' is no language",
        "did you mean 'english'",
    ),
    (
        "language of a column",
        "complexity load",
        ["elvish.tsv"],
        {"layout": "tsv"},
        "language is 'elvish'",
        "no code such as en and no name such as English.*correct the rows",
    ),
    (
        "language of a record",
        "cloze pairs",
        ["pairs.jsonl"],
        {"layout": "jsonl"},
        "language is 'elvish'",
        "no code such as en and no name such as English.*Correct them",
    ),
    (
        "cp1252",
        "corpus",
        ["latin"],
        {"engine": "builtin:fr"},
        "undecodable, not utf-8: .*; it may be cp1252",
        "read by `encoding` utf-8,cp1252",
    ),
    (
        "cp1252 of a table",
        "complexity load",
        ["latin/a.tsv"],
        {"layout": "tsv"},
        "it may be cp1252",
        "read by `encoding` utf-8,cp1252",
    ),
    (
        "cp1252 of targets",
        "change",
        ["published"],
        {"slices": "1800-1849,1850-1900", "targets": "latin/a.tsv"},
        "not UTF-8 .*as cp1252 it reads 'garçon'",
        "save it as UTF-8",
    ),
    (
        "a table of targets",
        "change",
        ["published"],
        {"slices": "1800-1849,1850-1900", "targets": "unnamed.csv"},
        "a table of 2 columns, 'vocabolo', 'glossa'",
        "call it word in the first line, or give a file of one word a line",
    ),
    (
        "targets in a line",
        "change",
        ["published"],
        {"slices": "1800-1849,1850-1900", "targets": "line.txt"},
        "a table of 3 columns, 'ship', 'sea', 'land'",
        "give a file of one word a line",
    ),
    (
        "a table of words",
        "complexity load",
        ["unnamed.csv"],
        {"layout": "tsv"},
        "no column 'token' in the header; there are 'vocabolo', 'glossa'",
        "name the column of targets `token`",
    ),
    (
        "a table of words to leave alone",
        "simplify instances",
        ["marked.txt"],
        {"engine": "builtin:en", "protect": "unnamed.csv", "layout": "documents", "targets": "content"},
        "a table of 2 columns, 'vocabolo', 'glossa'",
        "call it word in the first line",
    ),
    (
        "centuries",
        "change",
        ["published"],
        {"slices": "1800s,1950s"},
        "'1800s' .*is not a span of years",
        "1800-1809 for the decade, 1800-1899 for the century",
    ),
    ("decades", "change", ["published"], {"slices": "1810s,1950s"}, "'1810s' in slices", "span of years: 1810-1819"),
    ("years with a word", "change", ["published"], {"slices": "1800 to 1849"}, "not a span", "perhaps 1800-1849"),
    (
        "a value beside results",
        "change",
        ["published"],
        {"slices": "1800-1849,1850-1900", "alignment": "prc"},
        "alignment cannot be 'prc'",
        "one of op, ",
    ),
    (
        "a slice beside results",
        "change",
        ["published"],
        {"slices": "1800-1849,1850-1900", "align_to": "frist"},
        "`align_to` 'frist': no such slice",
        "there are: previous, first, 1800-1849",
    ),
    (
        "years beside results",
        "change",
        ["published"],
        {"slices": "1600-1649,1850-1900"},
        "slice '1600-1649' has no document",
        "the corpus has the years 1810 to 1870",
    ),
    ("no slices", "change", ["published"], {}, "slices", "1810-1860,1960-2010"),
    ("no layout", "cloze pairs", ["pairs.csv"], {}, "layout", "tsv .*CSV.; `fields` names its columns, as in passage="),
    ("layout=csv", "cloze pairs", ["pairs.csv"], {"layout": "csv"}, "layout cannot be 'csv'", "did you mean 'tsv'"),
    (
        "columns of pairs",
        "cloze pairs",
        ["pairs.csv"],
        {"layout": "tsv"},
        "no column 'passage' in the header; there are text, abstract",
        "by `fields`, as in passage=article,summary=highlights",
    ),
    (
        "ratings",
        "complexity load",
        ["ratings.tsv"],
        {"layout": "tsv", "language": "en"},
        "complexity is '4', not a number 0 to 1",
        r"\(rating - 1\) / 4 of ratings 1 to 5",
    ),
    (
        "ratings as gold",
        "evaluate complexity",
        [],
        {"gold": "scores.tsv", "predictions": "scores.tsv"},
        "outside 0 to 1",
        r"\(rating - 1\) / 4",
    ),
)


def _section(name, *path):
    return lambda out: reduce(operator.getitem, path, manifest(out)[name])


def _column(table, name):
    return lambda out: pq.read_table(out / "current" / table)[name].to_pylist()


def _scores(out):
    rows = pq.read_table(out / "current" / "change/metrics").to_pylist()
    return sorted((row["metric"], row["words"] if "words" in row else row["n"]) for row in rows)


TWO = ["sea", "ship"]
SPOKEN = ("Deutsch", "deu", "en_US", "elvish")
SMALL = {"dim": 5, "epochs": 1, "min_count": 1, "min_sentence": 1}
# (case, command, its inputs, options, what is looked at, what it then is)
TAKEN = (
    ("builtin:EN", "corpus", ["texts"], {"engine": "builtin:EN"}, _section("corpus", "engine", "name"), "builtin:en"),
    (
        "builtin:english",
        "corpus",
        ["texts"],
        {"engine": "builtin:english"},
        _section("corpus", "engine", "name"),
        "builtin:en",
    ),
    (
        "language",
        "corpus",
        ["texts"],
        {"language": "Español", "engine": "builtin:en"},
        _section("corpus", "languages"),
        {"es": 4},
    ),
    (
        "a column of languages",
        "complexity load",
        ["multils.tsv"],
        {"layout": "tsv"},
        _column("complexity/instances", "language"),
        ["de", "en", "en-GB", "es"],
    ),
    (
        "four words",
        "complexity load",
        ["words.csv"],
        {"layout": "tsv", "language": "eng"},
        _column("complexity/instances", "token"),
        ["land", "sailor", "sea", "ship"],
    ),
    *(
        (
            f"words of {name}",
            "complexity load",
            [name],
            {"layout": "tsv", "language": "english"},
            _column("complexity/instances", "token"),
            TWO,
        )
        for name in ("gloss.csv", "glosses.tsv")
    ),
    *(
        (
            f"targets of {name}",
            "change",
            ["published"],
            {**SMALL, "slices": "1800-1849,1850-1900", "targets": name},
            _section("change", "targets"),
            ["land", "sailor", *TWO] if name == "words.csv" else TWO,
        )
        for name in ("words.csv", "gloss.csv")
    ),
)


@pytest.fixture
def folder(made_once, tmp_path, monkeypatch):
    out = made_once("small_out", make_out)
    (tmp_path / "texts").symlink_to(out.parent / "texts")
    (tmp_path / "published").symlink_to(out)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "marked.txt").write_text("The [[dogs]] stay at home.\n")
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "1840.txt").write_bytes(FRENCH.encode("cp1252"))
    (tmp_path / "latin" / "a.tsv").write_bytes("token\ngarçon\nété\n".encode("cp1252"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    return tmp_path


def _words(command, inputs, options):
    """Return the command line."""
    words = [*command.split(), *inputs]
    for name, value in options.items():
        values = value if isinstance(value, list) else [value]
        words += [word for item in values for word in (f"--{name.replace('_', '-')}", str(item))]
    return words


def _called(command, inputs, options):
    """Call the function of a command."""
    function = reduce(getattr, command.split(), lexbeam)
    return function(*([inputs] if len(inputs) > 1 else inputs), **options)


def _with_out(command, options):
    made_there = command in ("change", "complexity features", "lexicon look", "evaluate complexity")
    return options if made_there else {**options, "out": "made"}


def _wrong(told, cause, remedy):
    """Return what a message does not say, whichever way it names options."""
    remedy = re.sub("`([a-z_]+)`", r"(?:`\1`|--\1)", remedy)
    cause = re.sub("`([a-z_]+)`", lambda match: f"(?:`{match[1]}`|--{match[1].replace('_', '-')})", cause)
    return [part for part in (cause, remedy) if not re.search(part, told, re.DOTALL)]


@pytest.mark.parametrize(
    ("command", "inputs", "options", "cause", "remedy"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_first_mistake_is_told_with_its_cause_and_what_to_do(folder, capsys, command, inputs, options, cause, remedy):
    options = _with_out(command, options)
    words = _words(command, inputs, options)
    assert main(words) in (1, 2), shlex.join(words)
    told = capsys.readouterr().err
    assert is_readable(told)
    assert not _wrong(told, cause, remedy), told
    with pytest.raises((lexbeam.LexbeamError, TypeError)) as raised:
        _called(command, inputs, options)
    assert not _wrong(str(raised.value), cause, remedy), raised.value
    assert not re.search("(['`][^'`]+['`]).*did you mean \\1", told)  # what was written is no hint at what was meant
    assert not list(folder.glob("made/current"))


@pytest.mark.parametrize(
    ("command", "inputs", "options", "look", "expected"), [row[1:] for row in TAKEN], ids=[row[0] for row in TAKEN]
)
def test_what_is_plain_is_taken_as_it_is_meant(folder, capsys, command, inputs, options, look, expected):
    assert main(_words(command, inputs, {**options, "out": "made"})) == 0, capsys.readouterr().err
    found = look(folder / "made")
    assert (sorted(found) if isinstance(found, list) else found) == expected
    _called(command, inputs, {**options, "out": "again"})
    again = look(folder / "again")
    assert again == found


@pytest.mark.parametrize("name", ["gold.csv", "semicolons.csv"])
def test_gold_is_read_whatever_separates_its_columns(folder, capsys, name):
    for gold, out in (("gold.tsv", "tabs"), (name, "others")):
        assert main(["evaluate", "change", "published", "--gold", gold, "--out", out]) == 0, capsys.readouterr().err
    assert _scores(folder / "tabs") == _scores(folder / "others")
    assert max(number for _, number in _scores(folder / "others")) == 3


def test_the_first_line_of_a_list_that_is_taken_for_a_header_is_told(folder, caplog):
    words = ["--slices", "1800-1849,1850-1900", "--targets", "words.csv", "--out", "made", "--min-count", "1"]
    main(["change", "published", *words, "--dim", "5", "--epochs", "1", "--min-sentence", "1"])
    assert [row.getMessage() for row in caplog.records if "header" in row.getMessage()] == [
        "`targets` words.csv: the first line, 'word', is taken for the header"
    ]


def test_the_first_line_of_words_that_is_taken_for_a_header_is_told(folder, capsys):
    words = ["--layout", "tsv", "--language", "en", "--out", "made"]
    assert main(["complexity", "load", "words.csv", *words]) == 0
    assert "while reading: the first line 'word' taken for a header 1; see complexity/inputs" in capsys.readouterr().out


def test_a_language_of_documents_that_is_none_stays_and_is_named(folder, capsys):
    rows = [f'{{"text": "The ship sails {number}.", "language": "{name}"}}' for number, name in enumerate(SPOKEN)]
    (folder / "ships.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    assert main(["corpus", "ships.jsonl", "--engine", "builtin:en", "--out", "made"]) == 0
    assert manifest(folder / "made")["corpus"]["languages"] == {"de": 2, "elvish": 1, "en-US": 1}
    assert "no language is called 'elvish', as documents say" in capsys.readouterr().out
