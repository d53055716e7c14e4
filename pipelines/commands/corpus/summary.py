"""What a person reads when a corpus is made: sizes, how it lies in time, and what to do next."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from transforms.change.view.proposals import propose_slices
from transforms.common.publish.snapshots import Snapshot
from transforms.common.store import files
from transforms.corpora.decades import histogram

__all__ = ["corpus_summary"]


def corpus_summary(snapshot: Snapshot) -> Iterator[str]:
    """Yield what was taken in, tokens over time, and, where nothing compares them yet, slices."""
    section = snapshot.section("corpus")
    reasons = ", ".join(f"{reason} {number}" for reason, number in section["rejects"].items())
    documents = {int(year): n for year, n in section["documents_by_year"].items()}
    tokens = {int(year): n for year, n in section["tokens_by_year"].items()}
    years = f", years {min(documents)} to {max(documents)}" if documents else ""
    yield (
        f"{section['records']} input records: {section['documents']} documents, "
        f"{section['rejected']} rejects{f' ({reasons})' if reasons else ''}"
    )
    yield f"{section['sentences']} sentences, {section['tokens']} tokens{years}"
    if notes := section.get("notes"):
        yield "while reading: " + ", ".join(f"{note} {number}" for note, number in notes.items())
    yield from histogram(documents, tokens)
    undated = section["documents"] - sum(documents.values())
    if undated and documents:
        without = section["tokens"] - sum(tokens.values())
        yield f"  without a date: {without:,} ({undated:,})"
    if "change" not in snapshot.sections:
        yield from _next(snapshot.out, section, documents, tokens)


def _next(
    out: str, section: Mapping[str, Any], documents: Mapping[int, int], tokens: Mapping[int, int]
) -> Iterator[str]:
    if not documents:
        yield (
            "no document has a date: `lexbeam change` compares periods and needs dates; to use it, "
            "make the corpus anew with `dates` (docs/reference/formats.md)"
        )
        return
    found = propose_slices(documents, tokens)
    if found.reason:
        yield f"no slices for `lexbeam change` can be proposed: {found.reason}"
        return
    sizes = " and ".join(
        f"{slice.name} ({number:,} documents, {size:,} tokens)"
        for slice, number, size in zip(found.slices, found.documents, found.tokens, strict=True)
    )
    yield f"slices of about equal size: {sizes}"
    columns = section["columns"]
    unit = ["--unit", "form"] if "lemmas" not in columns and "forms" in columns else []
    words = ["lexbeam", "change", _as_argument(out), "--slices", found.spec, "--null", "3", *unit]
    yield f"next: {shlex.join(words)}"


def _as_argument(path: str) -> str:
    shown = files.shown(path)
    return f"./{shown}" if shown.startswith("-") else shown
