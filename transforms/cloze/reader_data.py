"""Questions of a kind and language as numbers that readers are trained on: from tables to arrays.

ENCODE    all parts of cloze/pairs and cloze/candidates -> Encoded: words, candidate words and their
          forms, questions, and the numbers of the words of passages and summaries

Words are compared in lower case. A summary has the placeholder where the answer stands. Candidate
words are the answers of all questions, whatever their fold, each in its most frequent spelling.
Passages are written as they come and mapped into memory by whoever trains.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from transforms.cloze.readers import PLACEHOLDER, RESERVED, UNKNOWN, Lists, Questions
from transforms.common.artefacts import Artefact, Stage
from transforms.common.draws import content_hashes
from transforms.common.errors import LexbeamError
from transforms.common.options import option
from transforms.common.receipts import File
from transforms.common.sound import checked
from transforms.common.tables import Part, read_rows, read_table, write_rows

__all__ = [
    "ASKED", "ENCODE", "EncodeOptions", "Encoded", "Group", "GroupTask", "asked_rows", "candidates",
    "flat", "language_is", "lists_of", "questions", "rows_of", "write_bounds", "write_passages",
]  # fmt: skip

ASKED = ("passed", "targets")

WORDS = pa.schema([("word", pa.large_string()), ("count", pa.int64())])
CANDIDATE_WORDS = pa.schema([
    ("word", pa.large_string()), ("key", pa.large_string()), ("lemma", pa.large_string()),
    ("upos", pa.large_string()), ("questions", pa.int64()), ("count", pa.int64()),
])  # fmt: skip
FORMS = pa.schema([
    ("lemma", pa.large_string()), ("upos", pa.large_string()), ("form", pa.large_string()),
    ("count", pa.int64()),
])  # fmt: skip
QUESTION_ROWS = pa.schema([
    ("question_id", pa.large_string()), ("article_id", pa.large_string()),
    ("form", pa.large_string()), ("upos", pa.large_string()), ("passage", pa.int64()),
    ("place", pa.int64()), ("answer", pa.int64()),
])  # fmt: skip
CANDIDATE_COLUMNS = (
    "question_id", "kind", "pair_id", "article_id", "token", "form", "lemma", "upos", "target",
    "passed",
)  # fmt: skip
_SIDES = ("summary", "passage")
_TEXTS = [f"{side}_{name}" for side in _SIDES for name in ("forms", "lemmas", "upos")]


@dataclass(frozen=True, kw_only=True)
class EncodeOptions:
    """Which questions readers see, and which words they know."""

    asked: str = option(
        "passed", help="what is asked: candidates that passed all filters, or targets that the "
        "files have", choices=ASKED,
    )  # fmt: skip
    min_answers: int = option(
        1, help="questions whose answer a word is, at least, for readers to name it", least=1
    )
    min_count: int = option(
        2, help="times that a word stands in texts, at least, to have an embedding", least=1
    )
    most_words: int = option(100_000, help="words with an embedding, at most", least=1)


class Group(NamedTuple):
    """Questions that are read together: of a kind and a language (empty: none is said)."""

    kind: str
    language: str


class GroupTask(NamedTuple):
    """A group, and the tables that it is in."""

    group: Group
    pairs: tuple[Part, ...]
    candidates: tuple[Part, ...]


@dataclass(frozen=True)
class Encoded:
    """Receipt of a group's questions as numbers.

    Attributes:
        words: table `WORDS`; the first has number `RESERVED`.
        candidates: table `CANDIDATE_WORDS`, in the order of `word`.
        forms: table `FORMS`, of the lemmas of candidates.
        questions: table `QUESTION_ROWS`, in the order of ids.
        passages: numbers of words, int32, and where each passage begins, int64.
        summaries: likewise, a question each.
        asked: questions.
        named: candidate words.
    """

    words: File
    candidates: File
    forms: File
    questions: File
    passages: tuple[File, File]
    summaries: tuple[File, File]
    asked: int
    named: int


def language_is(rows: pa.Table, language: str) -> pa.ChunkedArray:
    """Return which rows of `cloze/pairs` are of a language; empty: of none that is said."""
    return pc.equal(pc.fill_null(rows["language"], ""), language)


def asked_rows(rows: pa.Table, kind: str, asked: str) -> pa.Table:
    """Return the rows of `cloze/candidates` that are questions, see `EncodeOptions.asked`."""
    wanted = pc.and_(
        pc.equal(rows["kind"], kind), rows["passed" if asked == "passed" else "target"]
    )
    return rows.filter(wanted)


def questions(encoded: Encoded) -> Questions:
    """Return the questions of a group; texts are mapped into memory."""
    rows = read_table([checked(encoded.questions)])
    return Questions(
        passages=lists_of(encoded.passages),
        passage=_numbers(rows, "passage"),
        summaries=lists_of(encoded.summaries),
        places=_numbers(rows, "place"),
        answers=_numbers(rows, "answer"),
        keys=content_hashes(rows["question_id"]),
        articles=content_hashes(rows["article_id"]),
    )


def candidates(encoded: Encoded) -> pa.Table:
    """Return table `CANDIDATE_WORDS`."""
    return read_table([checked(encoded.candidates)]).combine_chunks()


def _numbers(rows: pa.Table, name: str) -> npt.NDArray[np.int64]:
    found: npt.NDArray[np.int64] = rows[name].to_numpy()
    return found


def lists_of(files: tuple[File, File]) -> Lists:
    """Return texts that were written, values mapped into memory."""
    values, bounds = (checked(file) for file in files)
    mapped: Any = np.zeros(0, np.int32)
    if files[0].bytes:  # nothing cannot be mapped
        mapped = np.memmap(values, "<i4", mode="r")
    return Lists(np.fromfile(bounds, "<i8"), mapped)


class _Counted(NamedTuple):
    words: Counter[str]
    forms: Counter[tuple[str, str, str]]  # lemma, part of speech, form
    asked: pa.Table


def _encode(artefact: Artefact, task: GroupTask, options: EncodeOptions) -> Encoded:
    counted = _count(task, options)
    words = sorted(
        ((-count, word) for word, count in counted.words.items() if count >= options.min_count)
    )[: options.most_words]
    ranked = _candidate_rows(counted, options.min_answers)
    lemmas = set(ranked["lemma"].to_pylist())
    known = sorted((*key, count) for key, count in counted.forms.items() if key[0] in lemmas)
    files = {
        ".words": pa.table([[word for _, word in words], [-n for n, _ in words]], schema=WORDS),
        ".candidates": ranked,
        ".forms": pa.table([list(column) for column in zip(*known, strict=True)] or [[]] * 4,
                           schema=FORMS),
    }  # fmt: skip
    values = pa.array([word for _, word in words], pa.large_string())
    passages, of_pair, summaries = write_passages(artefact, task, counted.asked, values)
    asked = counted.asked
    ids = asked["question_id"].to_pylist()
    answers = pc.index_in(pc.utf8_lower(asked["form"].cast(pa.large_string())), ranked["key"])
    files[".questions"] = pa.table(
        [
            asked["question_id"], asked["article_id"], asked["form"],
            pc.fill_null(asked["upos"], ""),
            pa.array([of_pair[pair] for pair in asked["pair_id"].to_pylist()], pa.int64()),
            asked["token"].cast(pa.int64()), pc.fill_null(answers.cast(pa.int64()), -1),
        ],
        names=QUESTION_ROWS.names,
    ).cast(QUESTION_ROWS)  # fmt: skip
    own = [summaries[name] for name in ids]
    with artefact.writing(".summaries") as stream:
        for text in own:
            stream.write(text.tobytes())
    write_bounds(artefact, ".summary_bounds", [len(text) for text in own])
    for suffix, table in files.items():
        with artefact.writing(suffix) as stream:
            write_rows(stream, table.schema, [table])
    return Encoded(
        words=artefact.file(".words"), candidates=artefact.file(".candidates"),
        forms=artefact.file(".forms"), questions=artefact.file(".questions"),
        passages=passages,
        summaries=(artefact.file(".summaries"), artefact.file(".summary_bounds")),
        asked=len(ids), named=ranked.num_rows,
    )  # fmt: skip


def rows_of(task: GroupTask, columns: Iterable[str]) -> Iterator[pa.Table]:
    """Yield the pairs of a group's language, with `pair_id` and other columns."""
    paths = [checked(part) for part in task.pairs]
    for rows in read_rows(paths, ["pair_id", "language", *columns]):
        yield rows.filter(language_is(rows, task.group.language)).combine_chunks()


