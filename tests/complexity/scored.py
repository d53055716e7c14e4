"""Small folders of instances, features and labels, made up, for tests of scorers."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

from making import put

from lexbeam.schemas.complexity import INSTANCES, LABELS, SPLITS, features_schema
from lexbeam.transforms.common.publish.sections import Made
from lexbeam.transforms.common.store.artefacts import Artefact
from lexbeam.transforms.common.store.tables import Part, write_part

WORDS = [f"w{number:02}" for number in range(60)]
DIM = 3
GENRES = ("bible", "biomed")


def tables(*, singles=120, expressions=60, seed=1, shuffle=None, unlabelled=()):
    """Return instances, labels and features of words whose complexity goes by their frequency.

    Args:
        singles, expressions: instances of each kind; a word has several.
        seed: of what is made up.
        shuffle: of the rows; None: in the order of ids.
        unlabelled: places of instances without a label.
    """
    random = np.random.default_rng(seed)
    zipf = dict(zip(WORDS, random.uniform(1, 6, len(WORDS)).tolist(), strict=True))
    long = dict(zip(WORDS, random.integers(3, 12, len(WORDS)).tolist(), strict=True))
    aoa = {word: 12 - zipf[word] if place % 3 else None for place, word in enumerate(WORDS)}
    turned = np.random.default_rng(seed + 1000)  # the numbers stay what they are
    vectors = {word: [float(long[word]), *turned.normal(size=DIM - 1).tolist()] for word in WORDS}
    instances, labels, features = [], [], []
    for place in range(singles + expressions):
        single = place < singles
        some = random.choice(WORDS, 1 if single else 2, replace=False).tolist()
        token, kind = " ".join(some), "single" if single else "mwe"
        token = token.upper() if place % 7 == 0 else token
        genre, identifier = GENRES[place % 2], f"{place * 7919 % 10007:032x}"
        hard = float(np.mean([6 - zipf[word] + 0.1 * long[word] for word in some]) / 7)
        hard = float(np.clip(hard + random.normal(0, 0.05), 0, 1))
        instances.append(
            {
                "instance_id": identifier,
                "kind": kind,
                "token": token,
                "genre": genre,
                "sentence": f"a {token} b",
                "start": 2,
                "end": 2 + len(token),
                "source": "made.tsv",
                "source_id": f"{seed}-{place}" if place % 10 else None,
                "flags": [],
                "published_split": "trial" if place % 5 == 0 else "train",
            }
        )
        if place not in unlabelled:
            labels.append({"instance_id": identifier, "group": "", "complexity": hard})
            labels.append({"instance_id": identifier, "group": "x", "complexity": 1 - hard})
        row = {
            "instance_id": identifier,
            "kind": kind,
            "genre": genre,
            "group": f"{hash_of(token.casefold()):016x}",
            "sentence_length": float(place % 11),
        }
        for name, of in (("zipf", zipf), ("length", long), ("aoa", aoa)):
            known = [of[word] for word in some if of[word] is not None]
            row[name] = float(np.mean(known)) if known else None
            row[f"{name}_first"] = None if single else of[some[0]]
            row[f"{name}_last"] = None if single else of[some[-1]]
        row["aoa_known"] = all(aoa[word] is not None for word in some)
        pair = [vectors[word] for word in some]
        row["vector"] = [sum(values) / len(some) for values in zip(*pair, strict=True)] if place % 11 else None
        row["vector_first"], row["vector_last"] = (None, None) if single else pair
        features.append(row)
    for rows in (instances, labels, features):
        if shuffle is not None:
            np.random.default_rng(shuffle).shuffle(rows)
        else:
            rows.sort(key=lambda row: row["instance_id"])
    columns = [
        pa.field(name, pa.bool_() if name == "aoa_known" else pa.float64(), metadata={"group": group})
        for name, group in (
            ("zipf", "frequency"),
            ("zipf_first", "frequency"),
            ("zipf_last", "frequency"),
            ("length", "form"),
            ("length_first", "form"),
            ("length_last", "form"),
            ("aoa", "norms"),
            ("aoa_first", "norms"),
            ("aoa_last", "norms"),
            ("aoa_known", "norms"),
            ("sentence_length", "context"),
        )
    ]
    columns += [
        pa.field(name, pa.list_(pa.float32()), metadata={"group": "vectors", "dim": str(DIM)})
        for name in ("vector", "vector_first", "vector_last")
    ]
    return {
        "instances": pa.Table.from_pylist(instances, INSTANCES.schema()),
        "labels": pa.Table.from_pylist(labels, LABELS.schema()),
        "features": pa.Table.from_pylist(features, features_schema(columns)),
    }


def publish(out, made):
    """Publish tables in a folder, as sections of those that make them."""
    parts = {}
    for table, rows in made.items():
        rows = rows.sort_by("instance_id")
        file = write_part(Artefact(f"{out}-{table}"), rows.schema, [rows])
        parts[table] = Part.of(f"complexity/{table}", 0, file)
    entry = {"options": {}, "inputs": []}
    first = tuple(parts[table] for table in ("instances", "labels") if table in parts)
    put(out, Made(name="complexity.load", parts=first, entry=entry))
    put(out, Made(name="complexity.features", parts=(parts["features"],), entry=entry))
    return out


def hash_of(text):
    """Return a number for a text, the same everywhere."""
    return int.from_bytes(text.encode()[-8:].rjust(8, b"\0")) ^ len(text) << 3


def splits_of(instances):
    """Return a table of splits that is not the published one."""
    rows = [
        {"instance_id": one["instance_id"], "split": "b" if place % 4 == 0 else "a", "method": "x"}
        for place, one in enumerate(instances.to_pylist())
    ]
    return pa.Table.from_pylist(rows, SPLITS.schema())
