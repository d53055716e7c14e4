"""Folders of texts with a configuration, random changes of both, and refreshes beside runs of everything.

Each kind of world has sections of one task; together they have all that read files or a corpus by themselves.
"""

import itertools
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from small_runs import SMALL, call, published
from wordnet_making import Synset, write_wordnet

from lexbeam.pipelines.frame.registry import available
from lexbeam.transforms.common.code.code_identity import CodeIdentity
from lexbeam.transforms.common.publish.layout import read_record, snapshot_name
from lexbeam.transforms.common.publish.run_log import DRIVER, RunLine, read_run_log
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store import artefacts

ANY = ("--max-change", "1")  # a slice that was empty for some steps is behind by more than one
# Why a run of everything is an error: a slice has lost its last document.
REFUSED = ("has no document", "no document has a year")
KEPT = ("all", "used", "published")
WORDS = "ship sea captain sail wind harbour gold letter news king war".split()  # noqa: SIM905
YEARS = (1800, 1801, 1900, 1901)
Section = dict[str, Any]
Option = tuple[tuple[str, ...], tuple[Any, Any]]  # where it stands, and two values


def text_of(random_: random.Random) -> str:
    """Return a document of some sentences of few words."""
    return "\n\n".join(
        " ".join(random_.choices(WORDS, k=random_.randint(3, 9))).capitalize() + "."
        for _ in range(random_.randint(1, 4))
    )


def name_of(random_: random.Random) -> str:
    return f"{random_.choice(YEARS)}_{random_.randrange(10**6)}.txt"


def write_labelled(folder: Path, random_: random.Random) -> None:
    """Write a file of labelled instances, a few of them of words that other files have, too."""
    (folder / f"{random_.randrange(10**6)}.tsv").write_text(labelled(random_))


def labelled(random_: random.Random) -> str:
    rows = ["token\tcomplexity\tsentence"]
    for _ in range(random_.randint(3, 8)):
        token = random_.choice(WORDS) + random_.choice(["", "s"])
        rows.append(f"{token}\t{random_.random():.2f}\t{token} {' '.join(random_.sample(WORDS, 5))}")
    return "\n".join(rows) + "\n"


class Kind(NamedTuple):
    """A kind of world: its sections beside that of a corpus, and options that steps change.

    Attributes:
        sections: writes what they need into a folder; returns them.
        options: see `Option`.
        tables: some that must be there in the end.
        corpus: whether there is a section of a corpus.
        files: the folder of what it reads, texts or labelled files.
        texts: how many of each year there are in the beginning.
    """

    sections: Callable[[Path], Section]
    options: list[Option]
    tables: tuple[str, ...]
    corpus: bool = True
    files: str = "texts"
    texts: int = 1


def _training() -> Section:
    options = dict(zip((word.removeprefix("--") for word in SMALL[::2]), SMALL[1::2], strict=True))
    return {**options, "min-sentence": 1, "alignment": "op"}


def _change(folder: Path) -> Section:
    return {"change": {"slices": "1800-1801,1900-1901", **_training()}}


def _series(folder: Path) -> Section:
    ranked = {"rank-min-count": 2, "rank-min-documents": 1}
    return {"change": {"slices": "1800,1801,1900-1901", **_training(), "null": 3, **ranked}}


def _select(folder: Path) -> Section:
    select = {"quota": ["single=4"], "contexts": 2, "language": "en"}
    return {"complexity": {"select": select, "features": {"use": ["form"]}}}


def _load(folder: Path) -> Section:
    return {
        "complexity": {
            "load": {"inputs": "labelled", "layout": "tsv", "language": "en"},
            "split": {"shares": ["train=.6", "test=.4"]},
            "features": {"use": ["form"]},
            "score": {"scorer": "ridge", "ridge-alpha": 2, "folds": 3, "resamples": 0},
        }
    }


def _cloze(folder: Path) -> Section:
    things = [Synset("entity", "n", ["entity"], "what is")]
    things += [Synset(word, "n", [word], "a thing", pointers=[("@", "entity", 0, 0)]) for word in WORDS]
    write_wordnet(folder / "wordnet", things)
    files = {"wordnet": "wordnet", "cache": "cache"}
    return {
        "cloze": {
            "pairs": {"layout": "corpus"},
            "candidates": {"kind": ["nonspecificity"], "sense": "first", **files},
            "options": {"readers": ["frequency"], **files},
            "questions": {},
            "answer": {"systems": ["context"], "folds": 2, "resamples": 0},
        }
    }


