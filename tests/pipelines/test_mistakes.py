"""Mistakes that people make at the command line: each message names the cause, and what to do.

A row is a command line, run in a folder that `base` makes, what names the cause, what names the remedy, and the exit
code. Nothing is made by any of them.
"""

import re
import zipfile

import pytest
from asked import SYNSETS
from edges_making import is_readable
from instances_made import instance
from instances_made import publish as publish_instances
from questioned import publish as publish_questions
from questioned import question
from scored import publish, tables
from small_runs import make_out
from wordnet_making import write_wordnet

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import COMMANDS
from lexbeam.transforms.lexicon import resources

PAIRS = '{"passage": "The dogs stay in the house.", "summary": "An animal is at home."}\n'
YAML = {
    "tab": "out: r\ncorpus:\n\tinputs: [texts]\n",
    "quote": 'out: r\ncorpus:\n  inputs: ["texts]\n',
    "indent": "out: r\ncorpus:\n  inputs: [texts]\n   engine: builtin:en\n",
    "no_colon": "out: r\ncorpus:\n  inputs: [texts]\n  engine builtin:en\n  format: text\n",
    "two_colons": "out: r\ncorpus:\n  inputs: texts: more\n",
    "bracket": "out: r\ncorpus:\n  inputs: [texts\n  engine: builtin:en\n",
    "brace": "out: {r\n",
    "percent": "out: r\ncorpus:\n  dates: %Y\n",
    "star": "out: r\ncorpus:\n  inputs: *.txt\n",
    "escape": 'out: r\ncorpus:\n  dates: "name:(\\d+)"\n',
    "two": "out: r\n---\ncorpus: {}\n",
    "list": "out: r\ncorpus:\n  - inputs: texts\n",
    "section": "out: r\ncorpsu:\n  inputs: [texts]\n",
    "option": "out: r\ncorpus:\n  inputs: [texts]\n  engin: builtin:en\n",
    "nothing": "",
    "no_out": "corpus:\n  inputs: [texts]\n",
    "twice": "out: r\ncorpus:\n  inputs: [texts]\n  inputs: [b]\n",
    "no": "out: r\ncorpus:\n  inputs: [texts]\n  language: no\n",
    "word": "out: r\nchange:\n  slices: 1-2,3-4\n  dim: many\n",
    "no_slices": "out: r\nchange:\n  dim: 5\n",
    "show": "out: r\nshow:\n  path: x\n",
    "good": "out: r\ncorpus:\n  inputs: [texts]\n  engine: builtin:en\n  format: text\n",
}

