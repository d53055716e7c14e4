"""Options of `lexbeam change`, and the plan they make with what the corpora say of themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.options import option
from pipelines.runners import RunnerOptions
from transforms.change.aligning import AlignOptions
from transforms.change.alignment import ALIGNMENTS, parse_fit_on
from transforms.change.listing import NeighbourOptions
from transforms.change.measures import MEASURES
from transforms.change.plan import PairPlan
from transforms.change.preparing import RANGE_TOKENS, SMALLEST, ViewPlan
from transforms.change.ranking import RankOptions
from transforms.change.scoring import ScoreOptions
from transforms.change.sgns import SgnsOptions
from transforms.change.slicing import PAIRS, Slice, parse_slices, per_slice, slice_of, slice_pairs
from transforms.change.targets import Targets, load_targets
from transforms.change.words import CHOICES, ViewOptions
from transforms.common import files
from transforms.common.errors import LexbeamError, UsageError
from transforms.corpora.corpus import (
    Corpus,
    SentencePart,
    check_columns,
    sentence_parts,
    tokens_by_year,
    years,
)

__all__ = ["ChangeOptions", "ChangePlan", "plan_change"]


@dataclass(frozen=True, kw_only=True)
class ChangeOptions(RunnerOptions):
    """Options of `lexbeam change`."""

    corpora: tuple[str, ...] = option(
        (), help="folders made by `lexbeam corpus`; several make one corpus; none: that of --out",
        metavar="CORPUS_DIR", positional=True,
    )  # fmt: skip
    slices: str = option(
        help="periods, both ends included: 1810-1860,1960-2010 or bc=..-1,ad=0.. or 'every 20'",
        metavar="SPEC",
    )
    pairs: str = option("consecutive", help="pairs of slices to compare", choices=tuple(PAIRS))
    targets: str | None = option(
        None, help="target words, one a line, perhaps with _nn, _vb or _jj", metavar="FILE"
    )
    unit: str = option("lemma", help="what is trained on", choices=CHOICES["unit"])
    case: str = option("lower", help="letter case of the words", choices=CHOICES["case"])
    homonym_marks: str = option(
        "strip", help="marks like #4 at a lemma's end", choices=CHOICES["homonym_marks"]
    )
    target_pos: str = option(
        "join", help="join targets like attack_nn with their part of speech, or keep them as text",
        choices=CHOICES["target_pos"],
    )  # fmt: skip
    min_sentence: int = option(10, help="shorter sentences are dropped", metavar="TOKENS")
    length_counts: str = option(
        "all", help="what a sentence's length counts", choices=CHOICES["length_counts"]
    )
    max_tokens: str | None = option(
        None, help="downsample slices to this many tokens, or to the `smallest` slice", metavar="N"
    )
    dim: int = option(100, help="length of the vectors")
    window: int = option(10, help="words to either side, at most")
    epochs: int = option(5, help="passes over a slice")
    negative: int = option(5, help="words drawn for each true context")
    sample: float = option(0.0, help="threshold of random removal of frequent words; 0 for none")
    min_count: tuple[int, ...] = option((5,), help="frequency cut, one or one per slice")
    alpha: float = option(0.025, help="learning rate at the start")
    seeds: tuple[int, ...] = option(
        (1,), help="number of seeds (3), or the seeds themselves (1,5,9)", least=0
    )
    view_seed: int = option(0, help="seed of shuffling and downsampling", metavar="SEED")
    alignment: tuple[str, ...] = option(("op", "cca"), help="alignments", choices=tuple(ALIGNMENTS))
    fit_on: str | None = option(
        None, help="words to fit on: shared, without-targets, top:N, or several joined by +; "
        "default shared for op, without-targets+top:100000 for cca", metavar="WORDS",
    )  # fmt: skip
    rcond: float = option(
        1e-10, help="cca drops singular values below this share of the first", least=0, most=1
    )
    measure: tuple[str, ...] = option(("cosine",), help="measures", choices=tuple(MEASURES))
    rank_min_count: int = option(50, help="uses in both slices that a ranked word needs")
    rank_min_documents: int = option(
        5, help="documents in both slices that a ranked word needs, or a fifth of a smaller slice"
    )
    neighbours: int = option(10, help="neighbours to list per word", least=1)
    neighbour_words: int = option(
        100, help="most changed words that get neighbours, beside the targets", least=0
    )
    neighbour_min_count: int = option(20, help="uses that a neighbour needs", least=1)
    write_text: str | None = option(
        None, help="also write the training view as text, a file per slice", metavar="DIR"
    )


@dataclass(frozen=True)
class ChangePlan:
    """What a change run is to do, checked against the corpora."""

    parts: list[SentencePart]
    settle: bool
    view: ViewPlan
    budget: int | str | None
    pairs: PairPlan
    sgns: SgnsOptions
    align: AlignOptions
    score: ScoreOptions
    neighbours: NeighbourOptions


def plan_change(options: ChangeOptions, corpora: Sequence[Corpus]) -> ChangePlan:
    """Check the options against what the corpora's manifests say, and return the plan.

    Raises:
        UsageError: an option is wrong, or needs annotation that the corpora lack.
        LexbeamError: a slice without documents.
    """
    known = years(corpora)
    slices = parse_slices(options.slices, years=(min(known), max(known)))
    slices = _with_documents(slices, known, drop=options.slices.strip().startswith("every"))
    view_options = ViewOptions(
        unit=options.unit,
        case=options.case,
        homonym_marks=options.homonym_marks,
        min_sentence=options.min_sentence,
        length_counts=options.length_counts,
        target_pos=options.target_pos,
        seed=options.view_seed,
    )
    targets = _targets(options, view_options)
    check_columns(
        corpora, _columns(options, targets),
        remedy="choose an engine that gives them, another --unit, or targets without _nn, _vb, _jj",
    )  # fmt: skip
    if options.fit_on:
        parse_fit_on(options.fit_on)
    cuts = per_slice(list(options.min_count), slices)
    return ChangePlan(
        parts=sentence_parts(corpora),
        settle=len(corpora) > 1,
        view=ViewPlan(
            slices=slices, targets=targets, options=view_options,
            ranges=_ranges(slices, corpora),
        ),
        budget=_budget(options.max_tokens),
        pairs=PairPlan(
            names=tuple(slice.name for slice in slices),
            min_counts=tuple(cuts),
            pairs=slice_pairs(slices, options.pairs),
            seeds=_seeds(options.seeds),
        ),
        sgns=SgnsOptions(
            dim=options.dim, window=options.window, epochs=options.epochs,
            negative=options.negative, sample=options.sample, alpha=options.alpha,
        ),
        align=AlignOptions(
            fit_on=options.fit_on, rcond=options.rcond, targets=targets.words
        ),
        score=ScoreOptions(
            alignments=options.alignment,
            measures=options.measure,
            targets=targets.words,
            rank=RankOptions(
                min_count=options.rank_min_count, min_documents=options.rank_min_documents
            ),
            neighbour_words=options.neighbour_words,
        ),
        neighbours=NeighbourOptions(
            neighbours=options.neighbours, min_count=options.neighbour_min_count
        ),
    )  # fmt: skip


def _ranges(slices: Sequence[Slice], corpora: Sequence[Corpus]) -> tuple[int, ...]:
    """Return into how many ranges each slice is cut: by its own tokens, whatever others hold."""
    tokens = [0] * len(slices)
    for year, number in tokens_by_year(corpora).items():
        if (place := slice_of(year, slices)) is not None:
            tokens[place] += number
    return tuple(max(1, -(-number // RANGE_TOKENS)) for number in tokens)


def _with_documents(
    slices: tuple[Slice, ...], years: dict[int, int], drop: bool
) -> tuple[Slice, ...]:
    filled = {slice_of(year, slices) for year in years}
    if drop:
        return tuple(slice for index, slice in enumerate(slices) if index in filled)
    for index, slice in enumerate(slices):
        if index not in filled:
            raise LexbeamError(
                f"slice {slice.name!r} has no document: the corpus has the years {min(years)} to "
                f"{max(years)}"
            )
    return slices


def _targets(options: ChangeOptions, view: ViewOptions) -> Targets:
    if options.targets is None:
        return Targets()
    try:
        text = files.read_bytes(options.targets).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read --targets {options.targets}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--targets {options.targets} is not UTF-8 text") from None
    return load_targets(text.splitlines(), view)


def _columns(options: ChangeOptions, targets: Targets) -> set[str]:
    unit = "lemmas" if options.unit == "lemma" else "forms"
    return {unit, "upos"} if targets.needs_upos else {unit}


def _budget(value: str | None) -> int | str | None:
    """Return the most tokens per slice, `smallest`, or None for no limit."""
    if value is None or value == SMALLEST:
        return value
    if not value.isdecimal() or int(value) < 1:
        raise UsageError(f"--max-tokens must be a number from 1, or {SMALLEST}, not {value!r}")
    return int(value)


def _seeds(numbers: tuple[int, ...]) -> tuple[int, ...]:
    if len(numbers) > 1:
        if len(set(numbers)) < len(numbers):
            raise UsageError(f"--seeds {','.join(map(str, numbers))} names a seed twice")
        return tuple(sorted(numbers))
    if not numbers or numbers[0] < 1:
        raise UsageError("--seeds: at least one seed is needed")
    return tuple(range(1, numbers[0] + 1))