def _thesaurus(folder: Path) -> str:
    others = [f"{word}|1\n-|{WORDS[n - 1]}|{WORDS[n - 2]}" for n, word in enumerate(WORDS)]
    (folder / "th.dat").write_text("\n".join(["UTF-8", *others, ""]))
    return "th.dat"


def _simplify(folder: Path) -> Section:
    return {
        "simplify": {
            "instances": {"targets": "content", "layout": "corpus"},
            "generate": {"generators": ["thesaurus"], "thesaurus": [_thesaurus(folder)]},
            "select": {},
            "rank": {"ranker": ["senses"], "cache": "cache"},
            "rewrite": {},
        }
    }


def _text(folder: Path) -> Section:
    (folder / "plain.yaml").write_text("plain: {ranker: senses}\n")
    how = {"settings": "plain.yaml", "setting": "plain", "thesaurus": [_thesaurus(folder)]}
    read = {"inputs": "texts", "engine": "builtin:en", "language": "en"}
    return {"simplify": {"text": {**read, **how, "zipf-below": 5, "cache": "cache"}}}


_CORPUS: list[Option] = [
    (("corpus", "about"), ("Ships.", "Ships and the sea.")),
    (("corpus", "exclude"), ([], ["1801_*"])),
    (("corpus", "duplicates"), ("reject", "keep")),
]
KINDS = {
    "change": Kind(
        _change,
        [*_CORPUS, (("change", "neighbours"), (10, 3)), (("change", "dim"), (5, 6)), (("change", "seeds"), (1, 2))],
        ("scores",),
    ),
    "series": Kind(
        _series,
        [_CORPUS[0], _CORPUS[2], (("change", "null"), (3, 4)), (("change", "pairs"), ("consecutive", "all"))],
        ("change/series",),
        texts=3,  # or a slice of a year would soon be empty
    ),
    "select": Kind(
        _select,
        [*_CORPUS, (("complexity", "select", "contexts"), (2, 1)), (("complexity", "select", "seed"), (1, 2))],
        ("complexity/features",),
    ),
    "load": Kind(
        _load,
        [
            (("complexity", "split", "shares"), (["train=.6", "test=.4"], ["train=.5", "test=.5"])),
            (("complexity", "score", "ridge-alpha"), (2, 3)),
        ],
        ("complexity/splits", "complexity/predictions"),
        corpus=False,
        files="labelled",
    ),
    "cloze": Kind(
        _cloze,
        [*_CORPUS, (("cloze", "questions", "seed"), (1, 2)), (("cloze", "answer", "folds"), (2, 3))],
        ("cloze/questions", "cloze/answers"),
        texts=4,
    ),
    "simplify": Kind(
        _simplify,
        [*_CORPUS, (("simplify", "rank", "ranker"), (["senses"], ["generation"]))],
        ("simplification/rankings", "simplification/simplifications"),
    ),
    "text": Kind(_text, [(("simplify", "text", "zipf-below"), (5, 4))], ("simplification/changes",), corpus=False),
}


def make_world(folder: Path, kind: str = "change") -> Path:
    """Write a folder of texts and a configuration of a kind; return the folder."""
    how = KINDS[kind]
    config: Section = {"parts": 2}
    files = folder / how.files
    files.mkdir()
    if how.files == "labelled":
        for seed in range(5):
            write_labelled(files, random.Random(seed))
    else:
        for year, number in itertools.product(YEARS, range(how.texts)):
            (files / f"{year}_{number}.txt").write_text(text_of(random.Random(f"{year} {number}")))
    if how.corpus:
        read = {"engine": "builtin:en", "dates": "name:^(\\d{4})_", "language": "en"}
        config["corpus"] = {"inputs": how.files, **read}
    if kind not in ("change", "series"):
        config["max-reject-share"] = 1
    (folder / "config.yaml").write_text(yaml.safe_dump(config | how.sections(folder)))
    return folder


def begun_world(made_once: Callable[..., Path], kind: str) -> Path:
    """Return a world of a kind with what was made of it, which tests share; that of change is dated by a table."""

    def make(folder: Path) -> Path:
        world = make_world(folder, kind)
        if kind == "change":
            date_by_table(world)
        assert refresh(world) == 0
        return world

    return made_once(f"refreshed {kind}", make)


