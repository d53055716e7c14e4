"""Small tables of a change run, made by hand, for tests of its panels."""

import numpy as np
from published import DIM, change_section, publish

from lexbeam.transforms.embeddings.alignment import fit_alignment
from lexbeam.transforms.embeddings.published import side_row
from lexbeam.transforms.embeddings.spaces import Space

HOSTILE = "</script><script>alert(1)</script>"


def slice_row(name, start, tokens=100):
    counts = (
        "documents",
        "sentences",
        "tokens_before",
        "sentences_short",
        "sentences_sampled_out",
        "sentences_split",
        "types",
        "vocabulary",
    )
    return {
        "slice": name,
        "from": start,
        "to": start + 49,
        "tokens": tokens,
        "min_count": 5,
        "tokens_short": 0,
        "largest_document_share": 0.125,
        **dict.fromkeys(counts, 9),
    }


SLICES = [[slice_row("old", 1800)], [slice_row("new", 1850)]]


def vectors(slice, words, seed=1):
    """A part of table `vectors`, made from the names."""
    random = np.random.default_rng([seed, len(slice), ord(slice[0])])
    return [
        {
            "slice": slice,
            "seed": seed,
            "variant": "apart",
            "word": word,
            "count": 9,
            "documents": 3,
            "vector": random.normal(size=DIM).astype(np.float32).tolist(),
        }
        for word in sorted(words)
    ]


def space(rows):
    made = np.array([row["vector"] for row in rows], np.float32)
    return Space([row["word"] for row in rows], np.full(len(rows), 9), made, 100)


def aligned(old, new, names=("old", "new"), seed=1, method="op"):
    """A part of table `alignments`, and the alignment."""
    fitted = fit_alignment(method, space(old), space(new))
    common = {
        "slice_from": names[0],
        "slice_to": names[1],
        "seed": seed,
        "alignment": method,
        "variant": "apart",
        "fit_words": fitted.fit_words,
        "residual": fitted.residual,
    }
    sides = (("from", fitted.source), ("to", fitted.target))
    return [{**common, "side": name, **side_row(side, True)} for name, side in sides], fitted


def snapshot_of(folder, rows, more=(), **section):
    """Return a snapshot of rows of `scores`; `more` are tables, and the rest is of the section."""
    parts = rows if rows and isinstance(rows[0], list) else [rows]
    words = {row["word"] for part in parts for row in part}
    made = [vectors(name, words) for name in ("old", "new")]
    tables = {"scores": parts, "slices": SLICES, "vectors": made}
    return publish(folder, {"change": change_section(**section)}, {**tables, **dict(more)})


def known(**other):
    """What evidence adds to a row of `scores`."""
    return {
        "null_mean": 0.2,
        "null_sd": 0.05,
        "null_high": 0.25,
        "excess": 0.1,
        "q_value": 0.5,
        "q_relative": 0.5,
        **other,
    }


def pair(**other):
    return {
        "slice_from": "old",
        "slice_to": "new",
        "alignment": "op",
        "measure": "cosine",
        "seeds": 1,
        "ranked": 300,
        "null_runs": 3,
        "null_unit": "document",
        "clusters_from": 30,
        "clusters_to": 40,
        "low_power": False,
        "shift": 0.5,
        "share_differs": 0.25,
        "share_significant": 0.125,
        **other,
    }
