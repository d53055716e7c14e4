"""Write a sample corpus with planted sense changes, its truth, and a configuration that runs.

    lexbeam sample --out sample --tokens 300000 --seed 1
    lexbeam run sample/config.yaml

The folder then holds `corpus/` (plain text, one file a document, the year in front of its name),
`truth.tsv` (a row for each planted word and control) and `config.yaml`. What is in the corpus and
why is described in transforms/sample. The same size and seed give the same bytes.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pipelines.frame.command import Action, Command
from pipelines.progress.progress import counting
from transforms.common.code.fingerprints import parse_json
from transforms.common.errors import UsageError
from transforms.common.options.fields import option
from transforms.common.publish.layout import MARK
from transforms.common.publish.output_folders import check_output_folder
from transforms.common.store import files
from transforms.sample.corpus import SampleCorpus, design_corpus, read_documents
from transforms.sample.language import SLICES, YEARS
from transforms.sample.planting import TRUTH_COLUMNS, truth_row

__all__ = ["LEAST_TOKENS", "SAMPLE", "SampleOptions", "SampleSummary", "write_sample"]

LEAST_TOKENS = 30_000  # below, the rarest planted words would have fewer than ten uses
MOST_TOKENS = 1_000_000_000
PROMISE_TOKENS = 300_000  # from here on, each planted word has 80 uses or more in each slice

CONFIG = """\
# Made by `lexbeam sample --tokens {tokens} --seed {seed}`; run it with `lexbeam run`.
out: results
corpus:
  inputs: [corpus]
  format: text
  engine: builtin:en
  dates: "name:^(\\\\d{{4}})_"
change:
  slices: "{slices}"
  seeds: 3
  null: 3