def date_by_table(world: Path) -> None:
    """Let a table tell the dates of the texts."""
    tell_dates(random.Random(1), world / "texts")
    config = yaml.safe_load((world / "config.yaml").read_text())
    config |= {"max-reject-share": 1}
    config["corpus"]["dates"] = "table:dates.csv:key=name,date=date"
    (world / "config.yaml").write_text(yaml.safe_dump(config))


def refresh(world: Path, *words: str) -> int:
    return call("refresh", world / "config.yaml", "--out", world / "out", *words)


def rebuilt(world: Path) -> dict[str, bytes] | None:
    """Return what a run of everything in an empty folder publishes now; None if it is an error."""
    shutil.rmtree(world / "full", ignore_errors=True)
    done = call("run", world / "config.yaml", "--out", world / "full") == 0
    return published(world / "full") if done else None


def step(random_: random.Random, folder: Path, more: list[str] | None = None) -> str:
    """Change a folder of texts, or of labelled files, in one of the ways in which folders change, or in one more."""
    names = sorted(path.name for path in folder.iterdir())
    one = folder / random_.choice(names)
    dated = folder.name == "texts"
    content = text_of if dated else labelled

    def name() -> str:
        return name_of(random_) if dated else f"{random_.randrange(10**6)}.tsv"

    ways = ["added", "copied", "changed", "touched", "renamed", *["dated anew"] * dated, *(more or [])]
    way = random_.choice([*ways, *["removed"] * (len(names) > 4)])
    if way == "added":
        (folder / name()).write_text(content(random_))
    elif way == "copied":  # a duplicate, which may sort before the document that it is one of
        shutil.copyfile(one, folder / name())
    elif way == "changed":
        one.write_text(content(random_))
    elif way == "touched":
        one.touch()
    elif way == "renamed":
        one.rename(folder / name())
    elif way == "dated anew":
        one.rename(folder / f"{random_.choice(YEARS)}_{one.name.partition('_')[2]}")
    elif way == "corrected":
        tell_dates(random_, folder, one.name)
    elif way == "removed" and (not dated or sum(name[:2] == one.name[:2] for name in names) > 1):
        one.unlink()  # a slice without documents is an error
    return way


