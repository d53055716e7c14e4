# Written by `make api` from the registry of commands: edits are lost.
"""The views of the published sections as methods."""

import os
from collections.abc import Sequence

import pyarrow as pa

from lexbeam._asking import ask as _ask
from lexbeam._asking import tell as _tell
from transforms.common.snapshots import Snapshot

__all__ = ["Views"]


class Views:
    """Questions to published tables."""

    snapshot: Snapshot

    def top(
        self, top: int | str = 20, *, alignment: str | None = None, measure: str | None = None
    ) -> pa.Table:
        """The most changed words of each pair of slices.

        Args:
            top: the most changed words of each pair of slices (at least 1).
            alignment: by this alignment; the first if not given.
            measure: by this measure; the first if not given.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot, "change", "top", {"top": top, "alignment": alignment, "measure": measure}
        )

    def word(
        self,
        word: str,
        *,
        slice: str | None = None,
        seed: int | str = 0,
        corpus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    ) -> pa.Table:
        """Scores, neighbours and sentences of a word.

        Args:
            word: look at this word.
            slice: only this slice.
            seed: which sentences are drawn.
            corpus: corpus folders to draw sentences from, if not the folder itself.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "change",
            "word",
            {"word": word, "slice": slice, "seed": seed, "corpus": corpus},
        )

    def tell_word(
        self,
        word: str,
        *,
        slice: str | None = None,
        seed: int | str = 0,
        corpus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    ) -> list[str]:
        """Scores, neighbours and sentences of a word.

        Args:
            word: look at this word.
            slice: only this slice.
            seed: which sentences are drawn.
            corpus: corpus folders to draw sentences from, if not the folder itself.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "change",
            "word",
            {"word": word, "slice": slice, "seed": seed, "corpus": corpus},
        )

    def neighbours(
        self,
        neighbours: str,
        *,
        slice: str | None = None,
        training_seed: int | str | None = None,
        n: int | str = 10,
    ) -> pa.Table:
        """The neighbours of a word in every slice.

        Args:
            neighbours: list the neighbours of this word.
            slice: only this slice.
            training_seed: of the vectors of this seed; else of the first.
            n: neighbours in each slice (at least 1).

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "change",
            "neighbours",
            {"neighbours": neighbours, "slice": slice, "training_seed": training_seed, "n": n},
        )
