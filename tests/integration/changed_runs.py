"""Runs that are cut off, changed and taken up: the grid of all options, and what it compares with.

    python -m tests.integration.changed_runs            # every change, after every stage

A run is cut off as if it had been killed after a stage: what later stages made is taken away. The
changed command then goes on with `resume`, and must publish the bytes, manifest included, of a
fresh run of the changed command in a new folder.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.frame import publishing
from lexbeam.pipelines.frame.registry import load
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.common.options.option import Option
from lexbeam.transforms.embeddings.trainers import TRAINERS

TEXT = "In {0} the ship sails over the sea, and the sailor sings of ship, land and sea {1} times."
TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>T</title>'
    "</titleStmt></fileDesc></teiHeader><text><front><p>Before the ship.</p></front>"
    "<body><p>The sea.</p></body><back><p>After the land.</p></back></text></TEI>"
)
BASE = {
    "corpus": {"engine": "builtin:en", "dates": "field:date", "max_reject_share": "1", "parts": "2"},
    "change": {
        "slices": "1800-1829,1830-1859,1860-1900",
        "dim": "4",
        "epochs": "1",
        "min_count": "1",
        "min_sentence": "2",
        "rank_min_count": "1",
        "rank_min_documents": "1",
        "neighbour_min_count": "1",
        "alignment": "op",
        "window": "2",
        "negative": "1",
        "null": "3",
    },
}
ROOT = Path(__file__).parents[2]


def can_train(trainer: str) -> bool:
    """Return whether a trainer works here: `fast` may not be compiled."""
    with suppress(UsageError):
        TRAINERS[trainer].check()
        return True
    return False


# What an option of free text is changed to; `None`: nothing can be changed, for the reason.
VALUES: dict[str, list[str] | None] = {
    "trainer": [name for name in TRAINERS if name != "gensim" and can_train(name)],
    "encoding": ["latin-1"],
    "fields": ["title=headline"],
    "text_field": ["other"],
    "json_path": ["x.y"],
    "delimiter": [";"],
    "columns": ["a,b"],
    "hyphen_words": None,  # tests/integration/test_odd_inputs.py changes a list of them
    "about": None,
    "prometheus": None,
    "openlineage": None,
    "exclude": ["*.csv"],
    "language": ["de"],
    "records": ["x[]"],
    "genre": ["letter"],
    "dates": ["name:(\\d+)", "1800..1900"],
    "engine": ["builtin:de"],
    "normalise": ["RULES"],
    "slices": ["1800-1859,1860-1900"],
    "targets": ["WORDS"],
    "system": ["freq,cs2020", "uwb,cs2020"],
    "systems": None,  # tests/integration/test_systems.py gives some
    "max_tokens": ["20"],
    "fit_on": ["top:3"],
    "align_to": ["previous", "1830-1859"],
    "sample": ["0.1"],
    "alpha": ["0.05"],
    "rcond": ["0.5"],
    "smoothing": ["0.5"],
    "shift": ["2"],
    "gamma": ["1"],
    "x_max": ["10"],
    "nonzero": ["2"],
    "reweight": ["1"],
    "threshold_sd": ["2"],
    "threshold_quantile": ["0.5"],
    "min_count": ["2", "2,1,1"],
    "seeds": ["2", "1,2"],
    "max_reject_share": ["0.9"],
    "parts": ["3"],
    # Not of what is made: where it goes, what becomes of the folder, and where it runs.
    "out": None,
    "resume": None,
    "overwrite": None,
    "fresh": None,
    "drop": None,
    "keep": None,
    "keep_snapshots": None,
    "keep_days": None,
    "on_publish": None,
    "keep_missing": None,  # tests/integration/test_refresh.py keeps what has gone
    "runner_config": None,
    "dry_run": None,
    "inputs": None,
    "corpora": None,
    "write_text": None,
    "layers": None,  # engine builtin has none; tests/integration/test_layers.py changes them
}


# Code that is changed: a stage's own, what it reaches, and what several stages reach.
CODE = [
    ("transforms/formats/ingest/ingestion.py", 'known("genre") or options.genre', '"code"'),
    ("transforms/formats/ingest/duplicates.py", "key if number == 0", "key if number == 9"),
    (
        "transforms/annotation/annotated_tables.py",
        '"genre", "language")}',
        '"language")} | {"genre": ["code"] * len(blocks)}',
    ),
    (
        "transforms/annotation/annotated_tables.py",
        "yield some\n            continue",
        "yield replace(some, rows=some.rows.take(np.arange(len(some.rows))[::-1]))\n            continue",
    ),
    ("transforms/common/store/tables.py", "GROUP_ROWS = 16_384", "GROUP_ROWS = 3"),
    ("transforms/change/view/view_and_downsampling.py", "+ np.uint64(1)) * GOLDEN", "+ np.uint64(2)) * GOLDEN"),
    ("transforms/change/view/counts.py", "(lengths > 0).sum()", "(lengths > 9).sum()"),
    ("transforms/change/spaces/training.py", "derive_seed(task.slice, task.seed)", "task.seed"),
    ("transforms/embeddings/procrustes_and_cca.py", "vt.T @ u.T", "-(vt.T @ u.T)"),
    ("transforms/change/scores/measures.py", "1.0 - distance, 0.0, 2.0", "1.0 - distance, 0.0, 0.5"),
    ("transforms/embeddings/neighbours.py", "cosines[order]", "cosines[order] / 2"),
    ("transforms/change/scores/null_deals.py", "deal {number} {attempt}", "code {number} {attempt}"),
    ("transforms/change/scores/null_evidence.py", "ndtr(-z)", "ndtr(z)"),
    ("transforms/change/scores/traces.py", "pairs.distances((0", "0.5 * pairs.distances((0"),
    ("transforms/change/scores/change_points.py", "(1.0 + larger)", "(2.0 + larger)"),
]


class Case(NamedTuple):
    """A change: its command, what it is called, options that are other, what is done to inputs."""

    command: str
    name: str
    options: dict[str, str]
    edit: str = ""


class Compared(NamedTuple):
    """How a fresh run of a case ended, what it published, and what is wrong with resumed ones."""

    code: int
    files: dict[str, bytes]
    wrong: list[str]


def changes() -> Iterator[Case]:
    """Yield a case for every other value of every option, and for every edit of the input.

    Raises:
        KeyError: `VALUES` says nothing of an option of free text.
    """
    for command, base in BASE.items():
        for name, entry in options_of(load(command).options).items():
            for value in _others(name, entry, base.get(name)):
                yield Case(command, f"{name}={value}", {name: value, **_chosen(command, entry)})
        for edit in EDITS:
            yield Case(command, edit, {}, edit)


def _others(name: str, entry: Option, base: str | None) -> list[str]:
    if name in VALUES:
        return VALUES[name] or []
    if entry.type is bool:
        return ["no" if entry.default else "yes"]
    if entry.choices:
        known = [value for value in _known(entry) if value != (base or entry.default)]
        return [",".join(known[:2])] if "tuple" in str(entry.type) else known
    if entry.type is int:
        return [str((int(base) if base else entry.default) + 1), str(max(entry.least or 0, 3))]
    raise KeyError(f"say in VALUES what option {name} is changed to")


def _chosen(command: str, entry: Option) -> dict[str, str]:
    """Return the choice without which an option is refused, and alignments that go with it; none where it is not."""
    registry, _, users = entry.of.partition("=")
    for name, other in options_of(load(command).options).items():
        if users and other.choices == registry and BASE[command].get(name, other.default) not in users.split(","):
            user = users.split(",")[-1]
            aligned = getattr(other.entries[user], "alignments", None)
            return {name: user, **({"alignment": ",".join(aligned)} if aligned else {})}
    return {}


def _taken(command: str, options: dict[str, str]) -> dict[str, str]:
    """Return the options of the base run but those of training, where a change takes vectors that are counted."""
    known, chosen = options_of(load(command).options), options.get("representation")
    of = {name: known[name].of.partition("REPRESENTATIONS=")[2] for name in BASE[command]}
    return {
        name: value
        for name, value in BASE[command].items()
        if not (chosen and of[name]) or chosen in of[name].split(",")
    }


def _known(entry: Option) -> list[str]:
    if isinstance(entry.choices, str):
        module, _, name = entry.choices.partition(":")
        return list(getattr(__import__(module, fromlist=[name]), name))
    return list(entry.choices)


def write_inputs(folder: Path) -> Path:
    """Write documents of several formats, so that the options of every reader matter."""
    folder.mkdir()
    rows = [
        {
            "date": str(1800 + 9 * n),
            "text": " ".join(TEXT.format(n, k) for k in range(3)),
            "other": f"Other sea {n}.",
            "title": f"T{n}",
            "headline": f"H{n}",
        }
        for n in range(10)
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[0]]))
    (folder / "b.csv").write_text('date;text,text\n1810,"A quoted ship, at sea."\n1870,Land.\n')
    (folder / "c.json").write_text(json.dumps([rows[3] | {"text": "Élan of the ship."}]))
    (folder / "d1850.xml").write_text(TEI)
    (folder / "e1860.txt").write_bytes("A café by the sea.".encode())
    return folder


def _same_size(folder: Path) -> None:
    path = folder / "a.jsonl"
    found = path.stat()
    path.write_text(path.read_text().replace("sailor", "seaman"))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def _more(folder: Path) -> None:
    (folder / "0.jsonl").write_text('{"date": "1805", "text": "One more ship on the sea."}\n')


def _less(folder: Path) -> None:
    (folder / "b.csv").unlink()


def _renamed(folder: Path) -> None:
    (folder / "b.csv").rename(folder / "z.csv")


def _swapped(folder: Path) -> None:
    (folder / "e1860.txt").rename(folder / "x")
    (folder / "d1850.xml").rename(folder / "e1860.txt")
    (folder / "x").rename(folder / "d1850.xml")


EDITS = {
    "same size and time": _same_size,
    "a file more": _more,
    "a file less": _less,
    "renamed": _renamed,
    "swapped": _swapped,
}


def published(out: Path) -> dict[str, bytes]:
    """Return the files of what is published, by name; empty where nothing is."""
    top = (out / "current").resolve()
    return {str(p.relative_to(top)): p.read_bytes() for p in sorted(top.rglob("*")) if p.is_file()}


class Grid:
    """Base runs of both commands, cut off before publication, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = {"RULES": folder / "rules.tsv", "WORDS": folder / "words.txt"}
        self.files["RULES"].write_text("lemma\tship\tboat\n")
        self.files["WORDS"].write_text("ship\nsea\n")
        self.texts = write_inputs(folder / "texts")
        self.stages = {name: [stage.name for stage in load(name).stages] for name in BASE}
        # Of equal corpora at two places, one is edited: what is read is told by content.
        self._corpus = {"": self._made_corpus("")}
        for command in BASE:
            with mock.patch.object(publishing, "publish", side_effect=RuntimeError("cut off")):
                assert self._run(command, folder / "base" / command, {}) == 1

    def _edited(self, edit: str) -> Path:
        if not edit:
            return self.texts
        folder = self.folder / "edited" / edit
        if not folder.is_dir():
            shutil.copytree(self.texts, folder)
            EDITS[edit](folder)
        return folder

    def _made_corpus(self, edit: str) -> Path:
        out = self.folder / "corpora" / (edit or "base")
        assert self._run("corpus", out, {}, edit) == 0
        return out

    def _run(
        self, command: str, out: Path, options: dict[str, str], edit: str = "", *more: str, source: Path | None = None
    ) -> int:
        if command == "corpus":
            reads = str(self._edited(edit))
        else:
            if edit not in self._corpus:
                self._corpus[edit] = self._made_corpus(edit)
            reads = str(self._corpus[edit])
        words = [command, reads, "--out", str(out), *more]
        for name, value in {**_taken(command, options), **options}.items():
            flag = name.replace("_", "-")
            value = str(self.files.get(value, value))
            if value in ("yes", "no"):
                words.append(f"--{flag}" if value == "yes" else f"--no-{flag}")
            else:
                words.append(f"--{flag}={value}")
        if source is not None:
            environment = {**os.environ, "PYTHONPATH": str(source)}
            line = [sys.executable, "-m", "lexbeam.pipelines.cli", *words]
            done = subprocess.run(line, env=environment, cwd=source, capture_output=True)
            return done.returncode
        with open(os.devnull, "w") as sink, redirect_stdout(sink), redirect_stderr(sink):
            return main(words)

    def compare_code(self, name: str, old: str, new: str) -> Generator[Compared]:
        """Compare runs of either command with code that is changed, each after all its stages."""
        source = self.folder / "source"
        for folder in ("lexbeam", "pipelines", "transforms", "schemas", "runner_configs"):
            if not (source / folder).is_dir():
                shutil.copytree(ROOT / folder, source / folder, symlinks=True)
        text = (ROOT / name).read_text("utf-8")
        assert old in text, name
        (source / name).write_text(text.replace(old, new), "utf-8")
        try:
            for command in BASE:
                with tempfile.TemporaryDirectory(dir=self.folder) as place:
                    fresh, out = Path(place) / "fresh", Path(place) / "out"
                    code = self._run(command, fresh, {}, source=source)
                    self.cut_off(command, out, self.stages[command][-1])
                    got = self._run(command, out, {}, "", "--resume", source=source)
                    same = got == code and published(out) == published(fresh)
                    wrong = [] if same else [f"{command}, {name}: ends {got}, other bytes"]
                    yield Compared(code, published(fresh), wrong)
        finally:
            (source / name).write_text(text, "utf-8")

    def cut_off(self, command: str, out: Path, stage: str) -> None:
        """Make `out` the folder of a base run that was cut off when `stage` was done."""
        shutil.copytree(self.folder / "base" / command, out, copy_function=os.link)
        stages = self.stages[command]
        for later in stages[stages.index(stage) + 1 :]:
            shutil.rmtree(out / "_artefacts" / later, ignore_errors=True)

    def compare(self, case: Case, stages: Sequence[str]) -> Compared:
        """Compare resumed runs of a case, cut off after each of `stages`, with a fresh one."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            fresh = Path(place) / "fresh"
            code = self._run(case.command, fresh, case.options, case.edit)
            wrong = []
            for number, stage in enumerate(stages):
                out = Path(place) / str(number)
                self.cut_off(case.command, out, stage)
                got = self._run(case.command, out, case.options, case.edit, "--resume")
                if got != code:
                    wrong.append(f"{case.command}, {case.name}, {stage}: ends {got}, not {code}")
                elif published(out) != published(fresh):
                    wrong.append(f"{case.command}, {case.name}, {stage}: other bytes")
            return Compared(code, published(fresh), wrong)


def _tables(files: dict[str, bytes]) -> set[str]:
    """Return the names of parts, which hold the digests of what is in them."""
    return {name for name in files if name.endswith(".parquet")}


def _every(folder: Path) -> int:
    grid = Grid(folder)
    base = {name: grid.compare(Case(name, "nothing", {}), grid.stages[name]) for name in BASE}
    wrong = [line for found in base.values() for line in found.wrong]
    cases = list(changes())
    runs = refused = other = 0
    for case in cases:
        stages = grid.stages[case.command]
        found = grid.compare(case, stages)
        runs, refused = runs + len(stages), refused + (found.code != 0)
        other += _tables(found.files) != _tables(base[case.command].files)
        wrong += found.wrong
        print(f"{case.command} {case.name}: ends {found.code}", *found.wrong, flush=True)
    print(f"{len(cases)} changes, {refused} of them refused, {other} that change tables")
    for edit in CODE:
        for command, changed in zip(BASE, grid.compare_code(*edit), strict=True):
            runs += 1
            wrong += changed.wrong
            told = "as before" if _tables(changed.files) == _tables(base[command].files) else "other"
            print(f"{command} {edit[0]}: ends {changed.code}, tables {told}", *changed.wrong)
    print(f"{runs} resumed runs, {len(wrong)} wrong", *wrong, sep="\n  ")
    return bool(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as top:
        sys.exit(_every(Path(top)))