class Upgrade:
    """Other versions of Lexbeam, as far as they make stages otherwise: those whose code is another one at the moment.

    Args:
        patch: sets attributes for the time of a test.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._changed: set[Any] = set()
        real = artefacts._code

        def code(roots: tuple[Any, ...], entries: Any) -> CodeIdentity:
            found = real(roots, entries)
            return found._replace(code=found.code[::-1]) if roots[0] in self._changed else found

        patch.setattr(artefacts, "_code", code)

    def step(self, random_: random.Random, out: Path) -> None:
        """Change the code of one of the stages that a folder was made by, or change it back."""
        used = {stage for section in open_snapshot(str(out)).sections.values() for stage in section["stages"]}
        stages = {
            stage if isinstance(stage, type) else type(stage)
            for _, command in available()
            for stage in command.stages
            if stage.name in used
        }
        self._changed ^= {random_.choice(sorted(stages, key=attrgetter("__module__", "__qualname__")))}


def between(random_: random.Random, out: Path, upgrade: Upgrade) -> str:
    """Do to what is published something that people do between nights."""
    way = random_.choice(["cleaned", "cleaned", "rolled back", "upgraded", "nothing"])
    if way == "cleaned":
        assert call("clean", out) == 0
    elif way == "rolled back":
        assert call("rollback", out, random_.choice(read_record(str(out)).snapshots)) == 0
    elif way == "upgraded":
        upgrade.step(random_, out)
    return way


def configure(random_: random.Random, path: Path, options: list[Option]) -> None:
    """Give an option of one of the sections its other value."""
    config = yaml.safe_load(path.read_text())
    (*places, option), values = random_.choice(options)
    section = config
    for place in places:
        section = section[place]
    section[option] = values[section.get(option, values[0]) == values[0]]
    path.write_text(yaml.safe_dump(config))


def tell_dates(random_: random.Random, texts: Path, corrected: str | None = None) -> None:
    """Tell the dates of all files in a table, as their names have them but for some; correct that of one."""
    rows = {path.name: path.name.partition("_")[0] for path in texts.iterdir()}
    path = texts.parent / "dates.csv"
    if path.exists():
        rows |= dict(line.split(",") for line in path.read_text().split()[1:])
    if corrected:
        rows[corrected] = str(random_.choice(YEARS))
    path.write_text("\n".join(["name,date", *(",".join(row) for row in sorted(rows.items()))]) + "\n")


def receipts(out: Path) -> set[str]:
    """Return the artefacts of a folder, each with its stage."""
    return {str(path.relative_to(out / "_artefacts")) for path in out.glob("_artefacts/*/*/*.json")}


def planned(world: Path, capsys: Any, *words: str) -> dict[str, int | None]:
    """Return what the plan says of each stage: how many artefacts it makes; None: that follows from others."""
    lines = told(capsys, "refresh", world / "config.yaml", "--out", world / "out", "--dry-run", *words).splitlines()
    stages = [line.split(None, 1) for line in lines if re.match(r"  [a-z.]+/", line)]
    told_ = {stage: re.match(r"makes (\d+)|keeps all|makes what", said) for stage, said in stages}
    unsure = {stage for stage, said in stages if "makes what" in said or "; what is needed of" in said}
    return {stage: None if stage in unsure else int(said[1] or 0) for stage, said in told_.items()}


def run_log(out: Path) -> list[RunLine]:
    """Return what the stages of a folder have made last."""
    return [line for line in read_run_log(str(out)) if line.worker != DRIVER]


def check_plan(plan: dict[str, int | None], before: list[RunLine], after: list[RunLine], ways: object = "") -> None:
    """Check a plan against what has been made since."""
    made: Counter[str] = Counter()
    for line in after:
        if line not in before:  # those of stages that made nothing stand on
            made[line.stage] += line.elements
    assert {stage for stage in made if made[stage]} <= plan.keys() or not plan, (ways, made, plan)
    exact = {stage: number for stage, number in plan.items() if number is not None}
    other = {stage: (number, made[stage]) for stage, number in exact.items() if number != made[stage]}
    assert not other, (ways, other)


def check_steps(world: Path, kind: str, seed: int, steps: int, capsys: Any, patch: pytest.MonkeyPatch) -> None:
    """Take random steps, each with its plan, a refresh, and a run of everything to compare with."""
    random_, how, out = random.Random(seed), KINDS[kind], world / "out"
    folder = world / how.files
    more = ["configured"] * 2 + ["corrected"] * 2 * (world / "dates.csv").exists()
    upgrade = Upgrade(patch)
    for _ in range(steps):
        way = step(random_, folder, more)
        if way == "configured":
            configure(random_, world / "config.yaml", [*how.options, (("parts",), (2, 4))])
        if (world / "dates.csv").exists() and random_.random() < 0.8:  # else new files wait for a row of the table
            tell_dates(random_, folder)
        ways = (way, between(random_, out, upgrade) if out.exists() else "new", keep := random_.choice(KEPT))
        name = snapshot_name(str(out))
        capsys.readouterr()
        if (full := rebuilt(world)) is None:
            refused = errors(capsys)
            assert any(reason in refused for reason in REFUSED), refused
            assert refresh(world, *ANY) == 1
            assert errors(capsys) == refused
            assert snapshot_name(str(out)) == name
            continue
        if random_.random() < 0.2:
            assert call("run", world / "config.yaml", "--out", out, "--overwrite", "--keep", keep) == 0, ways
        else:
            plan, log = planned(world, capsys, *ANY), run_log(out)
            assert refresh(world, "--keep", keep, *ANY) == 0, ways
            check_plan(plan, log, run_log(out), ways)
        assert published(out) == full, ways
        if keep == "used" and snapshot_name(str(out)) != name:
            # How many units there are is kept from run to run, as long as it is about right.
            kept, whole = receipts(out), receipts(world / "full")
            other = {name.rpartition("/")[0] for name in kept ^ whole}
            assert other <= {"corpus/ingest", "corpus/annotate"}, (ways, sorted(kept - whole), sorted(whole - kept))


def errors(capsys: Any) -> str:
    return "\n".join(line for line in capsys.readouterr().err.splitlines() if line.startswith("lexbeam: "))


def told(capsys: Any, *words: str | Path) -> str:
    """Return what a command that succeeds prints."""
    capsys.readouterr()
    assert call(*words) == 0
    return capsys.readouterr().out