# (command line, cause, remedy, exit code)
MISTAKES = (
    # names of commands and options
    ("chnage", "no command is called 'chnage'", "did you mean 'change'", 2),
    ("evalaute change", "no command is called 'evalaute'", "did you mean 'evaluate change'", 2),
    ("evaluate chnage", "`lexbeam evaluate` takes one of", "did you mean 'change'", 2),
    ("simplify", "takes one of", "instances, .*text .see lexbeam simplify --help", 2),
    ("corpus texts --oout o", "unknown option '--oout'", "did you mean '--out'", 2),
    ("corpus --input texts --out o", "unknown option '--input'", "INPUT stands without an option", 2),
    ("corpus texts -o o", "unknown option '-o'", "did you mean '--out'", 2),
    ("complexity load words.txt --fields a,b", "unknown option '--fields' .see", "lexbeam complexity load --help", 2),
    ("corpus texts more --out=o --nope", "unknown option '--nope'", "see lexbeam corpus --help", 2),
    ("export published --out o --tables nosuch", "'nosuch' belongs to no option", "--tables takes no value, leave", 2),
    # corpus
    ("corpus", "INPUT must be given", "files, folders or globs", 2),
    ("corpus texts", "--out must be given", "folder of the published tables", 2),
    ("corpus nosuch --out o", "no input files at '.*nosuch'", "check the path", 1),
    ("corpus hollow --out o", "no input files at '.*hollow'", "check the path", 1),
    ("corpus texts --out o --engine spcay:en", "unknown engine 'spcay'", "did you mean 'spacy'", 2),
    ("corpus texts --out o --engine en", "unknown engine 'en'", "did you mean 'builtin:en'", 2),
    ("corpus texts --out o --engine builtin:xx", "builtin has no language 'xx'", "languages: .* en ", 2),
    ("corpus texts --out o --engine builtin", "names no language", "write builtin:LANGUAGE", 2),
    ("corpus texts --out o --format docs", "--format cannot be 'docs'", "did you mean 'docx'", 2),
    ("corpus texts --out o --dates year:x", "'year:x' is none of", "name:REGEX, header.*FROM..TO$", 2),
    ("corpus texts --out o --dates 1800-1900", "'1800-1900' is none of", "did you mean '1800..1900'", 2),
    (r"corpus texts --out o --dates name:\d+", "has no group", "put the year in a group", 2),
    (r"corpus texts --out o --dates name:(\d+", "not a regular expression: missing [)]", "close the group", 2),
    ("corpus texts --out o --dates table:nosuch.tsv", "'table:nosuch.tsv' is not of the form", "table:FILE:key=", 2),
    ("corpus texts --out o --dates table:no.tsv:key=a,date=b", "no file is at '.*no.tsv'", "check the path", 2),
    ("corpus books --out o --format html", "office 1.*an e-book, not HTML", "epub by --format auto, convert others", 1),
    ("corpus texts --out o --encoding utf9", "no text encoding is called 'utf9'", "such as utf-8", 2),
    ("corpus latin --out o --engine builtin:de", "undecodable 1.*not utf-8", "name their --encoding", 1),
    ("corpus texts --out o --dates header", "no_date 4.*no date in the header", "another rule for --dates", 1),
    ("corpus azfs://b/x --out o", "paths azfs:// need the Python package azure", "pip install 'apache-beam.azure.'", 2),
    ("corpus texts --out azfs://b/x", "paths azfs:// need the Python package azure", "'apache-beam.azure.'", 2),
    ("corpus nosuch://x --out o", "no file system for 'nosuch://'", "there are azfs://, gs://, ", 1),
    ("corpus texts --out texts", "--out is the input folder", "give another --out", 2),
    ("corpus published --out o", "'published' is a folder of Lexbeam's tables", "name the files .*made from$", 2),
    ("corpus project --out o", "'project' holds '.*project/results', a folder of Lexbeam's", "what lies beside it", 2),
    ("corpus texts --out gold.tsv", "--out '.*gold.tsv' is a file", "give a folder", 2),
    ("corpus texts --out sealed/o", "--out '.*sealed/o' cannot be", "check the path|change the permissions", 2),
    ("corpus texts --out o --runner-config nosuch", "there is no 'nosuch'", "Lexbeam brings dataflow, direct, ", 2),
    (
        "corpus texts --out o -- --runner=DataflowRunner",
        "--out '.*o' is on this machine",
        "a place on an object store",
        2,
    ),
    ("corpus texts --out s3://b/o -- --runner=DataflowRunner", "'.*texts' is on this machine", "such as gs://", 2),
    ("corpus texts --out o -- --runner=FlinkRunner --flink_master=u:p@x:y", "http://x:y has no port", "HOST:PORT", 2),
    ("corpus texts --out o --parts many", "--parts: must be auto, or a number from 1 to 10000, not 'many'", "auto", 2),
    ("corpus texts --out o --layers mood", "--layers cannot be 'mood'", "one of xpos, ", 2),
    # change
    ("change", "--out must be given", "or CORPUS_DIR: folder of the published", 2),
    ("change texts --slices 1-2,3-4", "no corpus tables are published", "run `lexbeam corpus` first", 1),
    ("change published", "--slices must be given", "periods, .* 1810-1860,1960-2010", 2),
    ("change published --slices a-b", "'a-b' .*is not a span of years", "write FROM-TO", 2),
    ("change published --slices 1850-1800,1900-1950", "ends before it starts", "write the earlier year first", 2),
    (
        "change published --slices 1800-1849,1850-1900",
        "holds the published section change",
        "give --overwrite .*or another --out",
        2,
    ),
    ("change published --slices 1-2,3-4 --out o --alignment prc", "'prc'", "op", 2),
    ("change published --slices 1-2,3-4 --targets no.txt", "--targets: no file is at", "check the path", 2),
    ("evaluate change published", "gold must be given", "--gold, or --binary or --graded", 2),
    ("evaluate change published --gold no.tsv", "--gold: no file is at", "check the path", 2),
    (
        "evaluate change published --gold forms.tsv",
        "no column of words: it has 'cantar'",
        "name one as --word-column",
        2,
    ),
    ("evaluate change pairs --gold gold.tsv", "no change ", "`lexbeam change`", 1),
    # complexity
    (
        "complexity load gold.tsv --out o",
        "--layout must be given",
        "one of complex .CompLex.*, cwi2018 .*, tsv .a table",
        2,
    ),
    ("complexity load gold.tsv --out o --layout tvs", "--layout cannot be 'tvs'", "did you mean 'tsv'", 2),
    (
        "complexity load forms.tsv --out o --layout tsv",
        "no column 'token' in the header",
        "name the column of targets",
        1,
    ),
    ("complexity load scored --out o --layout tsv", "'scored' is a folder of Lexbeam's tables", "made from$", 2),
    (
        "complexity load prose.txt --out o --layout tsv",
        "no column 'token' in the header",
        "a running text is taken in by `lexbeam corpus`",
        1,
    ),
    ("complexity select scored --out o", "no corpus tables are published", "run `lexbeam corpus` first", 1),
    ("complexity select published --out o --patterns nuon", "'nuon'", "noun", 2),
    ("complexity export published --to x.tsv", "no table complexity/instances", "run `lexbeam complexity select`", 1),
    ("complexity export scored --to x.docx", "not '.*x.docx'", "NAME.tsv", 2),
    ("complexity aggregate scored", "--judgments must be given", "sheets that people filled in", 2),
    ("complexity aggregate scored --judgments no.tsv", "no input files at", "check the path", 1),
    ("complexity features published", "no table complexity/instances", "run `lexbeam complexity select`", 1),
    (
        "complexity features nosuch --use vectors",
        "needs --vectors",
        r"FILE.DIR \(static vectors.*: give it, or choose",
        2,
    ),
    ("complexity features gold.tsv", "'gold.tsv' is a file, no folder of tables", "made by `lexbeam complexity", 2),
    ("complexity features nosuch --use fomr", "--use cannot be 'fomr'", "did you mean 'form'", 2),
    ("complexity features nosuch --wordlist gold.tsv", "resource 'gold.tsv'", "NAME=FILE:word=COLUMN", 2),
    ("complexity features nosuch --wordnet no", "--wordnet: no file or folder is at", "check the path", 2),
    ("complexity split scored --shares 0.8", "'0.8' must be NAME=SHARE", "such as train=.85", 2),
    ("complexity score targets", "no table complexity/features", "run `lexbeam complexity features` first", 1),
    (
        "complexity score unlabelled",
        "no table complexity/labels is published",
        "complexity load`.* or give --model: the folder",
        1,
    ),
    ("complexity score scored --model no", "there is no model in .*no", "check the path", 1),
    ("complexity score scored --scorer svm", "--scorer cannot be 'svm'", "did you mean 'svr'", 2),
    (
        "evaluate complexity --gold gold.tsv",
        "--predictions must be given",
        "predicted complexity by id, as --gold has it",
        2,
    ),
    ("evaluate complexity --gold gold.tsv --predictions gold.tsv", "no column 'id'", "or give lines `id,score`", 2),
    ("lexicon look sea", "--resources must be given", "NAME=FILE:word=COLUMN,value=COLUMN, or NAME=wordnet", 2),
    ("lexicon look sea --resources w=wordnt", "does not say which column", "did you mean 'wordnet'", 2),
    ("lexicon look sea --resources w=wordnet:texts", "data.noun' is not there", "install Debian's packages", 1),
    ("lexicon look sea --resources w=gold.tsv:word=word,value=grade", "no column 'grade'", "did you mean 'graded'", 1),
    ("lexicon look sea --resources w=vectors:gold.tsv", "gold.tsv, line 1: no numbers", "name a file of vectors", 1),
    # cloze
    ("cloze pairs pairs.jsonl --out o", "--layout must be given", "tsv .*CSV.; --fields names its columns", 2),
    ("cloze pairs gold.tsv --out o --layout jsonl", "not JSON", "name another --layout", 1),
    ("cloze pairs pairs --out o --layout documents", "folder of Lexbeam's tables", "or give --layout corpus", 2),
    ("cloze abstractness --out m", "--ratings must be given", "FILE:word=COLUMN,value=COLUMN", 2),
    ("cloze abstractness --out m --ratings gold.tsv", "does not say which column", "FILE:word=COLUMN[^']*$", 2),
    ("cloze candidates pairs", "needs --abstractness", "`lexbeam cloze abstractness` makes, or another --kind", 2),
    ("cloze candidates pairs --kind nonspecificity", "nowhere/data.noun' is not there", "install Debian's packages", 1),
    ("cloze candidates pairs --kind nonspecificity --filters static", "needs --vectors", "static vectors.*give it", 2),
    ("cloze explain --summary forms.tsv", "--passage must be given", "a text in UTF-8", 2),
    ("cloze explain --passage no.txt --summary forms.tsv", "--passage: no file is at", "check the path", 2),
    ("cloze options pairs", "no table cloze/candidates", "`lexbeam cloze candidates`", 1),
    ("cloze questions pairs", "no table cloze/candidates", "run `lexbeam cloze candidates` first", 1),
    ("cloze export pairs --to x.tsv", "no table cloze/questions", "run `lexbeam cloze questions` first$", 1),
    ("cloze annotate asked", "--annotations must be given", "sheets that people filled in", 2),
    ("cloze answer hollow", "no table cloze/questions is published", "run `lexbeam cloze questions` first", 1),
    ("cloze answer pairs --systems gpt", "there is no system 'gpt'", "systems: ga5", 2),
    ("cloze answer pairs --systems frequency", "no system 'frequency'", "baselines are measured beside them", 2),
    ("evaluate cloze --predictions gold.tsv", "--gold must be given", "questions with their labels", 2),
    ("evaluate cloze --gold gold.tsv --predictions gold.tsv", "gold.tsv, line 1: .*not JSON", "name a file of", 2),
    # simplify
    ("simplify instances marked.txt --out o --layout txt", "--layout cannot be 'txt'", "did you mean 'text'", 2),
    ("simplify instances marked.txt --out o --layout text", "do not say it", "give --language", 2),
    ("simplify instances published --out o", "'published' is a folder of Lexbeam's tables", "made from$", 2),
    ("simplify train-inflector forms.tsv --out x", "--language must be given", "such as es", 2),
    ("simplify train-inflector gold.tsv --language es --out x", "no form dictionary", "name its --format, one of", 2),
    ("simplify generate targets", "needs --thesaurus", "MyThes files.*give it, or choose .*--generators", 2),
    ("simplify generate targets --generators wordnet", "needs --wordnet", "where Debian has them.*give it, or", 2),
    ("simplify generate targets --generators masked-lm --model texts", "is no encoder", "name the folder that", 2),
    (
        "simplify generate targets --thesaurus gold.tsv",
        "line 2 should be WORD and SIMPLER WORD",
        "repair it, or give another `format=`",
        1,
    ),
    ("simplify generate targets --settings tab.yaml", "line 3, column 1: a tab", "indent with spaces", 2),
    ("simplify select targets --filters pos", "needs --engine", "such as spacy:NAME: give it, or", 2),
    ("simplify rank targets", "needs --wordlist", "NAME=wordfreq:LANG.*give it, or choose otherwise by --ranker", 2),
    ("simplify text marked.txt --out o", "give an --engine", "spacy:NAME_OR_PATH, or stanza:LANG", 2),
    ("simplify text marked.txt --language en", "--out must be given", "the folder of the published tables", 2),
    ("simplify text marked.txt --language en --setting bald --out o", "'bald'", "did you mean 'bold'", 2),
    (
        "simplify rewrite targets",
        "no table simplification/candidates",
        "`lexbeam simplify generate` or `lexbeam simplify text` first",
        1,
    ),
    ("evaluate simplify --gold gold.tsv", "--predictions is missing", "both, --gold and --predictions", 2),
    # run
    ("run", "CONFIG.yaml must be given", "`lexbeam init` writes", 2),
    ("run nosuch.yaml", "cannot read nosuch.yaml: there is no such file", "check the path", 2),
    ("run texts", "cannot read texts: it is a folder", "name a file", 2),
    ("run project", "cannot read project: it is a folder", "name a file: project/config.yaml", 2),
    ("run tab.yaml", "line 3, column 1: a tab stands", "indent with spaces", 2),
    ("run quote.yaml", "line 3, column 12: the quote that opens here is not closed", "close it", 2),
    ("run indent.yaml", "line 4, column 4: the line is not indented as those before", "begin in the same column", 2),
    ("run no_colon.yaml", "line 4, column 3: the line is no `name: value`", "write a colon and a space", 2),
    ("run two_colons.yaml", "line 3, column 16: a colon makes this a name", "put a value .* in quotes", 2),
    ("run bracket.yaml", r"line 3, column 11: the bracket \[ .* is not closed", r"close it with \]", 2),
    ("run brace.yaml", "line 1, column 6: the bracket { .* is not closed", "close it with }", 2),
    ("run percent.yaml", "line 3, column 10: a value cannot begin with %", "put the value in quotes", 2),
    ("run star.yaml", r"line 3, column 11: \* or &", "put the value in quotes", 2),
    ("run escape.yaml", r"line 3, column 18: .*there is no \\d", "put the value in single quotes", 2),
    ("run two.yaml", "line 2, column 1: a line --- begins a second", "leave the line out", 2),
    ("run utf16.yaml", "is not YAML in UTF-8", "save it as UTF-8", 2),
    ("run list.yaml", "section corpus must be a mapping", "as `name: value`.* without a dash", 2),
    ("run section.yaml", "unknown key 'corpsu'", "did you mean 'corpus'", 2),
    ("run option.yaml", "option.yaml: corpus: unknown option engin", "did you mean 'engine'", 2),
    ("run nothing.yaml", "the file must have sections", "such as corpus, change", 2),
    ("run no_out.yaml", "folder of the tables must be given", "`out: DIR` in the file, or by the option --out", 2),
    ("run twice.yaml", "line 4: inputs is given twice", "leave one out", 2),
    ("run no.yaml", "language must be text, not False", "in quotes", 2),
    ("run word.yaml", "change: dim must be a whole number, not 'many'", "whole number", 2),
    ("run no_slices.yaml", "no_slices.yaml: change: slices must be given", "periods, .* 1810-1860", 2),
    ("run show.yaml", "unknown key 'show'", "`lexbeam show` .* is called by itself", 2),
    ("run good.yaml --only chnage", "has no section 'chnage'", "it has corpus", 2),
    # what looks at a folder
    ("show nosuch", "nothing is at '.*nosuch'", "check the path", 1),
    ("show hollow", "holds no published tables", "name the folder that a command published to", 1),
    ("show published/scoers", "nothing is at", "has the tables alignments, .*did you mean 'scores'", 1),
    ("show failed/cloze/rejects", "a run failed there", "failed/_failed/cloze.pairs-cloze-rejects.tsv what was", 1),
    ("show gold.tsv", "gold.tsv' is no Parquet file", "name a folder of published tables", 1),
    ("show published --tsv", "--tsv takes one table", "give published/TABLE, one of alignments", 2),
    ("show published --tsv --json", "two formats", "give one of them", 2),
    ("show unscored --hardest 3", "unscored has neither labels nor predictions", "makes labels; .* predict without", 2),
    ("show published --alignment op", "--alignment goes with --top", "add that", 2),
    ("show published --word", "--word needs a value", "W: scores, neighbours and uses of words", 2),
    ("show published --top 5 --alignment prc", "have no 'prc'", "there are op", 2),
    ("show published --word xyzzyq", "no word 'xyzzyq'", "give a lemma of the texts", 1),
    ("report nosuch", "nothing is published at", "check the path, or first run", 1),
    ("report published --out hollow", "hollow' is a folder", "name a file in it", 1),
    ("export published --out o", "--format|--tables", "give either --format, for vectors, or --tables", 2),
    ("export published --out o --format vecs", "--format cannot be 'vecs'", "one of word2vec, npy, tsv", 2),
    ("refresh none.yaml", "none.yaml", "check the path", 2),
    ("stream good.yaml --runner-config direct", "direct works stage after stage", "give flink_stream, .*refresh", 2),
    ("stream good.yaml --source fils", "no source is called 'fils'", "did you mean 'files'", 2),
    ("stream good.yaml --source lines:nowhere", "lines:nowhere", "give HOST:PORT .* or the path of a named pipe", 2),
    ("stream good.yaml --source lines:localhost:9 --landing o", "--landing 'o' lies in none", "add it to them", 2),
    ("stream good.yaml --window 5", "'5' is no duration", "such as 5m", 2),
    ("stream show.yaml", "show.yaml", "`lexbeam show` makes no tables", 2),
    ("history hollow", "nothing is published", "first run a command that publishes", 1),
    ("diff pairs", "keeps one snapshot", "`?--keep-snapshots`? and tags keep more", 2),
    ("tag pairs 123456 paper-v1", "no snapshot or tag '123456'", "its snapshots: [0-9a-f]{12}; its tags: none", 2),
    ("untag pairs paper-v1", "no tag 'paper-v1'", "its tags: none", 2),
    ("rollback pairs paper-v1", "no snapshot or tag 'paper-v1'", "its snapshots: [0-9a-f]{12}; its tags: none", 2),
    ("forget published nosuch.txt", "no document and no source is called 'nosuch.txt'", "shows ids and sources", 2),
    ("status hollow", "is not an output folder", "name the folder that a command published to", 1),
    ("clean texts", "is not an output folder", "name the folder that a command published to", 1),
    ("sample --out texts", "texts' is not empty", "name another folder, or give --overwrite", 2),
    ("sample --out o --tokens 5", "--tokens 5", "at least 30000", 2),
    ("init cfg", "INPUT must be given", "files, folders or globs", 2),
    ("init cfg published", "'published' is a folder of Lexbeam's tables", "name the files .*made from$", 2),
    ("init gold.tsv texts", "gold.tsv' is a file", "give a folder", 2),
)


