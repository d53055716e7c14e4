"""Parts of tables that readers are trained on, and lists of numbers, as tests make them up."""

import numpy as np
import pyarrow as pa

from lexbeam.transforms.cloze.readers.options import NumberLists
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part

KIND = "nonspecificity"


def part(folder, table, rows, number=0):
    artefact = Artefact(str(folder / f"{table.name.replace('/', '-')}-{number}"))
    schema = table.schema()
    filled = [{name: row.get(name) for name in schema.names} for row in rows]
    for row in filled:
        for field in schema:
            if row[field.name] is None and not field.nullable:
                row[field.name] = _empty(field.type)
    written = write_part(artefact, schema, [pa.Table.from_pylist(filled, schema)])
    return Part.of(table.name, number, written)


def _empty(kind):
    if pa.types.is_list(kind):
        return []
    return "" if pa.types.is_string(kind) else 0 if not pa.types.is_boolean(kind) else False


def lists(values):
    bounds = np.concatenate([[0], np.cumsum([len(text) for text in values])]).astype(np.int64)
    return NumberLists(bounds, np.array([n for text in values for n in text], np.int32))