def _count(task: GroupTask, options: EncodeOptions) -> _Counted:
    words: Counter[str] = Counter()
    forms: Counter[tuple[str, str, str]] = Counter()
    pairs = []
    for rows in rows_of(task, _TEXTS):
        pairs.append(rows["pair_id"])
        for side in _SIDES:
            form = pc.utf8_lower(flat(rows[f"{side}_forms"]))
            for entry in pc.value_counts(form).to_pylist():
                words[entry["values"]] += entry["counts"]
            whole = pc.is_valid(rows[f"{side}_lemmas"])
            some = rows.filter(pc.and_(whole, pc.is_valid(rows[f"{side}_upos"])))
            own = pa.table({
                "lemma": pc.utf8_lower(flat(some[f"{side}_lemmas"])),
                "upos": flat(some[f"{side}_upos"]),
                "form": pc.utf8_lower(flat(some[f"{side}_forms"])),
            })  # fmt: skip
            grouped = own.group_by(["lemma", "upos", "form"], use_threads=False)
            for entry in grouped.aggregate([([], "count_all")]).to_pylist():
                forms[entry["lemma"], entry["upos"], entry["form"]] += entry["count_all"]
    ids = pa.chunked_array([chunk for own in pairs for chunk in own.chunks], pa.string())
    found = []
    for rows in read_rows([checked(part) for part in task.candidates], list(CANDIDATE_COLUMNS)):
        rows = asked_rows(rows, task.group.kind, options.asked)
        found.append(rows.filter(pc.is_in(rows["pair_id"], ids)))
    if not found:
        raise LexbeamError("table cloze/candidates has no parts: make it anew")
    asked = pa.concat_tables(found).sort_by("question_id").combine_chunks()
    return _Counted(words, forms, asked)