"""


class SampleSummary(NamedTuple):
    """What was written: the folder, documents, words (full stops not counted), planted words."""

    out: str
    documents: int
    tokens: int
    planted: int
    controls: int


def _write_corpus(
    folder: Path, tokens: int, seed: int, progress: Callable[[int], object] | None
) -> tuple[SampleCorpus, int, int]:
    corpus = design_corpus(tokens=tokens, seed=seed)
    (folder / "corpus").mkdir(parents=True)
    documents = words = 0
    for document in read_documents(corpus):
        (folder / "corpus" / document.name).write_bytes(document.text.encode())
        documents += 1
        words += document.words
        if progress is not None:
            progress(document.words)
    return corpus, documents, words


def _written_files(target: Path) -> set[str]:
    """Return the files that an earlier sample wrote, by its record, or by their names without."""
    try:
        names = parse_json((target / MARK).read_bytes())["files"]
        return {str(name) for name in names if ".." not in name and not name.startswith("/")}
    except (OSError, ValueError, TypeError, KeyError):
        names = {name for name in ("truth.tsv", "config.yaml") if (target / name).is_file()}
        return names | {f"corpus/{path.name}" for path in target.glob("corpus/*.txt") if _DOCUMENT.fullmatch(path.name)}


_DOCUMENT = re.compile(r"\d{4}_\w+\.txt")


def _check_target(target: Path, out: str, overwrite: bool) -> None:
    check_output_folder(out)
    if not target.is_dir() or not any(target.iterdir()):
        return
    if not overwrite:
        raise UsageError(f"`out` {out!r} is not empty; name another folder, or give `overwrite`")
    written = _written_files(target)
    if not {"truth.tsv"} & written or not (target / "corpus").is_dir():
        raise UsageError(f"`out` {out!r} holds no sample to overwrite; name another folder")
    # The rest of the folder may be anybody's, but corpus/ is what a run reads.
    for path in [target / "corpus", *sorted(target.glob("corpus/**/*"))]:
        name = path.relative_to(target).as_posix()
        if path.is_symlink() or (name != "corpus" and name not in written):
            raise UsageError(f"`out` {out!r}: {name} is not part of the sample there; move it")


def _move(staging: Path, target: Path) -> None:
    """Put a sample in the place of an earlier one, whose files go; nothing else is touched."""
    if not target.exists():
        staging.replace(target)
        return
    new = {path.relative_to(staging).as_posix() for path in staging.rglob("*") if path.is_file()}
    old = _written_files(target)
    # Killed half-way, what is there of either sample is still known as a sample's.
    files.write_bytes(str(target / MARK), _record(old | new))
    for name in sorted(old - new):
        (target / name).unlink(missing_ok=True)
    (target / "corpus").mkdir(exist_ok=True)
    for name in sorted(new - {MARK}):
        (staging / name).replace(target / name)
    (staging / MARK).replace(target / MARK)


def _record(names: Iterable[str]) -> bytes:
    return json.dumps({"files": sorted(set(names) - {MARK})}, indent=1).encode()


def write_sample(
    out: str, *, tokens: int, seed: int, overwrite: bool = False, progress: Callable[[int], object] | None = None
) -> SampleSummary:
    """Write a corpus of `tokens` words, its truth and its configuration to the local folder `out`.

    From 300,000 words on, each planted word has at least 80 uses in each slice; below,
    proportionately fewer. `progress` is called with the number of words of each document written.

    The folder appears whole or not at all. With `overwrite` an earlier sample in it is replaced;
    what else is in the folder, such as what `lexbeam run` made, stays. Raises UsageError if
    `tokens` is under 30,000, if `seed` is negative, and if the folder holds something else, or
    anything without `overwrite`.
    """
    if tokens < LEAST_TOKENS:
        raise UsageError(
            f"`tokens` {tokens}: a sample corpus needs at least {LEAST_TOKENS} words, "
            f"{PROMISE_TOKENS} for 80 uses of each planted word in each slice"
        )
    if seed < 0:
        raise UsageError(f"`seed` {seed}: a seed is 0 or more")
    target = Path(os.path.abspath(out))
    _check_target(target, out, overwrite)
    staging = Path(files.temporary(str(target.with_name(f".{target.name}"))))
    try:
        corpus, documents, words = _write_corpus(staging, tokens, seed, progress)
        rows = [TRUTH_COLUMNS, *map(truth_row, corpus.planted)]
        truth = "".join("\t".join(row) + "\n" for row in rows)
        (staging / "truth.tsv").write_bytes(truth.encode())
        slices = ",".join(f"{name}={y}-{y + YEARS - 1}" for name, y in SLICES.items())
        config = CONFIG.format(tokens=tokens, seed=seed, slices=slices)
        (staging / "config.yaml").write_bytes(config.encode())
        written = [p.relative_to(staging).as_posix() for p in staging.rglob("*") if p.is_file()]
        (staging / MARK).write_bytes(_record(written))
        _move(staging, target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    controls = sum(planted.kind.startswith("control") for planted in corpus.planted)
    return SampleSummary(out, documents, words, len(corpus.planted) - controls, controls)


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """Options of `lexbeam sample`."""

    out: str = option(help="folder to write to", path="place")
    tokens: int = option(PROMISE_TOKENS, help="words of the corpus", most=MOST_TOKENS)
    seed: int = option(1, help="another seed gives another corpus")
    overwrite: bool = option(False, help="replace an earlier sample there")


def _sample(options: SampleOptions, action: Action) -> None:
    """Write the sample and say what it is."""
    with counting("sample", "words", options.tokens) as add:
        made = write_sample(
            options.out, tokens=options.tokens, seed=options.seed, overwrite=options.overwrite, progress=add
        )
    controls = f"{made.planted} words with a planted sense change and {made.controls} controls"
    place = files.shown(made.out)
    action.tell(f"{made.documents} documents, {made.tokens} words, {controls} in {place}")
    action.tell(f"run it: lexbeam run {os.path.join(place, 'config.yaml')}")


SAMPLE: Command[SampleOptions, None] = Command(
    options=SampleOptions, examples="  lexbeam sample --out sample --tokens 300000 --seed 1", action=_sample
)
