"""Small corpora, written as the pipeline writes them, and what stands in them as plain rows."""

from collections import Counter
from typing import NamedTuple
from unittest import mock

import pyarrow as pa
from hypothesis import strategies as st

from lexbeam.schemas.corpus_tables import DOCUMENTS, SENTENCES, DocumentRow, SentenceRow
from lexbeam.transforms.common.code.fingerprints import bucket_of, digest
from lexbeam.transforms.common.store import tables
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part
from lexbeam.transforms.corpora.annotated_corpora import Corpus

GAP = " \n"  # between two sentences
WORDS = ["ship", "Übersee", "𐐷", "e\u0301", "東京", "."]


class Text(NamedTuple):
    """A document and its sentences."""

    row: DocumentRow
    sentences: list[SentenceRow]


def id_of(number):
    return digest(["document", number])


def document(number, sizes, *, with_text=True, salt=""):
    """Make a document: of each sentence its number of words; `salt` tells copies apart."""
    text, rows = "\u2003 ", []
    for sentence, size in enumerate(sizes):
        text += GAP * bool(sentence)
        forms, starts, ends = [], [], []
        for place in range(size):
            text += " " * bool(place)
            forms.append(WORDS[(number + sentence + place) % len(WORDS)])
            starts.append(len(text))
            text += forms[-1]
            ends.append(len(text))
        rows.append(
            SentenceRow(
                id_of(number),
                sentence,
                1800 + number,
                None,
                "en",
                forms,
                [form + salt for form in forms],
                None,
                starts if with_text else None,
                ends if with_text else None,
            )
        )
    row = DocumentRow(
        id_of(number),
        f"{number}{salt}.txt",
        "",
        "en",
        1800 + number,
        None,
        None,
        None,
        None,
        f"title {number}",
        text if with_text else None,
    )
    return Text(row, rows)


@st.composite
def documents(draw, most=6):
    """Draw documents: some without sentences, some without text."""
    shapes = st.tuples(st.lists(st.integers(0, 3), max_size=7), st.booleans())
    drawn = draw(st.lists(shapes, max_size=most))
    return [document(number, sizes, with_text=with_text) for number, (sizes, with_text) in enumerate(drawn)]


def write_corpus(folder, texts, *, parts=2, group=3, columns=("forms", "lemmas")):
    """Write a corpus; a row group has `group` rows of `sentences` at most."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = sorted(texts)
    written = {"documents": [], "sentences": []}
    for place in range(parts):
        mine = [text for text in texts if bucket_of(text.row.document_id, parts) == place]
        for table, batches in (
            (DOCUMENTS, [[text.row] for text in mine]),
            (SENTENCES, [text.sentences for text in mine]),
        ):
            rows = [_table(table.schema(), batch) for batch in batches if batch]
            with mock.patch.object(tables, "GROUP_ROWS", group):
                made = write_part(
                    Artefact(str(folder / f"{table.name}{place}")), table.schema(), rows, sort_keys=table.key
                )
            part = Part.of(table.name, place, made)
            written[table.name].append(part._replace(path=str(part.path)))
    years = Counter(text.row.year for text in texts)
    tokens = Counter()
    for text in texts:
        tokens[text.row.year] += sum(len(row.forms) for row in text.sentences)
    section = {
        "documents_by_year": {str(year): years[year] for year in sorted(years)},
        "tokens_by_year": {str(year): tokens[year] for year in sorted(tokens)},
        "columns": sorted(columns),
        "engine": {"name": "toy:en"},
    }
    return Corpus({name: tuple(found) for name, found in written.items()}, section)


def _table(schema, rows):
    return pa.Table.from_pylist([row._asdict() for row in rows], schema=schema)
