"""Labelled words made by hand, as parts of the tables of lexical complexity."""

import pyarrow as pa

from lexbeam.schemas.complexity import INSTANCES, LABELS
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part


def word(token, complexity, *, lemma=None, upos=None, language="es", kind="single"):
    """Return a labelled token, as `parts` takes it."""
    return token, complexity, lemma, upos, language, kind


def parts(folder, tokens):
    """Write a part of instances and one of labels; return both.

    Besides the label of all annotators there is one of a group, which is its opposite.
    """
    instances, labels = [], []
    for place, (token, complexity, lemma, upos, language, kind) in enumerate(tokens):
        row = dict.fromkeys(INSTANCES.schema().names)
        row |= {
            "instance_id": f"{place:032x}",
            "kind": kind,
            "token": token,
            "language": language,
            "sentence": f"a {token}",
            "forms": ["a", token],
            "position": 1,
            "source": "made.tsv",
            "lemmas": None if lemma is None else ["a", lemma],
            "upos": None if upos is None else ["ADP", upos],
            "flags": [],
        }
        instances.append(row)
        for group in ("", "native") if complexity is not None else ():
            value = 1 - complexity if group else complexity
            labels.append({"instance_id": row["instance_id"], "group": group, "complexity": value})
    made = []
    for table, rows in ((INSTANCES, instances), (LABELS, labels)):
        data = pa.Table.from_pylist(rows, table.schema())
        name = f"{folder}-{table.name.replace('/', '-')}"
        made.append(Part.of(table.name, 0, write_part(Artefact(name), data.schema, [data])))
    return made


def labelled(folder, tokens):
    """Return the paths of both parts, a list each."""
    return tuple([part.path] for part in parts(folder, tokens))
