"""What a pair is: a passage and a summary, with the targets that a file gives; its ids, flags and annotation.

The id of a pair begins as that of its article, so that the pairs of one article lie side by side in
the table, and a passage is annotated once.

>>> fill("Staff have @placeholder their jobs .", "lost")
Filled(summary='Staff have lost their jobs .', start=11, end=15)
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lexbeam.schemas.cloze import FLAGS, KINDS
from lexbeam.transforms.annotation.engines.engine import Engine, annotate_texts, count_words
from lexbeam.transforms.common.code.fingerprints import text_digest
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.store.batches import Sentence
from lexbeam.transforms.common.texts.characters import straight
from lexbeam.transforms.formats.records.base import BadRecord
from lexbeam.transforms.intake.row_files import in_order

PLACEHOLDER = "@placeholder"
Row = dict[str, Any]  # of a table, by column
ARTICLE_DIGITS = 16  # digits of a pair's id that are those of its article


@dataclass(frozen=True, kw_only=True)
class LengthOptions:
    """How long summaries and passages may be, in words: runs of letters, digits and marks.

    Attributes:
        min_summary_words: a summary of one word would be a question with nothing to go by.
        max_summary_words: a longer text is no summary.
        min_passage_words: shorter passages are rejects.
        max_passage_words: in a longer text nearly every word of the summary occurs.
    """

    min_summary_words: int = option(2, help="shorter summaries are rejects", least=1)
    max_summary_words: int = option(1000, help="longer summaries are rejects", least=1)
    min_passage_words: int = option(1, help="shorter passages are rejects", least=1)
    max_passage_words: int = option(20_000, help="longer passages are rejects", least=1)


class GivenTarget(NamedTuple):
    """A question as a file has it: its kind, its options, and which of them is right, from 0."""

    kind: str
    options: tuple[str, ...]
    label: int


class RawPair(NamedTuple):
    """A record of the input as it is read; its texts are cleaned.

    Attributes:
        position: its line, or its place in the source.
        summary: the summary; `@placeholder` stands in it where there is a target.
        language, genre, source_id: None if unknown.
        annotation: of a pair that comes annotated, columns of `cloze/pairs` with their values.
    """

    position: str
    passage: str
    summary: str
    target: GivenTarget | None = None
    language: str | None = None
    genre: str | None = None
    source_id: str | None = None
    annotation: Mapping[str, Any] | None = None


class Filled(NamedTuple):
    """A question with an option in its place, which is where the option starts and ends.

    Both are None where composing the two has made another word of it.
    """

    summary: str
    start: int | None
    end: int | None


def fill(question: str, word: str) -> Filled:
    """Put a word in the place of the question's one `@placeholder`; both are in NFC."""
    before, _, after = question.partition(PLACEHOLDER)
    summary = unicodedata.normalize("NFC", before + word + after)
    start = len(unicodedata.normalize("NFC", before))
    end = start + len(word)
    if summary[start:end] != word or len(summary) != len(before + word + after):
        return Filled(summary, None, None)
    return Filled(summary, start, end)


def article_id(passage: str) -> str:
    """Return the id of a passage, 32 hexadecimal digits."""
    return text_digest(passage, ["passage"])


def pair_id(article: str, summary: str) -> str:
    """Return the id of a pair, 32 hexadecimal digits.

    Args:
        article: what `article_id` returns for its passage.
    """
    return article[:ARTICLE_DIGITS] + text_digest(summary, ["summary"])[:ARTICLE_DIGITS]


