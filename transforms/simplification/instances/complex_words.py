"""Complex words of the complexity task: from its tables to rows of instances.

A part of `complexity/instances` becomes a staging file, as a file does. An instance is as complex as
its label says, or as a scorer predicts; both tables are sorted by the same ids, and are read along
with the instances.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.store.artefacts import Artefact, Stage
from lexbeam.transforms.common.store.receipts import checked
from lexbeam.transforms.common.store.tables import Part, RowsByKey, read_rows
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.formats.records.text_cleaning import clean_value
from lexbeam.transforms.intake.staging import Loaded
from lexbeam.transforms.simplification.instances.layouts import BenchmarkInstance, places_of
from lexbeam.transforms.simplification.instances.read_stage import InstanceReadOptions, staged_rows, staging_of
from lexbeam.transforms.simplification.records import ID, Row

LABEL = "label"
LAYOUT = "complexity"
_COLUMNS = (
    "instance_id",
    "token",
    "language",
    "sentence",
    "start",
    "end",
    "lemmas",
    "upos",
    "position",
    "tokens",
    "source",
    "source_id",
    "flags",
)
# Flags of complexity/instances, and what they are called here.
_FLAGS = {"within_word": "within_word", "several": "several", "wrong_offsets": "wrong_place"}


class ComplexPart(NamedTuple):
    """A part of `complexity/instances`, with the complexity of its instances.

    Attributes:
        name: of the part, for messages.
        part: the part.
        values: parts of `complexity/labels`, or of `complexity/predictions`.
        scorer: whose predictions the values are; `LABEL`: they are labels; None: there are none.
    """

    name: str
    part: Part
    values: tuple[Part, ...]
    scorer: str | None

    @property
    def size(self) -> int:
        """Bytes, for dealing out."""
        return self.part.bytes


def known_scorers(parts: Sequence[Part]) -> list[str]:
    """Return the scorers of `complexity/predictions`, sorted."""
    scorers: set[str] = set()
    for rows in read_rows([checked(part) for part in parts], ["scorer"]):
        scorers.update(pc.unique(rows["scorer"]).to_pylist())
    return sorted(scorers)


def _take(artefact: Artefact, task: ComplexPart, options: InstanceReadOptions) -> Loaded:
    """Read a part; the position of a record is its id there."""
    rules, languages = options.rules, (None, options.language)
    with staging_of(artefact, task.name) as staging:
        for number, (row, value) in enumerate(_with_values(task), 1):
            where = {"source": row["source"], "line": number, "position": row[ID], **_annotation(row)}
            try:
                if rules.min_complexity is not None:
                    if value is None:
                        raise BadRecord("no_complexity", f"no {task.scorer} of it")
                    if value < rules.min_complexity:
                        raise BadRecord("below_complexity", f"its complexity is {value:g}")
                record = _row(row, value, options.occurrences)
                if rules.min_complexity is not None:
                    record = record._replace(chosen_by="complexity", chosen_value=value)
                staging.add(staged_rows([record], options.occurrences, languages, **where))
                staging.tally[LAYOUT] += 1
            except BadRecord as error:
                staging.reject(row["source"], row[ID], error)
    return staging.loaded(size=task.part.bytes)


def _with_values(task: ComplexPart) -> Iterator[tuple[Row, float | None]]:
    """Yield the instances of a part, each with its complexity; both are in the order of ids."""
    of, name, value = ("group", "", "complexity")  # labels for all annotators, or a scorer's predictions
    if task.scorer != LABEL:
        of, name, value = ("scorer", str(task.scorer), "prediction")

    def valued(rows: pa.Table) -> Any:
        return pc.and_(pc.equal(rows[of], name), pc.is_valid(rows[value]))

    values = RowsByKey(task.values, [ID, of, value], ID, keep=valued)
    for rows in read_rows([checked(task.part)], list(_COLUMNS)):
        for row in rows.to_pylist():
            yield row, next((entry[value] for entry in values.of(row[ID])), None)


def _row(row: Row, complexity: float | None, occurrences: str) -> BenchmarkInstance:
    if row["sentence"] is None:
        raise BadRecord("no_sentence", f"{row['token'][:60]!r} is a word of a list")
    sentence, token = clean_value(row["sentence"]), row["token"]
    flags = [_FLAGS[flag] for flag in row["flags"] if flag in _FLAGS]
    anew = "several" in flags and occurrences != "first"  # the first one is what the table has
    if row["start"] is None or anew:
        places, place_flags = places_of(sentence, token)
        flags += place_flags
    else:
        places = [(row["start"], row["end"])]
    return BenchmarkInstance(
        sentence, token, tuple(places), (), tuple(flags), row["source_id"], complexity, row["language"]
    )


def _annotation(row: Row) -> dict[str, str | None]:
    """Return the table's annotation of the one token that covers the target."""
    place = row["position"]
    if place is None or row["tokens"] != 1:
        return {}
    lemma, upos = (row[name][place] if row[name] else None for name in ("lemmas", "upos"))
    return {"lemma": lemma.lower() if lemma else None, "upos": upos}


TAKE: Stage[ComplexPart, InstanceReadOptions, Loaded] = Stage(
    name="simplification/take", noun="intake", receipt=Loaded, build=_take, unit="parts"
)
