"""Inputs that each command works with, as small as they may be, and the options that take them."""

from itertools import product
from pathlib import Path

from asked import SYNSETS
from edges_making import required_of
from instances_made import instance
from instances_made import publish as publish_instances
from questioned import publish as publish_questions
from questioned import question
from scored import publish, tables
from small_runs import SLICES, SMALL
from wordnet_making import write_wordnet

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame.registry import load
from lexbeam.transforms.common.options.fields import options_of

GOLD = "word\tbinary\tgraded\nsea\t1\t0.5\nship\t0\t0.1\nland\t1\t0.7\n"
PAIRS = '{"passage": "The dogs stay in the house.", "summary": "An animal is at home."}\n'
ASKED = "".join(
    f'{{"article": "Dogs of house {n}.", "question": "The @placeholder stays.", "label": {n}, '
    '"option_0": "fear", "option_1": "hope", "option_2": "trust", "option_3": "doubt", '
    '"option_4": "peace"}\n'
    for n in range(5)
)
QUESTION = (
    '{"article": "The dogs stay.", "question": "A @placeholder is at home.", "option_0": "sea", '
    '"option_1": "land", "option_2": "ship", "option_3": "dogs", "option_4": "way", "label": 1}\n'
)
CONFIG = """\
corpus:
  inputs: [texts]
  engine: builtin:en
  format: text
  dates: 'name:^(\\d+)'
"""


def make_inputs(folder):
    """Make in a folder what commands take, beside texts and what is published of them."""
    (folder / "gold.tsv").write_text(GOLD)
    (folder / "words.tsv").write_text(GOLD)
    (folder / "c.yaml").write_text(CONFIG)
    (folder / "scores.csv").write_text("a,0.1\nb,0.5\nc,0.3\n")
    publish(folder / "scored", tables(singles=24, expressions=0))
    rated = (f"{a}{b}ing\t{n}" for n, (a, b) in enumerate(product("bdfglm", "aeiou"), 1))
    (folder / "rated.tsv").write_text("word\tvalue\n" + "\n".join(rated) + "\n")
    write_wordnet(folder / "wordnet", SYNSETS, index_sense=False)
    (folder / "pairs.jsonl").write_text(PAIRS * 3)
    (folder / "questions.jsonl").write_text(QUESTION * 3)
    (folder / "labels.csv").write_text("0,1\n1,0\n2,4\n")
    (folder / "passage.txt").write_text("The dogs stay in the house.")
    (folder / "summary.txt").write_text("An animal is at home.")
    words = ["--layout", "jsonl", "--engine", "builtin:en", "--out", str(folder / "pairs")]
    assert main(["cloze", "pairs", str(folder / "pairs.jsonl"), *words]) == 0
    words = ["--kind", "nonspecificity", "--wordnet", str(folder / "wordnet")]
    words += ["--cache", str(folder / "cache"), "--overwrite"]
    assert main(["cloze", "candidates", str(folder / "pairs"), *words]) == 0
    words = ["--readers", "frequency", "--wordnet", str(folder / "wordnet")]
    words += ["--cache", str(folder / "cache"), "--overwrite"]
    assert main(["cloze", "options", str(folder / "pairs"), *words]) == 0
    (folder / "Task_1.jsonl").write_text(ASKED)
    words = ["--layout", "recam", "--engine", "builtin:en", "--out", str(folder / "recam")]
    assert main(["cloze", "pairs", str(folder / "Task_1.jsonl"), *words]) == 0
    publish_questions(folder / "asked", [question(number) for number in range(5)])
    (folder / "judged.tsv").write_text("The old sea.\told\taged\taged\tancient\n")
    (folder / "simpler.tsv").write_text("The old sea.\told\tancient\n")
    publish_instances(folder / "targets", [instance("A [[ship]] sails.", "ship", "NOUN")])
    (folder / "th.dat").write_text("UTF-8\nship|1\n-|boat\n")
    ranked = str(folder / "ranked")
    publish_instances(folder / "ranked", [instance("A [[ship]] sails.", "ship", "NOUN")])
    words = ["--thesaurus", str(folder / "th.dat"), "--cache", str(folder / "cache")]
    assert main(["simplify", "generate", ranked, *words]) == 0
    assert main(["simplify", "rank", ranked, "--ranker", "senses"]) == 0
    (folder / "marked.txt").write_text("The [[dogs]] stay at [[home]].\n")
    (folder / "letter.txt").write_text("The frigate sails.\n")
    (folder / "plain.yaml").write_text("plain: {ranker: senses}\n")
    (folder / "forms.tsv").write_text("cantar\tcanto\tV;IND;PRS;1;SG\n")
    (folder / "answers.csv").write_text(
        "question_id,annotator_id,answer\n" + "".join(f"{n:032x},anna,{n}\n" for n in range(4))
    )


