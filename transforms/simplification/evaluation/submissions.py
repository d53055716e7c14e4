"""Files of shared tasks: gold of benchmarks, and submissions as TSAR-2022 takes them, in and out, and evaluated.

A submission has a row for each instance: sentence, target, then substitutes, the best first, with
tabs between; rows are ragged. Rows are matched by sentence and target, ignoring spaces at the ends
and runs of them.
"""

import logging
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS
from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.small_texts import filled_lines
from lexbeam.transforms.common.publish.snapshots import Snapshot
from lexbeam.transforms.common.shown import listed
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.tables import Rows, joined, read_rows
from lexbeam.transforms.common.texts.characters import seen, straight
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.simplification.evaluation.evaluated_tables import (
    RANDOM,
    EvaluatedSettings,
    SimplificationMeasureOptions,
    by_selection,
)
from lexbeam.transforms.simplification.evaluation.list_measures import (
    PIPELINE,
    RANKING,
    Funnel,
    GoldInstance,
    GoldInstances,
    Listing,
    PipelineChoices,
    folded,
    list_figures,
    pipeline_figures,
    random_order,
    ranker_figures,
)
from lexbeam.transforms.simplification.instances.benchmark_layouts import LAYOUTS, RawSubstitute, graded
from lexbeam.transforms.simplification.records import ID

SHOWN = 60  # characters of a sentence in a message
_SPACES = re.compile(r"\s+")

Key = tuple[str, str]


class Prediction(NamedTuple):
    """A row of a submission: its line, sentence and target as written, substitutes in order."""

    line: int
    sentence: str
    target: str
    words: tuple[str, ...]

    @property
    def key(self) -> Key:
        """What rows are matched by."""
        return _key(self.sentence, self.target)


def _key(sentence: str, target: str) -> Key:
    return straight(_plain_spaces(sentence)), straight(_plain_spaces(target))


