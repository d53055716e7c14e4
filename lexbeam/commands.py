# Written by `make api` from the registry of commands: edits are lost.
"""The commands as functions."""

import os
from collections.abc import Sequence
from typing import Literal

from lexbeam import cloze, complexity, evaluate, lexicon, simplify
from lexbeam._calling import act as _act
from lexbeam._calling import preview as _preview
from lexbeam._calling import publish as _publish
from lexbeam.results import Results

__all__ = [
    "change",
    "clean",
    "cloze",
    "complexity",
    "corpus",
    "evaluate",
    "export",
    "init",
    "lexicon",
    "preview_corpus",
    "report",
    "run",
    "sample",
    "simplify",
    "status",
]


def change(
    corpora: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    slices: str | Sequence[str],
    out: str | os.PathLike[str] | None = None,
    pairs: Literal["consecutive", "first", "all"] = "consecutive",
    targets: str | os.PathLike[str] | None = None,
    unit: Literal["lemma", "form"] = "lemma",
    case: Literal["auto", "lower", "keep"] = "auto",
    homonym_marks: Literal["strip", "keep"] = "strip",
    min_sentence: int | str = 10,
    length_counts: Literal["all", "words"] = "all",
    target_pos: Literal["join", "keep"] = "join",
    view_seed: int | str = 0,
    max_tokens: int | str | None = None,
    write_text: str | os.PathLike[str] | None = None,
    dim: int | str = 100,
    window: int | str = 10,
    epochs: int | str = 5,
    negative: int | str = 5,
    sample: float | str = 0.0,
    alpha: float | str = 0.025,
    min_count: int | str | Sequence[int | str] = (5,),
    seeds: int | str | Sequence[int | str] = (1,),
    null: int | str = 0,
    null_seed: int | str = 1,
    series: bool = True,
    fit_on: str | None = None,
    rcond: float | str = 1e-10,
    alignment: str | Sequence[str] = ("op", "cca"),
    measure: str | Sequence[str] = ("cosine",),
    rank_min_count: int | str = 50,
    rank_min_documents: int | str = 5,
    rank_pos: str
    | Sequence[
        Literal[
            "ADJ",
            "ADP",
            "ADV",
            "AUX",
            "CCONJ",
            "DET",
            "INTJ",
            "NOUN",
            "NUM",
            "PART",
            "PRON",
            "PROPN",
            "PUNCT",
            "SCONJ",
            "SYM",
            "VERB",
            "X",
            "all",
        ]
    ] = ("NOUN", "VERB", "ADJ"),
    neighbour_words: int | str = 100,
    neighbours: int | str = 10,
    neighbour_min_count: int | str = 20,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    beam: Sequence[str] = (),
) -> Results:
    """Time slices, embeddings, alignments and change scores.

    Args:
        corpora: folders made by `lexbeam corpus`; several make one corpus; none: that of `out`.
        slices: periods, both ends included: 1810-1860,1960-2010 or bc=..-1,ad=0.. or 'every 20'.
        out: folder of the published tables; if not given, the one of `corpora`.
        pairs: pairs of slices to compare.
        targets: target words, one a line, perhaps with _nn, _vb or _jj.
        unit: what is trained on.
        case: letter case of the words; auto: lower, but keep for German.
        homonym_marks: marks like #4 at a lemma's end.
        min_sentence: shorter sentences are dropped.
        length_counts: what a sentence's length counts.
        target_pos: join targets like attack_nn with their part of speech, or keep them as text.
        view_seed: seed of shuffling and downsampling.
        max_tokens: downsample slices to this many tokens, or to the `smallest` slice.
        write_text: also write the training view as text, a file per slice.
        dim: length of the vectors (at least 1, at most 10000).
        window: words to either side, at most (at least 1, at most 10000).
        epochs: passes over a slice (at least 1, at most 10000).
        negative: words drawn for each true context (at least 1, at most 1000).
        sample: threshold of random removal of frequent words; 0 for none (at least 0, at most 1).
        alpha: learning rate at the start (at least 0, at most 1).
        min_count: frequency cut, one or one per slice (at least 1).
        seeds: number of seeds (3), or the seeds themselves (1,5,9) (at least 0, at most
            2147483647).
        null: null pairs for each pair of slices, which say what scores chance gives: 3 at least, or
            0 for none (default 0) (at least 0, at most 1000).
        null_seed: seed that documents are dealt by (at least 0).
        series: with three or more slices: series of all of them, and change points.
        fit_on: words to fit on: shared, without-targets, top:N, or several joined by +; default
            shared for op, without-targets+top:100000 for cca.
        rcond: cca drops singular values below this share of the first (at least 0, at most 1).
        alignment: alignments; procrustes is another name for op.
        measure: measures.
        rank_min_count: uses in both slices that a ranked word needs.
        rank_min_documents: documents in both slices that a ranked word needs, or a fifth of a
            smaller slice.
        rank_pos: parts of speech that rankings show, where there are tags; all for any.
        neighbour_words: first words of rankings that get neighbours, beside the targets (at least
            0, at most 1000000).
        neighbours: neighbours to list per word (at least 1, at most 10000).
        neighbour_min_count: uses that a neighbour needs (at least 1).
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
        "change",
        {
            "corpora": corpora,
            "slices": slices,
            "out": out,
            "pairs": pairs,
            "targets": targets,
            "unit": unit,
            "case": case,
            "homonym_marks": homonym_marks,
            "min_sentence": min_sentence,
            "length_counts": length_counts,
            "target_pos": target_pos,
            "view_seed": view_seed,
            "max_tokens": max_tokens,
            "write_text": write_text,
            "dim": dim,
            "window": window,
            "epochs": epochs,
            "negative": negative,
            "sample": sample,
            "alpha": alpha,
            "min_count": min_count,
            "seeds": seeds,
            "null": null,
            "null_seed": null_seed,
            "series": series,
            "fit_on": fit_on,
            "rcond": rcond,
            "alignment": alignment,
            "measure": measure,
            "rank_min_count": rank_min_count,
            "rank_min_documents": rank_min_documents,
            "rank_pos": rank_pos,
            "neighbour_words": neighbour_words,
            "neighbours": neighbours,
            "neighbour_min_count": neighbour_min_count,
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


def clean(path: str | os.PathLike[str] | None = None, *, cache: bool = False) -> list[str]:
    """Free artefacts, and what killed runs have left in a folder.

    Args:
        path: folder of published tables, or with `cache` a cache folder.
        cache: free the cache of compiled resources, the user's if no folder is given.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act("clean", {"path": path, "cache": cache})


