# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam complexity ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["features"]


def features(
    folder: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    use: str | Sequence[str] = (),
    wordlist: str | Sequence[str] = (),
    wordnet: str | os.PathLike[str] | None = None,
    vectors: str | os.PathLike[str] | None = None,
    corpus: str | os.PathLike[str] | None = None,
    languages: str | Sequence[str] = ("de", "en", "es", "fr", "it", "nl", "pt", "sv"),
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Features of words in their sentences, for complexity.

    Args:
        folder: folder with instances, of `lexbeam complexity load` or `select`; none: that of
            `out`.
        out: folder of the published tables; if not given, the one of `folder`.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        use: groups of features; if not given, all for which there is what they need.
        wordlist: word lists, each NAME=FILE:word=COLUMN,value=COLUMN, see docs/resources.md; the
            columns are called NAME.
        wordnet: folder of the database files of WordNet, see docs/wordnet.md.
        vectors: static vectors, FILE or a folder with our table, and what docs/resources.md has of
            options.
        corpus: folder of `lexbeam corpus`: a reference corpus in which the words are counted.
        languages: languages beside its own in which a word's frequency is looked up.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        beam: Beam options, as they stand on the command line.

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "complexity features",
        {
            "folder": folder,
            "out": out,
            "cache": cache,
            "use": use,
            "wordlist": wordlist,
            "wordnet": wordnet,
            "vectors": vectors,
            "corpus": corpus,
            "languages": languages,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
            "runner_config": runner_config,
        },
        beam,
    )