def _plain_spaces(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFC", seen(text))).strip()


def _rows(path: str, name: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in filled_lines(path, name, "a row for each instance"):
        yield number, unicodedata.normalize("NFC", seen(line)).split("\t")


def read_gold(path: str, layout: str, notes: list[str], *, as_written: bool = False) -> list[GoldInstance]:
    """Read a file of gold; the ids are the places of rows, in digits.

    Rows of the same sentence and target are one instance, with all their annotators.

    Args:
        layout: an entry of `lexbeam.transforms.simplification.instances.benchmark_layouts.LAYOUTS`.
        notes: warnings are appended to it.
        as_written: whether words that differ in capitals are different words.

    Raises:
        UsageError: the file cannot be read, or a row has no sentence, target or place.
    """
    shown = f"`gold` {files.shown(path)}"
    as_compared: Callable[[str], str] = str.strip if as_written else folded
    instances: dict[Key, tuple[str, str, list[RawSubstitute], list[int]]] = {}
    for number, cells in _rows(path, "gold"):
        try:
            row = LAYOUTS[layout].read(cells)
        except BadRecord as error:
            raise UsageError(f"{shown}, line {number}: {error.detail}; rows of layout {layout} are needed") from error
        entry = instances.setdefault(_key(row.sentence, row.target), (row.sentence, row.target, [], []))
        entry[2].extend(row.substitutes)
        entry[3].append(number)
    again = [lines for *_, lines in instances.values() if len(lines) > 1]
    if again:
        lines = listed((" and ".join(map(str, numbers)) for numbers in again), 5)
        notes.append(
            f"{shown}: {len(again)} instances stand there more than once (lines {lines}): their "
            "annotators count together"
        )
    width = len(str(len(instances)))
    return [
        GoldInstance(
            f"{place:0{width}}",
            target,
            sentence,
            {
                substitute.substitute: substitute.gold_rank
                for substitute in graded(substitutes, target, as_compared)
                if substitute.gold_rank is not None
            },
        )
        for place, (sentence, target, substitutes, _) in enumerate(instances.values())
    ]


def read_predictions(path: str) -> list[Prediction]:
    """Read a submission, in the order of its lines; empty cells are left out.

    Raises:
        UsageError: the file cannot be read, a row has no sentence or target, or two rows of the same
            instance have different substitutes. Equal rows count once.
    """
    shown = f"`predictions` {files.shown(path)}"
    predictions: dict[Key, Prediction] = {}
    for number, cells in _rows(path, "predictions"):
        if len(cells) < 2 or not cells[0].strip() or not cells[1].strip():
            raise UsageError(
                f"{shown}, line {number}: no sentence or no target; give sentence, target and "
                "substitutes, separated by tabs"
            )
        words = tuple(cell.strip() for cell in cells[2:] if cell.strip())
        prediction = Prediction(number, cells[0].strip(), cells[1].strip(), words)
        first = predictions.setdefault(prediction.key, prediction)
        if first.words != words:
            raise UsageError(
                f"{shown}, line {number}: target {prediction.target!r} of this sentence stands in line "
                f"{first.line} with other substitutes; give one row for each instance"
            )
    return list(predictions.values())


def matched_rows(
    judged: Sequence[GoldInstance], predictions: Iterable[Prediction], path: str, notes: list[str]
) -> Mapping[str, Prediction]:
    """Return the predictions of instances by their ids; an instance may have none.

    Args:
        judged: the instances of gold.
        predictions: the rows of a submission.
        path: its file.
        notes: warnings are appended to it.

    Raises:
        UsageError: a row belongs to no instance of gold.
    """
    shown = f"`predictions` {files.shown(path)}"
    ids = {_key(instance.sentence, instance.target): instance.id for instance in judged}
    targets: dict[str, list[str]] = {}
    for sentence, target in ids:
        targets.setdefault(sentence, []).append(target)
    matched = {}
    for row in predictions:
        if row.key not in ids:
            sentence, target = row.key
            known_targets = targets.get(sentence)
            problem = (
                f"gold has no target {target!r} in this sentence, but {', '.join(sorted(known_targets))}"
                if known_targets
                else f"gold has no sentence {sentence[:SHOWN]!r}{_near(sentence, targets)}"
            )
            raise UsageError(f"{shown}, line {row.line}: {problem}; write sentence and target as gold has them")
        matched[ids[row.key]] = row
    missing = [instance for instance in judged if instance.id not in matched]
    if missing:
        names = (f"{instance.target!r} in {instance.sentence[:SHOWN]!r}" for instance in missing)
        notes.append(f"{shown}: {len(missing)} of {len(judged)} instances of gold have no row: {listed(names, 3)}")
    return matched


def _near(sentence: str, known: Iterable[str]) -> str:
    begins = {text[:SHOWN]: text for text in known}
    return nearest(sentence[:SHOWN], begins)


def submission(rows: Iterable[tuple[str, str, Sequence[str]]]) -> str:
    """Return the text of a submission.

    Args:
        rows: of each instance, in order: sentence, target, substitutes. Tabs and ends of lines in
            them become spaces. An instance without substitutes has a row, too.
    """
    lines = ("\t".join(_plain(cell) for cell in (row[0], row[1], *row[2])) for row in rows)
    return "".join(f"{line}\n" for line in lines)


def _plain(cell: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", cell).strip()


log = logging.getLogger("lexbeam")


@dataclass(frozen=True)
class ListStage(Entry):
    """A stage that has lists, in a table."""

    table: str


# The last stage first.
SUBMITTED: Registry[ListStage] = Registry(
    {
        "ranking": ListStage(RANKINGS.name, doc="candidates in the order of a ranker"),
        "selection": ListStage(SELECTIONS.name, doc="candidates that filters keep, by score"),
        "generation": ListStage(CANDIDATES.name, doc="candidates as generated, by rank"),
    },
    what="stage with lists",
)
_COLUMNS = {
    INSTANCES.name: ("sentence", "target", "source", "position", "start"),
    CANDIDATES.name: ("setting", "form", "rank", "reason"),
    SELECTIONS.name: ("setting", "form", "kept", "score"),
    RANKINGS.name: ("setting", "ranker", "form", "place"),
}


def _named_or_only(option: str, wanted: str | None, known: Sequence[str], where: str) -> str:
    """Return the name that is wanted, or the only one there is.

    Raises:
        UsageError: there is no such name, or there are several and none is wanted.
    """
    names = ", ".join(known) or "none"
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted is None:
        raise UsageError(f"{where} has several, {names}: name one by `{option}`")
    if wanted not in known:
        hint = nearest(wanted, known) or f"; there are {names}"
        raise UsageError(f"`{option}`: there is no {wanted!r} in {where}{hint}")
    return wanted


def _known(paths: Sequence[str], column: str, setting: str | None = None) -> list[str]:
    values: set[str] = set()
    for rows in read_rows(paths, list(dict.fromkeys(["setting", column]))):
        values.update(
            row[column]
            for row in rows.group_by(list(dict.fromkeys(["setting", column]))).aggregate([]).to_pylist()
            if setting is None or row["setting"] == setting
        )
    return sorted(values)


class SubmissionLists(NamedTuple):
    """Which lists are written: of a stage, a setting and, at stage ranking, a ranker."""

    stage: str
    setting: str
    ranker: str | None


def chosen_lists(
    tables: Mapping[str, Sequence[str]], stage: str | None, setting: str | None, ranker: str | None
) -> SubmissionLists:
    """Return the lists that are to be written.

    Args:
        tables: by name, the paths of the parts of published tables.
        stage, setting, ranker: as in `submission_of`.

    Raises:
        UsageError: as in `submission_of`.
    """
    published = [name for name, entry in SUBMITTED.items() if entry.table in tables]
    if stage is None and not published:
        raise UsageError("`to`: there are no candidates to write: run `lexbeam simplify generate`")
    listed_stage = stage or published[0]
    if listed_stage not in published:
        raise UsageError(f"`stage`: nothing of {listed_stage} is published; there is {', '.join(published)}")
    table = SUBMITTED[listed_stage].table
    paths = tables[table]
    chosen = _named_or_only("setting", setting, _known(paths, "setting"), f"table {table}")
    by = None
    if listed_stage == "ranking":
        rankers = _known(paths, "ranker", chosen)
        by = _named_or_only("ranker", ranker, rankers, f"setting {chosen}")
    elif ranker is not None:
        raise UsageError(f"`ranker` goes with stage ranking, and {listed_stage} is written")
    return SubmissionLists(listed_stage, chosen, by)


def submission_of(snapshot: Snapshot, stage: str | None, setting: str | None, ranker: str | None) -> str:
    """Return the lists of a setting at a stage as the text of a submission.

    Rows are in the order of the files that instances come from; every instance has one, even without
    candidates. Of instances with the same sentence and target, which such a file cannot tell apart,
    the first counts, with a warning.

    Args:
        snapshot: the published tables.
        stage: one of `SUBMITTED`; None: the last that is published.
        setting: its name; None: the only one.
        ranker: its name, at stage ranking; None: the only one.

    Raises:
        UsageError: the table of the stage is not published, or `setting` or `ranker` names none, or
            names nothing where there are several.
    """
    names = [entry.table for entry in SUBMITTED.values()]
    published = {name: snapshot.paths(name) for name in names if name in snapshot.tables}
    listed_stage, chosen, by = chosen_lists(published, stage, setting, ranker)
    table = SUBMITTED[listed_stage].table
    tables = {
        name: snapshot.paths(name) for name in (INSTANCES.name, CANDIDATES.name, table) if name in snapshot.tables
    }
    lists = list(_lists(tables, listed_stage, chosen, by))
    lists.sort(key=lambda pair: pair[0])
    by_pair: dict[tuple[str, str], tuple[str, ...]] = {}
    for _, sentence, target, words in lists:
        by_pair.setdefault((sentence, target), words)
    if len(by_pair) < len(lists):
        log.warning(
            "`to`: %d instances have the sentence and target of another one, and no row: the file "
            "does not tell them apart",
            len(lists) - len(by_pair),
        )
    return submission((*key, words) for key, words in by_pair.items())


_Listed = tuple[tuple[str, int, str, int, str], str, str, tuple[str, ...]]


def _lists(tables: Mapping[str, Sequence[str]], stage: str, setting: str, ranker: str | None) -> Iterator[_Listed]:
    ids = [
        identifier
        for rows in read_rows(tables[INSTANCES.name], ["instance_id"])
        for identifier in rows["instance_id"].to_pylist()
    ]
    columns = {name: _COLUMNS[name] for name in tables}
    for identifier, rows in joined(tables, columns, ID, ids):
        for row in rows[INSTANCES.name]:
            position = str(row["position"])
            number = int(position) if position.isdecimal() else 0
            order = (row["source"], number, position, row["start"], identifier)
            words = tuple(_words(rows, stage, setting, ranker))
            yield order, row["sentence"], row["target"], words


def _words(rows: Mapping[str, Rows], stage: str, setting: str, ranker: str | None) -> list[str]:
    setting_rows = [row for row in rows[SUBMITTED[stage].table] if row["setting"] == setting]
    if stage == "ranking":
        ranked = [row for row in setting_rows if row["ranker"] == ranker and row["place"] is not None]
        return [row["form"] for row in sorted(ranked, key=lambda row: row["place"])]
    places = {
        row["form"]: row["rank"]
        for row in rows.get(CANDIDATES.name, [])
        if row["setting"] == setting and row["reason"] is None
    }
    if stage == "generation":
        return sorted(places, key=lambda form: (places[form], form))
    return by_selection(setting_rows, places)


def evaluate_rows(
    gold: GoldInstances, rows: Mapping[str, Prediction], system: str, options: SimplificationMeasureOptions
) -> EvaluatedSettings:
    """Evaluate the rows of a submission: subset `ranking`, and `pipeline` of their first words.

    The first word may be the target, which then stays. With `tsar_scorer` instances without a row are
    left out; one whose row has no substitute is a miss, as for the public scorer.

    Args:
        gold: the instances; with `tsar_scorer`, of words as they are written.
        rows: by instance.
        system: name of the submission.
        options: how it is measured.
    """
    as_compared = str.strip if options.tsar_scorer else folded
    listing = Listing(gold, as_written=options.tsar_scorer)
    chosen = PipelineChoices(gold, as_compared)
    funnel = Funnel()
    without = np.ones(len(gold.ids), bool)
    for instance, identifier in enumerate(gold.ids):
        row = rows.get(identifier)
        words = () if row is None else row.words
        without[instance] = row is None
        listing.add(instance, [(word, place) for place, word in enumerate(words, 1)])
        if words:
            chosen.add(instance, words[0])
        target = gold.targets[instance]
        forms = dict.fromkeys(form for form in map(as_compared, words) if form != target)
        left = funnel.add((system, None, RANKING), set(gold.ranks[instance]), set(forms), [])
        inserted = [as_compared(word) for word in words[:1] if as_compared(word) != target]
        reason = "not_chosen" if inserted else "keep_target"
        dropped = [(form, reason) for form in forms if form not in inserted]
        funnel.add((system, None, PIPELINE), left, inserted, dropped)
    candidates, answered = listing.candidates(), listing.answered()
    free = without if options.tsar_scorer else None
    figures = [
        *list_figures(system, RANKING, candidates, options.k, free),
        *ranker_figures(system, candidates, answered),
        *pipeline_figures(system, chosen.values()),
    ]
    chance = f"{system} {RANDOM}"
    return EvaluatedSettings(figures, list(random_order(chance, candidates, answered)), {system: chance}, funnel)