def corpus(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    format: str = "auto",
    exclude: str | Sequence[str] = (),
    encoding: str | Sequence[str] = ("utf-8",),
    control: Literal["reject", "drop"] = "reject",
    marks: Literal["reject", "break"] = "reject",
    fields: str | Sequence[str] = (),
    text_field: str = "text",
    json_path: str = "",
    records: str = "",
    tei_parts: str | Sequence[Literal["body", "front", "back"]] = ("body",),
    delimiter: str = "",
    quoting: bool = True,
    header: bool = True,
    columns: str | Sequence[str] = (),
    lines_hold: Literal["lemmas", "forms", "text"] = "lemmas",
    html: Literal["reject", "main", "all"] = "reject",
    language: str | None = None,
    genre: str | None = None,
    duplicates: Literal["reject", "keep"] = "reject",
    dates: str | None = None,
    date_range: Literal["first", "middle", "last", "reject"] = "first",
    engine: str = "none",
    normalise: str | os.PathLike[str] | None = None,
    layers: str | Sequence[str] = (),
    max_reject_share: float | str = 0.05,
    max_record_bytes: int | str = 200000000,
    max_line_bytes: int | str = 33554432,
    max_expansion_ratio: int | str = 200,
    max_expanded_bytes: int | str = 1099511627776,
    max_document_characters: int | str = 20000000,
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
    """Raw text to annotated sentences.

    Args:
        inputs: files, folders or globs, on any file system that Beam takes.
        out: folder of the published tables.
        format: format of the input.
        exclude: patterns of files to leave out: of the path below the input, or of its last parts.
        encoding: encoding of text, lines, JSON, CSV and CoNLL-U; of several the first that takes a
            file or line.
        control: what becomes of NUL and halves of surrogate pairs; drop takes all control
            characters but white space.
        marks: what becomes of over 30 combining marks in a row.
        fields: which field gives what: title=headline,author=meta.by.
        text_field: field, column or path that holds the text: text, a.b, speeches[].text.
        json_path: path of the array within a JSON file.
        records: array in JSON or Parquet whose elements are the records: debates[].speeches[].
        tei_parts: parts of a TEI text.
        delimiter: of CSV; found out if not given.
        quoting: whether quotes mean something in CSV.
        header: whether the first row of CSV names the columns.
        columns: names of the columns of CSV without header.
        lines_hold: what `lines` are made of; text is for an engine.
        html: what is read of web pages: their main text, all, or nothing.
        language: language where the source does not say.
        genre: genre where the source does not say.
        duplicates: what becomes of equal documents.
        dates: where dates come from: name:REGEX, header, field:NAME,
            table:FILE:key=COLUMN,date=COLUMN, or one period FROM..TO.
        date_range: year that counts of a date that is a range.
        engine: annotation engine: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG, or none for
            input that comes annotated.
        normalise: TSV of rules for forms and lemmas, see docs/reference/annotation.md.
        layers: further columns of `sentences`: xpos, feats, heads, deprels, entities;
            docs/reference/annotation.md says what they are.
        max_reject_share: publish nothing if more than this share of input records is rejected (at
            least 0, at most 1).
        max_record_bytes: larger files read whole (text, TEI, JSON object) or JSON elements are
            rejects (at least 1, at most 1125899906842624).
        max_line_bytes: longer lines are rejects: JSON lines, CSV, CoNLL-U, lines (at least 1, at
            most 1125899906842624).
        max_expansion_ratio: what expands more, and to over 16 MiB, is a reject: compressed files,
            archives (at least 1, at most 1125899906842624).
        max_expanded_bytes: what expands to more is a reject: compressed files, archives (at least
            1, at most 1125899906842624).
        max_document_characters: longer documents are rejects (at least 1).
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        parts: parts (files) of each table of records (at least 1, at most 10000).
        beam: Beam options, as they stand on the command line.

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "corpus",
        {
            "inputs": inputs,
            "out": out,
            "format": format,
            "exclude": exclude,
            "encoding": encoding,
            "control": control,
            "marks": marks,
            "fields": fields,
            "text_field": text_field,
            "json_path": json_path,
            "records": records,
            "tei_parts": tei_parts,
            "delimiter": delimiter,
            "quoting": quoting,
            "header": header,
            "columns": columns,
            "lines_hold": lines_hold,
            "html": html,
            "language": language,
            "genre": genre,
            "duplicates": duplicates,
            "dates": dates,
            "date_range": date_range,
            "engine": engine,
            "normalise": normalise,
            "layers": layers,
            "max_reject_share": max_reject_share,
            "max_record_bytes": max_record_bytes,
            "max_line_bytes": max_line_bytes,
            "max_expansion_ratio": max_expansion_ratio,
            "max_expanded_bytes": max_expanded_bytes,
            "max_document_characters": max_document_characters,
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


def export(
    path: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str],
    format: Literal["word2vec", "npy", "tsv"] | None = None,
    aligned: str | None = None,
    tables: bool = False,
    license: str | None = None,
    without: str | Sequence[str] = (),
) -> list[str]:
    """Vectors or tables, for other tools and archives.

    Args:
        path: folder of published tables.
        out: folder to write to.
        format: write vectors, in this format.
        aligned: write each pair of slices in one space, by this alignment.
        tables: write the tables as a plain folder with a data card.
        license: with `tables`: name of the licence, such as cc-by-4.0.
        without: with `tables`: tables to leave out, such as documents,sentences.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act(
        "export",
        {
            "path": path,
            "out": out,
            "format": format,
            "aligned": aligned,
            "tables": tables,
            "license": license,
            "without": without,
        },
    )


def init(
    folder: str | os.PathLike[str],
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    overwrite: bool = False,
) -> list[str]:
    """Write a configuration for texts, from a look at them.

    Args:
        folder: folder to write config.yaml to.
        inputs: files, folders or globs, as `lexbeam corpus` takes them.
        overwrite: replace the config.yaml that is there.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act("init", {"folder": folder, "inputs": inputs, "overwrite": overwrite})


def preview_corpus(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    format: str = "auto",
    exclude: str | Sequence[str] = (),
    encoding: str | Sequence[str] = ("utf-8",),
    control: Literal["reject", "drop"] = "reject",
    marks: Literal["reject", "break"] = "reject",
    fields: str | Sequence[str] = (),
    text_field: str = "text",
    json_path: str = "",
    records: str = "",
    tei_parts: str | Sequence[Literal["body", "front", "back"]] = ("body",),
    delimiter: str = "",
    quoting: bool = True,
    header: bool = True,
    columns: str | Sequence[str] = (),
    lines_hold: Literal["lemmas", "forms", "text"] = "lemmas",
    html: Literal["reject", "main", "all"] = "reject",
    language: str | None = None,
    genre: str | None = None,
    duplicates: Literal["reject", "keep"] = "reject",
    dates: str | None = None,
    date_range: Literal["first", "middle", "last", "reject"] = "first",
    engine: str = "none",
    normalise: str | os.PathLike[str] | None = None,
    layers: str | Sequence[str] = (),
    max_reject_share: float | str = 0.05,
    max_record_bytes: int | str = 200000000,
    max_line_bytes: int | str = 33554432,
    max_expansion_ratio: int | str = 200,
    max_expanded_bytes: int | str = 1099511627776,
    max_document_characters: int | str = 20000000,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] = "direct",
    parts: int | str = 8,
) -> list[str]:
    """A look at what `corpus` would take in, with the same options; nothing is written.

    Args:
        inputs: files, folders or globs, on any file system that Beam takes.
        out: folder of the published tables.
        format: format of the input.
        exclude: patterns of files to leave out: of the path below the input, or of its last parts.
        encoding: encoding of text, lines, JSON, CSV and CoNLL-U; of several the first that takes a
            file or line.
        control: what becomes of NUL and halves of surrogate pairs; drop takes all control
            characters but white space.
        marks: what becomes of over 30 combining marks in a row.
        fields: which field gives what: title=headline,author=meta.by.
        text_field: field, column or path that holds the text: text, a.b, speeches[].text.
        json_path: path of the array within a JSON file.
        records: array in JSON or Parquet whose elements are the records: debates[].speeches[].
        tei_parts: parts of a TEI text.
        delimiter: of CSV; found out if not given.
        quoting: whether quotes mean something in CSV.
        header: whether the first row of CSV names the columns.
        columns: names of the columns of CSV without header.
        lines_hold: what `lines` are made of; text is for an engine.
        html: what is read of web pages: their main text, all, or nothing.
        language: language where the source does not say.
        genre: genre where the source does not say.
        duplicates: what becomes of equal documents.
        dates: where dates come from: name:REGEX, header, field:NAME,
            table:FILE:key=COLUMN,date=COLUMN, or one period FROM..TO.
        date_range: year that counts of a date that is a range.
        engine: annotation engine: spacy:NAME_OR_PATH, stanza:LANG[:DIR], builtin:LANG, or none for
            input that comes annotated.
        normalise: TSV of rules for forms and lemmas, see docs/reference/annotation.md.
        layers: further columns of `sentences`: xpos, feats, heads, deprels, entities;
            docs/reference/annotation.md says what they are.
        max_reject_share: publish nothing if more than this share of input records is rejected (at
            least 0, at most 1).
        max_record_bytes: larger files read whole (text, TEI, JSON object) or JSON elements are
            rejects (at least 1, at most 1125899906842624).
        max_line_bytes: longer lines are rejects: JSON lines, CSV, CoNLL-U, lines (at least 1, at
            most 1125899906842624).
        max_expansion_ratio: what expands more, and to over 16 MiB, is a reject: compressed files,
            archives (at least 1, at most 1125899906842624).
        max_expanded_bytes: what expands to more is a reject: compressed files, archives (at least
            1, at most 1125899906842624).
        max_document_characters: longer documents are rejects (at least 1).
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        parts: parts (files) of each table of records (at least 1, at most 10000).

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _preview(
        "corpus",
        {
            "inputs": inputs,
            "out": out,
            "format": format,
            "exclude": exclude,
            "encoding": encoding,
            "control": control,
            "marks": marks,
            "fields": fields,
            "text_field": text_field,
            "json_path": json_path,
            "records": records,
            "tei_parts": tei_parts,
            "delimiter": delimiter,
            "quoting": quoting,
            "header": header,
            "columns": columns,
            "lines_hold": lines_hold,
            "html": html,
            "language": language,
            "genre": genre,
            "duplicates": duplicates,
            "dates": dates,
            "date_range": date_range,
            "engine": engine,
            "normalise": normalise,
            "layers": layers,
            "max_reject_share": max_reject_share,
            "max_record_bytes": max_record_bytes,
            "max_line_bytes": max_line_bytes,
            "max_expansion_ratio": max_expansion_ratio,
            "max_expanded_bytes": max_expanded_bytes,
            "max_document_characters": max_document_characters,
            "resume": resume,
            "overwrite": overwrite,
            "fresh": fresh,
            "drop": drop,
            "keep": keep,
            "keep_snapshots": keep_snapshots,
            "runner_config": runner_config,
            "parts": parts,
        },
    )


def report(
    path: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    no_text: bool = False,
    corpus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
) -> list[str]:
    """One HTML page about all that is published.

    Args:
        path: folder of published tables.
        out: file to write; DIR/report.html if not given.
        no_text: quote nothing, for a corpus whose text may not be passed on.
        corpus: corpus folders to quote, if not those that the tables were made from.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act("report", {"path": path, "out": out, "no_text": no_text, "corpus": corpus})


def run(
    config: str | os.PathLike[str],
    *,
    only: str | Sequence[str] = (),
    from_: str | None = None,
    max_reject_share: float | str | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    fresh: bool = False,
    drop: str | Sequence[str] = (),
    keep: Literal["all", "published"] = "all",
    keep_snapshots: int | str = 2,
    runner_config: str | os.PathLike[str] | None = None,
    parts: int | str | None = None,
    beam: Sequence[str] = (),
) -> Results:
    """Any commands from one configuration file, published once.

    Args:
        config: YAML file.
        only: run only these sections of the file; what they read must be published.
        from_: run this section and those after it.
        max_reject_share: publish nothing if more than this share of input records is rejected (at
            least 0, at most 1).
        out: folder of the published tables.
        resume: continue a run that was cut off, with the same options.
        overwrite: replace what is published there; artefacts are still reused.
        fresh: make everything anew, whatever artefacts there are.
        drop: published sections to remove with this publication.
        keep: artefacts kept for later runs: all, or only published parts.
        keep_snapshots: snapshots kept, the new one among them (at least 1).
        runner_config: YAML file of runner_configs/, or its name.
        parts: parts (files) of each table of records (at least 1, at most 10000).
        beam: Beam options, as they stand on the command line.

    Returns:
        All that is published in the folder then.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _publish(
        "run",
        {
            "config": config,
            "only": only,
            "from": from_,
            "max_reject_share": max_reject_share,
            "out": out,
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


def sample(
    *, out: str | os.PathLike[str], tokens: int | str = 300000, seed: int | str = 1, overwrite: bool = False
) -> list[str]:
    """Write a sample corpus with planted sense changes.

    Args:
        out: folder to write to.
        tokens: words of the corpus (at most 1000000000).
        seed: another seed gives another corpus.
        overwrite: replace an earlier sample there.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act("sample", {"out": out, "tokens": tokens, "seed": seed, "overwrite": overwrite})


def status(path: str | os.PathLike[str], *, verify: bool = False) -> list[str]:
    """What is done, left and stale in a folder.

    Args:
        path: folder of published tables.
        verify: check every published part by its digest.

    Returns:
        The lines that the command prints.

    Raises:
        UsageError: an option is wrong, or missing.
        LexbeamError: it failed, for the reason told.
    """
    return _act("status", {"path": path, "verify": verify})