def pair_row(raw: RawPair, lengths: LengthOptions) -> Row:
    """Return a record as a staged row, see `loaded_pairs.ROWS`; without its source and number.

    Raises:
        BadRecord: `empty_passage`, `empty_summary`, `placeholder`, `bad_label`, or a length that is
            out of bounds.
    """
    _check_placeholders(raw)
    passage, summary, target = raw.passage, raw.summary, None
    flags = []
    if raw.target is not None:
        word = raw.target.options[raw.target.label]
        if not word:
            raise BadRecord("bad_label", f"option {raw.target.label} is empty")
        filled = fill(summary, word)
        summary = filled.summary
        options = raw.target.options
        target = {
            "kind": raw.target.kind,
            "start": filled.start,
            "end": filled.end,
            "form": word,
            "options": list(options),
            "label": raw.target.label,
        }
        if len({straight(word_option.casefold()) for word_option in options}) < len(options):
            flags.append("doubled_options")
    _check_lengths("passage", passage, lengths.min_passage_words, lengths.max_passage_words)
    _check_lengths("summary", summary, lengths.min_summary_words, lengths.max_summary_words)
    if looks_mis_decoded(passage) or looks_mis_decoded(summary):
        flags.append("mis_decoded")
    article = article_id(passage)
    return {
        "key": pair_id(article, summary),
        "article_id": article,
        "position": raw.position,
        "language": raw.language,
        "genre": raw.genre,
        "source_id": raw.source_id,
        "summary": summary,
        "passage": passage,
        "flags": in_order(flags, FLAGS),
        "target": target,
        **(raw.annotation or {}),
    }


def _check_placeholders(raw: RawPair) -> None:
    target = raw.target
    texts = {"passage": raw.passage}
    if target is None:
        texts["summary"] = raw.summary
    else:
        times = raw.summary.count(PLACEHOLDER)
        if times != 1:
            raise BadRecord("placeholder", f"{times} times {PLACEHOLDER} in the question")
        texts |= {f"option {place}": word for place, word in enumerate(target.options)}
    for name, text in texts.items():
        if PLACEHOLDER in text:
            raise BadRecord("placeholder", f"{PLACEHOLDER} in the {name}")


def _check_lengths(name: str, text: str, least: int, most: int) -> None:
    words = count_words(text)
    if not words:
        raise BadRecord(f"empty_{name}", f"the {name} has no word")
    length = f"{words} word{'s' if words > 1 else ''}"
    if words < least:
        raise BadRecord(f"short_{name}", f"{length}; `min_{name}_words` is {least}")
    if words > most:
        raise BadRecord(f"long_{name}", f"{length}; `max_{name}_words` is {most}")


def join_rows(rows: Iterable[Row]) -> Row:
    """Return the pair that rows of one key make: one row with all targets, see `pair_row`.

    Values that only one row can give, such as the source, are those of the first; language, genre and source's id are
    the first ones known. Equal targets are one. Targets are in the order of kind, place, form, options and label.

    Args:
        rows: staged rows with `source`, in the order of sources and records; one at least.
    """
    first: Row = {}
    targets: dict[tuple[int, int, str, Sequence[str], int], Row] = {}
    flags: set[str] = set()
    count = 0
    for row in rows:
        count += 1
        first = first or {**row}
        flags.update(row["flags"])
        for name in ("language", "genre", "source_id"):
            first[name] = first[name] if first[name] is not None else row[name]
        if (target := row["target"]) is not None:
            key = _order_of(target)
            origin = {name: row[name] for name in ("source", "position", "source_id")}
            targets.setdefault(key, {**target, **origin})
    if count > 1:
        flags.add("repeated")
    if len(targets) > 1:
        flags.add("several_targets")
    del first["target"]
    return {
        **first,
        "pair_id": first["key"],
        "rows": count,
        "flags": in_order(flags, FLAGS),
        "targets": [targets[key] for key in sorted(targets)],
    }


def _order_of(target: Row) -> tuple[int, int, str, Sequence[str], int]:
    start = -1 if target["start"] is None else target["start"]
    options = tuple(target["options"])
    return KINDS.index(target["kind"]), start, target["form"], options, target["label"]


def _read_wrongly(first: int, last: int) -> str:
    """Return, as a class of a pattern, what bytes become by Windows-1252 and by Latin-1."""
    characters = {chr(byte) for byte in range(first, last + 1)}
    for byte in range(first, last + 1):
        characters.add(bytes([byte]).decode("cp1252", "ignore"))
    return "[" + "".join(re.escape(char) for char in sorted(characters - {""})) + "]"