def flat(lists: pa.ChunkedArray) -> pa.Array:
    """Return the texts of lists, one after the other."""
    return pc.list_flatten(lists.combine_chunks()).cast(pa.large_string())


def _candidate_rows(counted: _Counted, least: int) -> pa.Table:
    """Return table `CANDIDATE_WORDS`: of each key its commonest spelling, lemma and tag."""
    seen: dict[str, Counter[tuple[str, str, str]]] = {}
    for row in counted.asked.select(["form", "lemma", "upos"]).to_pylist():
        key = row["form"].lower()
        lemma = (row["lemma"] or row["form"]).lower()
        seen.setdefault(key, Counter())[row["form"], lemma, row["upos"] or ""] += 1
    rows = []
    for key, own in seen.items():
        total = sum(own.values())
        if total < least:
            continue
        form = _commonest({f: sum(n for (g, _, _), n in own.items() if g == f) for f, _, _ in own})
        lemma, upos = _commonest(
            {pair: sum(n for (_, *p), n in own.items() if tuple(p) == pair)
             for pair in {(le, up) for _, le, up in own}}
        )  # fmt: skip
        rows.append((form, key, lemma, upos, total, counted.words[key]))
    columns = [list(column) for column in zip(*sorted(rows), strict=True)] or [[]] * 6
    return pa.table(columns, schema=CANDIDATE_WORDS)


def _commonest(counts: Mapping[Any, int]) -> Any:
    return min(counts, key=lambda one: (-counts[one], one))


def write_passages(
    artefact: Artefact, task: GroupTask, asked: pa.Table, words: pa.Array
) -> tuple[tuple[File, File], dict[str, int], dict[str, npt.NDArray[np.int32]]]:
    """Write passages; return them, the place of each pair's, and summaries by question."""
    by_pair: dict[str, list[tuple[str, int]]] = {}
    for row in asked.select(["question_id", "pair_id", "token"]).to_pylist():
        by_pair.setdefault(row["pair_id"], []).append((row["question_id"], row["token"]))
    of_pair: dict[str, int] = {}
    summaries = {}
    lengths: list[int] = []
    with artefact.writing(".passages") as stream:
        for rows in rows_of(task, ["summary_forms", "passage_forms"]):
            rows = rows.filter(pc.is_in(rows["pair_id"], pa.array(list(by_pair), pa.string())))
            rows = rows.combine_chunks()
            sides = {side: _encoded(rows[f"{side}_forms"], words) for side in _SIDES}
            stream.write(sides["passage"].values.tobytes())
            lengths += np.diff(sides["passage"].bounds).tolist()
            bounds, values = sides["summary"]
            for row, pair in enumerate(rows["pair_id"].to_pylist()):
                of_pair[pair] = len(of_pair)
                for name, token in by_pair[pair]:
                    text = values[bounds[row] : bounds[row + 1]].copy()
                    text[token] = PLACEHOLDER
                    summaries[name] = text
    write_bounds(artefact, ".passage_bounds", lengths)
    return (artefact.file(".passages"), artefact.file(".passage_bounds")), of_pair, summaries


def _encoded(lists: pa.ChunkedArray, words: pa.Array) -> Lists:
    found = pc.index_in(pc.utf8_lower(flat(lists)), value_set=words).cast(pa.int64())
    numbers = pc.add(found, RESERVED).fill_null(UNKNOWN).to_numpy(zero_copy_only=False)
    lengths = pc.list_value_length(lists).to_numpy()
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Lists(bounds, numbers.astype("<i4"))


def write_bounds(artefact: Artefact, suffix: str, lengths: list[int]) -> None:
    """Write where texts of these lengths begin, and at last an end."""
    with artefact.writing(suffix) as stream:
        stream.write(np.concatenate([[0], np.cumsum(lengths)]).astype("<i8").tobytes())


def _identity(task: GroupTask, options: EncodeOptions) -> Any:
    return [
        list(task.group), [part.sha256 for part in task.pairs],
        [part.sha256 for part in task.candidates], options.asked, options.min_answers,
        options.min_count, options.most_words,
    ]  # fmt: skip


ENCODE: Stage[GroupTask, EncodeOptions, Encoded] = Stage(
    name="cloze/encode", receipt=Encoded, identity=_identity, build=_encode, unit="groups"
)
