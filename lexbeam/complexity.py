# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam complexity ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["split"]


def split(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    method: str = "balanced",
    shares: str | Sequence[str] = ("train=.85", "trial=.05", "test=.10"),
    seed: int | str = 1,
    one_sentence: bool = False,
    bands: int | str = 256,
    duplicates: Literal["keep", "leave-out"] = "keep",
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
) -> Results:
    """Splits alike in genre and complexity, no token in two.

    Args:
        folder: folder with instances and labels; none: that of `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        method: paper: as the shared task's paper says, genre by genre; paper-global: the same, a
            token staying in the split of its first genre; balanced: genres and complexities made
            alike by swaps, no token in two splits.
        shares: splits and their shares of the instances.
        seed: other seeds give other splits.
        one_sentence: balanced: no sentence in two splits either; what hangs together by tokens and
            sentences and is too large goes to the largest split.
        bands: balanced: bands of complexity that are told apart, if labels have more values (at
            least 2, at most 4096).
        duplicates: instances that repeat another's target and sentence: split like others, or left
            out of all splits.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "complexity split",
        {
            "folder": folder,
            "out": out,
            "method": method,
            "shares": shares,
            "seed": seed,
            "one_sentence": one_sentence,
            "bands": bands,
            "duplicates": duplicates,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
        },
    )
