"""Rewriting: the sentence with the chosen word in the target's place.

If the sentence does not let the chosen word stand, the next one that is allowed is tried.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lexbeam.schemas.simplification import CANDIDATES, RANKINGS, SIMPLIFICATIONS
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.portions import batched
from lexbeam.transforms.common.store.artefacts import Artefact, Step
from lexbeam.transforms.common.store.inheriting import Mask, Read, write_inheriting
from lexbeam.transforms.common.store.receipts import File
from lexbeam.transforms.common.store.tables import PartFile
from lexbeam.transforms.inflection.models import InflectorReference, chosen_formats, inflector_for
from lexbeam.transforms.inflection.placing import cased_like
from lexbeam.transforms.simplification.records import (
    BATCH,
    ID,
    INSTANCE_COLUMNS,
    Instance,
    InstanceRows,
    JoinTask,
    Row,
    instance_rows,
)
from lexbeam.transforms.simplification.rewriting.agreeing_rewriting import (
    AGREEMENT,
    Offer,
    PlacedEdit,
    TargetChoice,
    edited,
    resolve,
)

_RANKED = ("setting", "ranker", "form", "is_target", "place", "score", "allowed", "chosen")
_GENERATED = ("setting", "form", "shown", "before", "reason")
_COUNTED = ("setting", "ranker", "reason")


@dataclass(frozen=True)
class RewrittenCount:
    """What became of the targets of a setting and a ranker: `changed`, or the reason why not."""

    setting: str
    ranker: str
    outcome: str
    instances: int


@dataclass(frozen=True)
class Rewritten:
    """Receipt of a part of the simplifications, with what each instance's were made from."""

    part: PartFile
    keys: File
    counts: tuple[RewrittenCount, ...]


def _offer(candidate: Row) -> Offer:
    return Offer(candidate["shown"] if candidate["shown"] is not None else candidate["form"], candidate["before"])


def _beside(instance: Instance, edits: Sequence[PlacedEdit]) -> tuple[str | None, list[str]]:
    """Return how the word before a target changes, and how words further away do."""
    article, further = None, []
    for edit in edits:
        was = instance.sentence[edit.start : edit.end]
        if not edit.beside or not edit.text:
            continue
        if edit.end <= instance.start and instance.before is not None and was.endswith(instance.before):
            # `de la` becomes `del`, whose article is `el`.
            becomes = edit.text if was == instance.before else cased_like("el", instance.before)
            article = f"{instance.before} {becomes}"
        else:
            further.append(f"{was} > {edit.text}")
    return article, further


@dataclass(frozen=True)
class RewriteSentences(Step[JoinTask, Rewritten]):
    """Put the chosen words of instances, candidates and rankings of one number into their sentences.

    Attributes:
        agreement: one of `agreeing_rewriting.AGREEMENT`.
        inflector: knows genders; None: nothing but the word before a target changes.
    """

    agreement: str = "move"
    inflector: InflectorReference | None = None

    name = "simplification/rewrite"
    noun = "rewritten sentences"
    unit = "parts"

    def make(self, artefact: Artefact, task: JoinTask) -> Rewritten:
        """Write a part of the simplifications."""
        columns = {RANKINGS.name: _RANKED, CANDIDATES.name: _GENERATED}
        counts: Counter[tuple[str, str, str]] = Counter()

        def made(wanted: Mask) -> Iterator[pa.Table]:
            for batch in batched(instance_rows(task, columns, wanted), BATCH):
                rows = [row for joined in batch for row in self.simplified(joined)]
                yield pa.Table.from_pylist(rows, SIMPLIFICATIONS.schema())

        def count(rows: pa.Table) -> None:
            for setting, ranker, reason in zip(*(rows[name].to_pylist() for name in _COUNTED), strict=True):
                counts[setting, ranker, reason or "changed"] += 1

        read = [Read([task.instances], INSTANCE_COLUMNS)]
        read += [Read([task.tables[name]], [ID, *names]) for name, names in columns.items()]
        part, keys = write_inheriting(artefact, SIMPLIFICATIONS.schema(), ID, SIMPLIFICATIONS.key, read, made, count)
        return Rewritten(part, keys, tuple(RewrittenCount(*key, counts[key]) for key in sorted(counts)))

    def chosen(self, _: JoinTask) -> Mapping[str, Sequence[str]]:
        """Return the format of the inflector."""
        return chosen_formats(self.inflector)

    def simplified(self, joined: InstanceRows) -> list[Row]:
        """Return the rows of an instance in table simplification/simplifications, by setting, ranker.

        Args:
            joined: the instance with its rows of rankings and candidates.
        """
        generated = {
            (row["setting"], row["form"]): row for row in joined.rows[CANDIDATES.name] if row["reason"] is None
        }
        ranked: dict[tuple[str, str], list[Row]] = {}
        for row in joined.rows[RANKINGS.name]:
            ranked.setdefault((row["setting"], row["ranker"]), []).append(row)
        return [self._simplified(joined.instance, key, ranked[key], generated) for key in sorted(ranked)]

    def _simplified(
        self, instance: Instance, key: tuple[str, str], rows: Sequence[Row], generated: Mapping[tuple[str, str], Row]
    ) -> Row:
        chosen = next(row for row in rows if row["chosen"])
        target = next(row for row in rows if row["is_target"])
        first = next((row for row in rows if row["place"] == 1), None) if chosen["is_target"] else chosen
        row = {
            "instance_id": instance.instance_id,
            "setting": key[0],
            "ranker": key[1],
            "chosen": instance.target,
            "form": None if first is None else first["form"],
            "changed": not chosen["is_target"],
            "reason": None,
            "score": None if first is None else first["score"],
            "target_score": target["score"],
            "article_change": None,
            "agreement": [],
            "refused": [],
            "sentence_out": instance.sentence,
        }
        if chosen["is_target"]:
            return {**row, "reason": "no_candidate" if first is None else "keep_target"}
        tried = sorted(
            (one for one in rows if one["allowed"] and not one["is_target"] and one["place"] >= chosen["place"]),
            key=lambda one: one["place"],
        )
        offers = [_offer(generated[key[0], one["form"]]) for one in tried]
        placed = TargetChoice(instance.start, instance.end, instance.upos, instance.feats, offers)
        inflector = inflector_for(self.inflector, instance.language)
        [resolved] = resolve(instance.sentence, [placed], instance.language, inflector, self.agreement)
        refused = [f"{one['form']} {why}" for one, why in zip(tried, resolved.refused, strict=False)]
        if resolved.chosen is None:
            return {**row, "changed": False, "reason": resolved.refused[0], "refused": refused}
        one = tried[resolved.chosen]
        article, agreement = _beside(instance, resolved.edits)
        return {
            **row,
            "chosen": offers[resolved.chosen].shown,
            "form": one["form"],
            "score": one["score"],
            "article_change": article,
            "agreement": agreement,
            "refused": refused,
            "sentence_out": edited(instance.sentence, resolved.edits),
        }


@dataclass(frozen=True, kw_only=True)
class RewritingOptions:
    """How sentences are rewritten."""

    agreement: str = option(
        "move",
        help="where a noun has another gender or number than the target: move what agrees with it, or drop the "
        "candidate unless only the determiner before it changes; needs `inflector`",
        choices=AGREEMENT,
    )


def check_rewriting(options: RewritingOptions, inflector: str | None) -> None:
    """Check that rewriting has what it needs.

    Raises:
        UsageError: there is no inflector where one is needed.
    """
    if options.agreement != "move" and inflector is None:
        raise UsageError(
            f"`agreement` {options.agreement} needs `inflector`, which knows genders: name one, or leave it out"
        )
