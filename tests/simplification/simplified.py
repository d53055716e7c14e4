"""Small tables of simplification made by hand, and published in a folder."""

import sys
from pathlib import Path

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

from making import put

from lexbeam.schemas.simplification import CANDIDATES, INSTANCES, RANKINGS, SELECTIONS, SIMPLIFICATIONS, SUBSTITUTES
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part

TABLES = {table.name: table for table in (INSTANCES, SUBSTITUTES, CANDIDATES, SELECTIONS, RANKINGS, SIMPLIFICATIONS)}
SECTIONS = {
    INSTANCES.name: "simplify.instances",
    SUBSTITUTES.name: "simplify.instances",
    CANDIDATES.name: "simplify.generate",
    SELECTIONS.name: "simplify.select",
    RANKINGS.name: "simplify.rank",
    SIMPLIFICATIONS.name: "simplify.rewrite",
}
# What each section counts, besides its options and inputs: here nothing.
ENTRIES = {
    "simplify.instances": {
        "layouts": {},
        "instances": 0,
        "with_substitutes": 0,
        "annotated": 0,
        "flags": {},
        "rejects": {},
    },
    "simplify.generate": {"instances": 0, "settings": [], "counts": []},
    "simplify.select": {"counts": []},
    "simplify.rank": {"counts": []},
    "simplify.rewrite": {"counts": []},
}
EMPTY = {pa.string(): "", pa.int32(): 1, pa.float64(): 0.0, pa.bool_(): False}


def id_of(number):
    """Return the id of an instance."""
    return f"{number:032x}"


def row(table, **values):
    """Return a row of a table; what is not given is null, or empty."""
    empty = {f.name: None if f.nullable else EMPTY.get(f.type, []) for f in table.schema()}
    assert not values.keys() - empty.keys()
    return empty | values


def instance(number, target, sentence=None, **columns):
    """Return a row of instances."""
    sentence = sentence or f"Frase {number} con {target} en ella."
    start = sentence.index(target)
    return row(
        INSTANCES,
        instance_id=id_of(number),
        language="es",
        sentence=sentence,
        target=target,
        start=start,
        end=start + len(target),
        source="made.tsv",
        position=str(number),
        **columns,
    )


def substitutes(number, ranks, target=None):
    """Return rows of substitutes with these dense ranks; of the target, without one."""
    rows = [
        row(SUBSTITUTES, instance_id=id_of(number), substitute=word, gold_rank=rank, annotators=9 - rank)
        for word, rank in ranks.items()
    ]
    if target is not None:
        rows.append(
            row(SUBSTITUTES, instance_id=id_of(number), substitute=target, gold_rank=None, annotators=1, is_target=True)
        )
    return rows


def candidates(number, setting, forms, dropped=(), **columns):
    """Return rows of candidates, by rank, and of those that were dropped, by reason."""
    base = {"instance_id": id_of(number), "setting": setting, **columns}
    rows = [row(CANDIDATES, **base, form=form, rank=place, score=1 / place) for place, form in enumerate(forms, 1)]
    return rows + [row(CANDIDATES, **base, form=form, reason=reason) for form, reason in dropped]


def selections(number, setting, remaining, dropped=()):
    """Return rows of selections: scores by form, and reasons by form."""
    base = {"instance_id": id_of(number), "setting": setting}
    rows = [row(SELECTIONS, **base, form=form, kept=True, score=score) for form, score in remaining.items()]
    return rows + [row(SELECTIONS, **base, form=form, reason=reason) for form, reason in dropped]


def rankings(number, setting, ranker, ranks):
    """Return rows of rankings: ranks by form, in the order of their places."""
    return [
        row(
            RANKINGS,
            instance_id=id_of(number),
            setting=setting,
            ranker=ranker,
            form=form,
            rank=rank,
            place=place,
            allowed=True,
        )
        for place, (form, rank) in enumerate(ranks.items(), 1)
    ]


def chosen(number, setting, ranker, word, *, form=None, reason=None):
    """Return a row of simplifications."""
    return row(
        SIMPLIFICATIONS,
        instance_id=id_of(number),
        setting=setting,
        ranker=ranker,
        chosen=word,
        form=form,
        changed=reason is None,
        reason=reason,
        sentence_out="",
    )


