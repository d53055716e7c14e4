# Written by `make api` from the registry of commands: edits are lost.
"""The commands `lexbeam complexity ...` as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = ["select"]


def select(
    corpora: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    out: str | os.PathLike[str] | None = None,
    patterns: str | Sequence[str] = (),
    proper: bool = False,
    plurals: bool = True,
    language: str | None = None,
    genres: str | Sequence[str] = (),
    min_sentence: int | str = 1,
    max_sentence: int | str | None = None,
    band: str | Sequence[str] = (),
    contexts: int | str = 5,
    quota: int | str | Sequence[int | str] = (),
    seed: int | str = 1,
    resources: str | Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    parts: int | str = 8,
    beam: Sequence[str] = (),
) -> Results:
    """Targets in their sentences, drawn from corpora.

    Args:
        corpora: folders made by `lexbeam corpus`; none: that of `out`.
        out: folder of the published tables; if not given, the one of `corpora`.
        patterns: patterns of targets: noun, noun-noun, en:adj-noun; if not given, all of the
            corpora's languages.
        proper: proper nouns count as nouns.
        plurals: plural nouns count as nouns; without them, layer xpos is needed.
        language: language of sentences whose language is not known (ISO 639).
        genres: genre of each corpus, in the order of the corpora; if not given, the documents' own.
        min_sentence: shortest sentence, in tokens (at least 1).
        max_sentence: longest sentence, in tokens (at least 1).
        band: only targets each word of which has a value of LIST, a resource, between these, both
            included: zipf=2:5, zipf=:4.5.
        contexts: most instances of a case-folded target in a genre (at least 1).
        quota: most instances of a genre and kind: N, or single=N,mwe=M; if not given, all.
        seed: another seed draws other instances (at least 0).
        resources: word lists, vectors, WordNet: NAME=FILE:word=COLUMN,value=COLUMN or
            NAME=KIND:..., see docs/resources.md.
        cache: folder of compiled resources; if not given, that of LEXBEAM_CACHE or the user's.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        parts: parts (files) of the table (at least 1, at most 10000).
        beam: Beam options, as they stand on the command line.

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "complexity select",
        {
            "corpora": corpora,
            "out": out,
            "patterns": patterns,
            "proper": proper,
            "plurals": plurals,
            "language": language,
            "genres": genres,
            "min_sentence": min_sentence,
            "max_sentence": max_sentence,
            "band": band,
            "contexts": contexts,
            "quota": quota,
            "seed": seed,
            "resources": resources,
            "cache": cache,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
            "runner_config": runner_config,
            "parts": parts,
        },
        beam,
    )
