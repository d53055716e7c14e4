"""Layouts of files that pairs are made of: plain functions from a file to pairs and rejects.

| layout | a record |
|---|---|
| recam | a line: JSON with `article`, `question`, `option_0` and so on, `label` |
| jsonl | a line: JSON with fields for passage and summary |
| tsv | a row of a table whose header names columns for passage and summary |
| documents | a document of any format that `lexbeam corpus` reads, cut into summary and passage |

`corpus`, a folder that `lexbeam corpus` made, is no file: see `corpus_pairs`.
"""

from transforms.cloze.pairs.document_layout import read_documents
from transforms.cloze.pairs.layout import ReadLayout
from transforms.cloze.pairs.row_layouts import read_jsonl, read_recam, read_tsv

__all__ = ["CORPUS", "LAYOUTS"]

CORPUS = "corpus"
LAYOUTS: dict[str, ReadLayout] = {
    "recam": read_recam,
    "jsonl": read_jsonl,
    "tsv": read_tsv,
    "documents": read_documents,
}