@pytest.fixture
def base(made_once, tmp_path, monkeypatch):
    """A folder with texts, tables of some commands, and files that are not what they should be."""
    out = made_once("small_out", make_out)
    (tmp_path / "texts").symlink_to(out.parent / "texts")
    (tmp_path / "published").symlink_to(out)
    (tmp_path / "gold.tsv").write_text("word\tbinary\tgraded\nsea\t1\t0.5\nship\t0\t0.1\n")
    (tmp_path / "forms.tsv").write_text("cantar\tcanto\tV;IND;PRS;1;SG\n")
    (tmp_path / "marked.txt").write_text("The [[dogs]] stay at home.\n")
    (tmp_path / "pairs.jsonl").write_text(PAIRS)
    (tmp_path / "hollow").mkdir()
    (tmp_path / "books").mkdir()
    with zipfile.ZipFile(tmp_path / "books" / "1840.epub", "w") as book:
        book.writestr("mimetype", "application/epub+zip")
    (tmp_path / "prose.txt").write_text(
        "In the morning, when the sea was calm, she went out.\nNobody, not he, saw it.\n"
    )
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "config.yaml").write_text(YAML["good"])
    (tmp_path / "project" / "results").symlink_to(out)
    (tmp_path / "sealed").symlink_to("/proc")
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "1840.txt").write_bytes("Die Schönheit der Bücher.".encode("latin-1"))
    for name, text in YAML.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "utf16.yaml").write_bytes(YAML["good"].encode("utf-16"))
    made = tables(singles=24, expressions=0)
    publish(tmp_path / "scored", made)
    publish(tmp_path / "unlabelled", {name: rows for name, rows in made.items() if name != "labels"})
    publish(tmp_path / "unscored", {name: made[name] for name in made if name not in ("labels", "predictions")})
    publish_instances(tmp_path / "targets", [instance("A [[ship]] sails.", "ship", "NOUN")])
    publish_questions(tmp_path / "asked", [question(0)])
    write_wordnet(tmp_path / "wordnet", SYNSETS, index_sense=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(resources, "DEBIAN", str(tmp_path / "nowhere"))
    words = ["--layout", "jsonl", "--engine", "builtin:en", "--out", "pairs"]
    assert main(["cloze", "pairs", "pairs.jsonl", *words]) == 0
    assert main(["cloze", "pairs", "gold.tsv", "--layout", "jsonl", "--out", "failed"]) == 1
    return tmp_path


def test_every_mistake_is_told_with_its_cause_and_what_to_do(base, capsys):
    wrong = []
    for line, cause, remedy, code in MISTAKES:
        capsys.readouterr()
        actual = main(line.split())
        told = capsys.readouterr().err
        if actual != code or not is_readable(told):
            wrong.append((line, actual, told))
        wrong += [(line, part, told) for part in (cause, remedy) if not re.search(part, told, re.DOTALL)]
    assert not wrong, "\n\n".join("{}\n  {}\n  {}".format(*row) for row in wrong)


def test_mistakes_are_of_all_commands():
    lines = [line for line, *_ in MISTAKES]
    assert [words for words in COMMANDS if not any(f"{line} ".startswith(f"{words} ") for line in lines)] == []
    assert len(set(lines)) == len(lines) >= 60
