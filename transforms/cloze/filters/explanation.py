"""One pair of passage and summary, explained: the verdicts on each word, and why.

    rows = pair_of(passage, summary, language="en", engine=load_engine("builtin:en"))
    explained(rows, rules)

Nothing is computed here that `lexbeam cloze candidates` does not compute: the pair is annotated as pairs are, its words
are judged as candidates are. Added are the gloss of the sense, and a verdict that stays open where a filter was left
out that makes a word of a kind abstract.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.schemas.cloze.candidates import CANDIDATES
from lexbeam.schemas.cloze.pairs import PAIRS
from lexbeam.transforms.annotation.engines.engine import Engine
from lexbeam.transforms.cloze.filters.batches import COLUMNS, batch_of
from lexbeam.transforms.cloze.filters.candidates import CandidateSetting, candidates_of
from lexbeam.transforms.cloze.pairs.loaded_pairs import ANNOTATION
from lexbeam.transforms.cloze.pairs.pair import TEXTS, LengthOptions, RawPair, Row, annotate_pairs, join_rows, pair_row
from lexbeam.transforms.cloze.word_resources import WORDNET
from lexbeam.transforms.common.blas import one_thread
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

_WORD = ("question_id", "sentence", "token", "form", "lemma", "upos")
_LEFT_OUT = (*_WORD, "kind", "pair_id", "article_id", "target", "passed", "reason")
_OF_WORD = {"sense": "nonspecificity_match", "depth": "nonspecificity_value", "rating": "abstractness_value"}
# A row for each word and kind; the filters' columns are those of candidates.
COLUMNS_EXPLAINED = (
    *_WORD,
    "sense",
    "gloss",
    "depth",
    "rating",
    "kind",
    *(name for name in CANDIDATES.schema().names if name not in _LEFT_OUT),
    "passed",
    "reason",
)


def pair_of(
    passage: str, summary: str, *, language: str | None, engine: Engine | None, lengths: LengthOptions
) -> pa.Table:
    """Return a passage and its summary as a row of `cloze/pairs`, annotated.

    Args:
        passage: the passage, cleaned.
        summary: the summary, cleaned.
        language: theirs; None: not known.
        engine: a loaded engine; None: word forms alone.
        lengths: how long they may be.

    Raises:
        BadRecord: they are no pair, for the reasons that `pair_row` gives.
    """
    raw = RawPair("", passage, summary, language=language)
    nothing = {f"{text}_{name}": None for text in TEXTS for name in ANNOTATION}
    row = {**nothing, **pair_row(raw, lengths), "source": "", "number": 0}
    pair: Row = join_rows([row])
    with one_thread():
        annotate_pairs([pair], engine)
    return pa.Table.from_pylist([pair], PAIRS.schema())


def explained(rows: pa.Table, rules: CandidateSetting) -> pa.Table:
    """Return the verdicts on the words of summaries, with `COLUMNS_EXPLAINED`.

    A row is a word and a kind, in the order of words, then of kinds. Sense, gloss, depth and rating
    stand in all rows of a word, whichever kind uses them. `passed` is null where no filter rejects
    the word, but one was left out that makes words of the kind abstract.

    Args:
        rows: rows of `cloze/pairs`.
        rules: which filters decide, with all thresholds.
    """
    with one_thread():
        candidates, _ = candidates_of(batch_of(rows.select(list(COLUMNS)).combine_chunks()), rules)
    places = {kind: place for place, kind in enumerate(rules.kinds)}
    order = pa.array([places[kind] for kind in candidates["kind"].to_pylist()], pa.int32())
    by = [(name, "ascending") for name in ("pair_id", "token", "order")]
    candidates = candidates.append_column("order", order).sort_by(by)
    of_words = {
        name: _of_words(candidates[column].combine_chunks(), len(rules.kinds)) for name, column in _OF_WORD.items()
    }
    wordnet = rules.setting.lexicon.find(WORDNET, rows["language"][0].as_py())
    glosses = glosses_of(wordnet, of_words["sense"])
    open_to = [kind for kind in rules.kinds if rules.is_open(kind)]
    is_open = pc.and_(candidates["passed"], pc.is_in(candidates["kind"], pa.array(open_to, pa.string())))
    passed = pc.if_else(is_open, pa.scalar(None, pa.bool_()), candidates["passed"])
    columns = {
        **{name: candidates[name] for name in candidates.schema.names},
        **of_words,
        "gloss": glosses,
        "passed": passed,
    }
    return pa.table({name: columns[name] for name in COLUMNS_EXPLAINED})


def _of_words(values: pa.Array, kinds: int) -> pa.Array:
    """Return for each row what some kind's row of its word has; each word has a row a kind."""
    by_kind = [values.take(pa.array(range(kind, len(values), kinds))) for kind in range(kinds)]
    known = pc.coalesce(*by_kind)
    return known.take(pa.array(np.repeat(np.arange(len(known)), kinds)))


def glosses_of(wordnet: object, names: pa.Array) -> pa.Array:
    """Return the definitions of senses by their names, such as `person.n.1`; null where null.

    Args:
        wordnet: where the names are from; None: there is none, and every name is null.
        names: as `nonspecificity.sense_names` writes them.
    """
    if not isinstance(wordnet, WordNet):
        return pa.nulls(len(names), pa.string())
    glosses: dict[str | None, str | None] = {None: None}
    for name in names.to_pylist():
        if name not in glosses:
            word, letter, number = name.rsplit(".", 2)
            senses = wordnet.senses_of(pa.array([word]), letter).values
            sense = senses[wordnet.sense_numbers(senses) == int(number)]
            glosses[name] = wordnet.definitions(wordnet.synset_of(np.asarray(sense)))[0].as_py()
    return pa.array([glosses[name] for name in names.to_pylist()], pa.string())