def by_table(rows):
    """Return rows by table; each knows its table by its columns."""
    tables = {name: [] for name in TABLES}
    columns = {frozenset(table.schema().names): name for name, table in TABLES.items()}
    for row in rows:
        tables[columns[frozenset(row)]].append(row)
    return {name: table_rows for name, table_rows in tables.items() if table_rows}


def parts_of(folder, rows, number=1):
    """Write rows as parts of their tables; return the parts by table."""
    by_name = {}
    for name, table_rows in by_table(rows).items():
        table = TABLES[name]
        table_rows.sort(key=lambda row: tuple(row[column] or "" for column in table.key))
        by_name[name] = []
        for place in range(number):
            part_rows = [row for row in table_rows if int(row["instance_id"], 16) % number == place]
            made = pa.Table.from_pylist(part_rows, table.schema())
            artefact = Artefact(f"{folder}-{name.replace('/', '-')}{place}")
            file = write_part(artefact, made.schema, [made], sort_keys=table.key)
            by_name[name].append(Part.of(name, place, file))
    return by_name


def publish(out, rows, number=1):
    """Publish rows in a folder, in the sections of the commands that make them."""
    parts = parts_of(out, rows, number)
    for section in dict.fromkeys(SECTIONS.values()):
        section_parts = tuple(part for name in parts if SECTIONS[name] == section for part in parts[name])
        if section_parts:
            entry = {"options": {}, "inputs": [], **ENTRIES[section]}
            put(out, Made(name=section, parts=section_parts, entry=entry))
    return out


def ranked_target(number, setting, ranker, target):
    """Return the row of rankings that a target has beside its candidates."""
    return row(
        RANKINGS,
        instance_id=id_of(number),
        setting=setting,
        ranker=ranker,
        form=target,
        is_target=True,
        rank=None,
        place=None,
    )


def worked():
    """Return rows of the example that docs and tests compute by hand, of setting `a` and `b`."""
    return [
        instance(1, "arduo"),
        *substitutes(1, {"duro": 1, "Difícil": 2, "pesado": 3}, "arduo"),
        instance(2, "Veloz", "Veloz iba."),
        *substitutes(2, {"rápido": 1, "ágil": 1, "Ligero": 2}),
        instance(3, "óbice"),
        *substitutes(3, {"obstáculo": 1}),
        instance(4, "arduo"),
        *substitutes(4, {"duro": 1, "trabajoso": 1}),
        instance(5, "cosa"),
        *substitutes(5, {}, "cosa"),
        instance(6, "nadie"),
        *candidates(1, "a", ["difícil", "arduo", "largo", "duro"], [("pesado", "beyond_k")]),
        *candidates(2, "a", ["rápido", "raudo"]),
        *candidates(4, "a", ["áspero", "duro"]),
        *candidates(5, "a", ["asunto"]),
        *candidates(6, "a", ["ninguno"]),
        *candidates(1, "b", ["duro"]),
        *selections(1, "a", {"duro": 2.0, "difícil": 2.0}, [("arduo", "target_inflection"), ("largo", "pos_mismatch")]),
        *selections(2, "a", {"raudo": 2.0}, [("rápido", "merged")]),
        *selections(4, "a", {"áspero": 1.0, "duro": 3.0}),
        *selections(1, "b", {"duro": 1.0}),
        *rankings(1, "a", "frequency", {"difícil": 1, "duro": 1}),
        *rankings(1, "a", "senses", {"difícil": 1, "duro": 2}),
        ranked_target(1, "a", "frequency", "arduo"),
        ranked_target(1, "a", "senses", "arduo"),
        *rankings(2, "a", "frequency", {"raudo": 1}),
        *rankings(2, "a", "senses", {"raudo": 1}),
        *rankings(4, "a", "frequency", {"duro": 1, "áspero": 2}),
        *rankings(4, "a", "senses", {"áspero": 1, "duro": 1}),
        *rankings(1, "b", "frequency", {"duro": 1}),
        chosen(1, "a", "frequency", "difícil", form="difícil"),
        chosen(2, "a", "frequency", "Veloz", form="raudo", reason="keep_target"),
        chosen(3, "a", "frequency", "óbice", reason="no_candidate"),
        chosen(4, "a", "frequency", "duro", form="duro"),
        chosen(1, "a", "senses", "difícil", form="difícil"),
        chosen(2, "a", "senses", "Raudo", form="raudo"),
        chosen(4, "a", "senses", "áspero", form="áspero"),
        chosen(1, "b", "frequency", "duro", form="duro"),
    ]
