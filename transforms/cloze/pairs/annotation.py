"""The annotation of a pair's texts as columns of `cloze/pairs`, and the places of its targets."""

from collections.abc import Sequence

from lexbeam.transforms.annotation.engines.engine import Engine, annotate_texts
from lexbeam.transforms.cloze.pairs.pair import Row, in_flag_order
from lexbeam.transforms.common.records import Sentence

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
                pair["flags"] = in_flag_order([*pair["flags"], "not_annotated"])


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
        pair["flags"] = in_flag_order([*pair["flags"], "target_not_found"])
