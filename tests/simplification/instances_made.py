"""Instances with people's substitutes, made by hand and published in a folder."""

import hashlib
import random
import sys
from pathlib import Path

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

from making import put

from lexbeam.schemas.simplification import INSTANCES, SUBSTITUTES
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, sort_rows, write_part


def instance(marked, lemma=None, upos=None, *, language="es", feats=None):
    """Return a row of simplification/instances from a sentence with its `[[target]]`."""
    before, _, rest = marked.partition("[[")
    target, _, after = rest.partition("]]")
    sentence, start = before + target + after, len(before)
    key = hashlib.sha256(f"{sentence}\0{start}\0{target}".encode()).hexdigest()[:32]
    return {
        "instance_id": key,
        "language": language,
        "sentence": sentence,
        "target": target,
        "start": start,
        "end": start + len(target),
        "lemma": lemma,
        "upos": upos,
        "feats": feats,
        "source": "made.tsv",
        "position": "line 1",
        "source_id": None,
        "records": 1,
        "chosen_by": "marked",
        "judgment": None,
        "flags": [],
    }


def substitutes(row, **annotators):
    """Return rows of simplification/substitutes of an instance."""
    levels = sorted({n for text, n in annotators.items() if text != row["target"]}, reverse=True)
    return [
        {
            "instance_id": row["instance_id"],
            "substitute": text,
            "annotators": number,
            "gold_rank": None if text == row["target"] else levels.index(number) + 1,
            "is_target": text == row["target"],
        }
        for text, number in annotators.items()
    ]


def publish(out, instances, gold=(), parts=2):
    """Publish instances, dealt out to parts by their ids, and their substitutes."""
    made = []
    instances = sorted(instances, key=lambda row: row["instance_id"])
    for number in range(parts):
        for table, rows, key in ((INSTANCES, instances, "instance_id"), (SUBSTITUTES, gold, "substitute")):
            part_rows = [row for row in rows if int(row["instance_id"][:8], 16) % parts == number]
            part_rows.sort(key=lambda row: (row["instance_id"], row[key]))
            schema = table.schema()
            file = write_part(
                Artefact(f"{out}-{table.name.replace('/', '-')}-{number}"),
                schema,
                [pa.Table.from_pylist(part_rows, schema)],
                sort_keys=table.key,
            )
            made.append(Part.of(table.name, number, file))
    made.sort(key=lambda part: (part.table, part.number))
    entry = {"options": {}, "inputs": []}
    put(out, Made(name="simplify.instances", parts=tuple(made), entry=entry))
    return out


def written(folder, table, rows, number=0):
    """Write rows as a part of a table; return it."""
    folder.mkdir(exist_ok=True)
    made = write_part(
        Artefact(str(folder / f"{table.name.replace('/', '-')}-{number}")),
        table.schema(),
        [sort_rows(pa.Table.from_pylist(rows, table.schema()), table.key)],
        sort_keys=table.key,
    )
    return Part.of(table.name, number, made)


WORDS = ["perros perro NOUN", "cansada cansado ADJ", "Animal animal PROPN", "gato gato NOUN"]


def numbered(numbers, changed=()):
    """Return an instance for each number, some of another language, those that are changed without part of speech."""
    words = {number: WORDS[number % len(WORDS)].split() for number in sorted(numbers)}
    return [
        instance(
            f"Vio {number} [[{word}]].",
            lemma,
            None if number in changed else upos,
            language="en" if number % 5 == 4 else "es",
        )
        for number, (word, lemma, upos) in words.items()
    ]


def drawn_parts(seed, start=12):
    """Yield the rows of parts that follow one another, the last of none, each with how many candidates are kept."""
    drawn = random.Random(seed)
    numbers = set(range(start))
    for step in range(4):
        changed = {number for number in numbers if drawn.random() < 0.2}
        yield numbered(numbers, changed), drawn.choice([10, 1])
        numbers = {number for number in numbers if drawn.random() < 0.9} | {20 + step} if step < 2 else set()