def given_to(words, base):
    """Return the options that make a command work: those of ours, or any of the right type."""
    published = str(base / "published")
    known = {
        "corpus": {"inputs": str(base / "texts"), "engine": "builtin:en", "format": "text", "dates": "name:^(\\d+)"},
        "complexity select": {"corpora": published, "language": "en"},
        "change": {"corpora": published, **_pairs(SLICES), **_pairs(SMALL)},
        "evaluate change": {"folder": published, "gold": str(base / "gold.tsv"), "resamples": "10"},
        "complexity export": {"path": str(base / "scored"), "to": "sheet.tsv"},
        "complexity split": {"folder": str(base / "scored")},
        "complexity features": {"folder": str(base / "scored"), "use": "form"},
        "complexity score": {"folder": str(base / "scored"), "scorer": "ridge", "resamples": "10"},
        "evaluate complexity": {
            "gold": str(base / "scores.csv"),
            "resamples": "10",
            "predictions": str(base / "scores.csv"),
        },
        "evaluate cloze": {
            "gold": str(base / "questions.jsonl"),
            "resamples": "10",
            "predictions": str(base / "labels.csv"),
            "cache": "cache",
            "frequency": f"{base / 'words.tsv'}:word=word,value=graded",
        },
        "evaluate simplify": {
            "gold": str(base / "judged.tsv"),
            "resamples": "10",
            "predictions": str(base / "simpler.tsv"),
        },
        "lexicon look": {"resources": f"list={base / 'words.tsv'}:word=word,value=graded"},
        "cloze pairs": {"inputs": str(base / "texts"), "layout": "documents", "keep_rest": True},
        "cloze candidates": {
            "folder": str(base / "pairs"),
            "kind": "nonspecificity",
            "wordnet": str(base / "wordnet"),
            "cache": "cache",
        },
        "cloze explain": {
            "passage": str(base / "passage.txt"),
            "engine": "builtin:en",
            "summary": str(base / "summary.txt"),
            "cache": "cache",
            "wordnet": str(base / "wordnet"),
        },
        "cloze abstractness": {
            "ratings": f"{base / 'rated.tsv'}:word=word,value=value",
            "inputs": "ngrams",
            "estimator": "ridge",
            "resamples": "0",
        },
        "cloze options": {
            "folder": str(base / "pairs"),
            "readers": "frequency",
            "wordnet": str(base / "wordnet"),
            "cache": "cache",
        },
        "cloze questions": {"folder": str(base / "pairs")},
        "cloze answer": {
            "folder": str(base / "recam"),
            "asked": "targets",
            "resamples": "10",
            "folds": "2",
            "hidden": "2",
            "dim": "2",
            "epochs": "1",
        },
        "cloze export": {"path": str(base / "asked"), "to": "sheet.tsv"},
        "cloze annotate": {"folder": str(base / "asked"), "annotations": str(base / "answers.csv")},
        "simplify instances": {"inputs": str(base / "marked.txt"), "layout": "text", "language": "en"},
        "simplify train-inflector": {"inputs": str(base / "forms.tsv"), "language": "es"},
        "simplify text": {
            "inputs": str(base / "letter.txt"),
            "language": "en",
            "settings": str(base / "plain.yaml"),
            "setting": "plain",
            "thesaurus": str(base / "th.dat"),
            "cache": "cache",
        },
        "simplify generate": {"folder": str(base / "targets"), "cache": "cache", "thesaurus": str(base / "th.dat")},
        "simplify select": {"folder": str(base / "ranked"), "cache": "cache"},
        "simplify rank": {"folder": str(base / "ranked"), "ranker": "senses", "cache": "cache"},
        "simplify rewrite": {"folder": str(base / "ranked")},
        "init": {"inputs": str(base / "texts"), "overwrite": True},
        "run": {"config": str(base / "c.yaml")},
        "refresh": {"config": str(base / "c.yaml")},
        "stream": {"config": str(base / "c.yaml"), "runner_config": "direct"},
        "clean": {"path": "copy"},
        "sample": {"tokens": "30000"},
        **{name: {"path": published} for name in ("show", "report", "export", "status")},
    }
    cls = load(words).options
    found = {**required_of(words, cls, Path()), **known.get(words, {})}
    if "out" in options_of(cls):
        found["out"] = "out.html" if words == "report" else "out"
    return found


def _pairs(flags):
    return {flag.strip("-").replace("-", "_"): value for flag, value in zip(flags[::2], flags[1::2], strict=True)}


def flags_of(words, values):
    """Return the words of a command line for options of a command."""
    known = options_of(load(words).options)
    flags, last = [], []
    for name, value in values.items():
        if known[name].positional:
            last.append(value)
        elif known[name].type is not bool:
            flags.append(f"--{known[name].shown}={value}")
        elif value is True:
            flags.append(f"--{known[name].shown}")
    return [*flags, *last]
