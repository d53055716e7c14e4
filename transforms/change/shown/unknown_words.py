"""Words that the tables do not have: why they may lack them."""

from collections.abc import Iterable, Mapping
from typing import Any

from transforms.common.publish.snapshots import Snapshot

__all__ = ["why_unknown"]


def why_unknown(snapshot: Snapshot) -> str:
    """Return why a word of the texts may be in no table, with the numbers of the run."""
    section = snapshot.section("change")
    view = section["view"]
    rows = {row["slice"]: row for row in snapshot.read("slices").to_pylist()}
    slices = [rows[name] for name, *_ in section["slices"] if name in rows]
    needed = _by_slice(slices, "min_count")
    words = "lemmas" if view["unit"] == "lemma" else "forms"
    text = (
        f"the tables have {'targets, and ' if section['targets'] else ''}"
        f"{words} with at least {needed} uses in a slice "
        "(`min_count`)"
    )
    if short := sum(row["sentences_short"] for row in slices):
        text += (
            f"; words of sentences with fewer than {view['min_sentence']} tokens are not counted "
            f"(`min_sentence` leaves out {short:,} sentences)"
        )
    if sampled := sum(row["sentences_sampled_out"] for row in slices):
        text += f"; words of {sampled:,} sentences that `max_tokens` leaves out are not counted"
    return text


def _by_slice(slices: Iterable[Mapping[str, Any]], name: str) -> str:
    """Return the number of each slice, or the one that all have."""
    values = {str(row["slice"]): row[name] for row in slices}
    if len(set(values.values())) == 1:
        return str(next(iter(values.values())))
    return " or ".join(f"{number} (in {slice})" for slice, number in values.items())