_FOLLOWS = _read_wrongly(0x80, 0xBF)
_SIGNS = re.compile(
    # The signs and letters of Latin-1. Capitals stand before such signs in no language at hand.
    rf"[\u00c2\u00c3]{_FOLLOWS}"
    # Quotation marks, dashes, the euro: three bytes, the first two nearly always these.
    rf"|\u00e2[\u0080-\u0084€‚]{_FOLLOWS}"
    # Letters of other scripts, two in a row: one may be chance, such as an umlaut and a quote.
    rf"|(?:[\u00c4-\u00df]{_FOLLOWS}){{2}}"
    rf"|(?:[\u00e3-\u00ef]{_FOLLOWS}{{2}}){{2}}"
    # What stands for no bytes, and controls that are signs of Windows-1252 read as Latin-1.
    r"|[\ufffd\u0080-\u0084\u0086-\u009f]"
)


def looks_mis_decoded(text: str) -> bool:
    """Return whether a text holds what wrong decoding makes of UTF-8, or what replaces bytes.

    The wrong encodings are Windows-1252 and Latin-1.

    >>> looks_mis_decoded("It cost Â£600"), looks_mis_decoded("It cost £600 in CAFÉ »Spaß“")
    (True, False)
    """
    return not text.isascii() and _SIGNS.search(text) is not None


TEXTS = ("summary", "passage")


def annotation_columns(name: str, sentences: Sequence[Sentence], start: int = 0) -> Row:
    """Return the columns of `cloze/pairs` for the annotation of a text.

    Args:
        name: the text's column, `summary` or `passage`.
        sentences: its sentences; what one of them lacks, lemmas or parts of speech, all lack.
        start: where the text starts in what their offsets are counted in, in code points.
    """
    spoken = [sentence for sentence in sentences if sentence.forms]
    first, begins = 0, []
    for sentence in spoken:
        begins.append(first)
        first += len(sentence.forms or ())
    columns: Row = {f"{name}_sentences": begins}
    for column in ("forms", "lemmas", "upos"):
        lists = [getattr(sentence, column) for sentence in spoken]
        whole = all(values is not None for values in lists)
        columns[f"{name}_{column}"] = [v for values in lists for v in values] if whole else None
    for column in ("starts", "ends"):
        lists = [getattr(sentence, column) or () for sentence in spoken]
        columns[f"{name}_{column}"] = [place - start for places in lists for place in places]
    return columns


def annotate_pairs(pairs: Sequence[Row], engine: Engine | None) -> None:
    """Fill in the annotation of pairs that have none; a text that several share is done once.

    Args:
        pairs: what `join_rows` returns; changed.
        engine: a loaded engine; None: word forms alone.
    """
    bare = [pair for pair in pairs if pair["passage_forms"] is None]
    texts = list(dict.fromkeys(pair[name] for pair in bare for name in TEXTS))
    annotated = dict(zip(texts, annotate_texts(texts, engine), strict=True))
    for pair in bare:
        for name in TEXTS:
            sentences = annotated[pair[name]]
            pair.update(annotation_columns(name, sentences))
            if engine is not None and any(
                (engine.has_lemmas and sentence.lemmas is None) or (engine.has_upos and sentence.upos is None)
                for sentence in sentences
            ):
                pair["flags"] = in_order([*pair["flags"], "not_annotated"], FLAGS)


def give_places(pair: Row) -> None:
    """Give each target of a pair its place among the summary's tokens.

    A target has none where no token is just this word, as where a tokeniser takes it apart.

    Args:
        pair: what `join_rows` returns, with its annotation; changed.
    """
    spans = zip(pair["summary_starts"], pair["summary_ends"], strict=True)
    tokens = {span: place for place, span in enumerate(spans)}
    for target in pair["targets"]:
        target["token"] = tokens.get((target.pop("start"), target.pop("end")))
    if any(target["token"] is None for target in pair["targets"]):
        pair["flags"] = in_order([*pair["flags"], "target_not_found"], FLAGS)
