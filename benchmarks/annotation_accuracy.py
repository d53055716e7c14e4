"""Accuracy and speed of the annotation engines on Universal Dependencies treebanks.

    python benchmarks/annotation_accuracy.py --ud ../shared/data/ud \\
        builtin:en spacy:../shared/models/en_ud builtin:de builtin:es builtin:sv builtin:la

For each engine and each treebank of its language (files LANG_NAME-ud-*.conllu) the raw text is put
together from the treebank, a paragraph for each `# newpar` or `# newdoc`, else for every five
sentences, and annotated. Printed per treebank, in percent:

    tokens     F1 of token spans
    sentences  F1 of sentence spans
    upos       of the gold words that the engine has as a token of the same span, those with the
               same part of speech (words within a multiword token have no span of their own)
    lemma      the same for lemmas; `lemma*` without regard to case
    speed      tokens per second, as a ratio to HanTa's own `tag_sent` on the tokens of English
               EWT in the same run
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import threadpoolctl

from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import load_engine


class GoldTreebank(NamedTuple):
    """A treebank as text, with the span, part of speech and lemma of words, and sentence spans."""

    text: str
    words: dict[tuple[int, int], tuple[str, str]]
    tokens: set[tuple[int, int]]
    sentences: set[tuple[int, int]]


def read_sentences(path: Path) -> Iterator[tuple[bool, list[list[str]]]]:
    """Yield each sentence's rows, and whether it begins a paragraph."""
    rows: list[list[str]] = []
    border = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith(("# newpar", "# newdoc")):
            border = True
        elif line and not line.startswith("#"):
            rows.append(line.split("\t"))
        elif not line and rows:
            yield border, rows
            rows, border = [], False


def read_gold(path: Path) -> GoldTreebank:
    """Put the text of a treebank together."""
    sentences = list(read_sentences(path))
    marked = sum(border for border, _ in sentences) > len(sentences) / 100
    text = ""
    words, tokens, spans = {}, set(), set()
    for number, (border, rows) in enumerate(sentences):
        if number and (border if marked else number % 5 == 0):
            text = text.rstrip() + "\n\n"
        first = len(text)
        covered = 0
        for row in rows:
            if "." in row[0]:
                continue
            begin, _, end = row[0].partition("-")
            if not end and int(begin) <= covered:
                continue
            span = (len(text), len(text) + len(row[1]))
            tokens.add(span)
            if end:
                covered = int(end)
            else:
                words[span] = (row[3], row[2])
            text += row[1] + ("" if "SpaceAfter=No" in row[9] else " ")
        spans.add((first, len(text.rstrip())))
        if not text.endswith(" ") and number + 1 < len(sentences):
            text += " "
    return GoldTreebank(text.rstrip(), words, tokens, spans)


def f1(found: set[tuple[int, int]], gold: set[tuple[int, int]]) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * len(found & gold) / (len(found) + len(gold))


def hanta_speed(ud: Path) -> float:
    """Return tokens per second of HanTa's own tagger on English EWT."""
    from HanTa.HanoverTagger import HanoverTagger

    tagger = HanoverTagger("morphmodel_en.pgz")
    sentences = [
        [row[1] for row in rows if row[0].isdigit()] for _, rows in read_sentences(ud / "en_ewt-ud-dev.conllu")
    ]
    started = time.process_time()
    for sentence in sentences:
        tagger.tag_sent(sentence)
    return sum(map(len, sentences)) / (time.process_time() - started)


def measure(spec: str, path: Path, reference: float) -> str:
    """Return a row of the table."""
    gold = read_gold(path)
    engine = load_engine(spec)
    annotate_text(gold.text[:2000], engine)
    started = time.process_time()
    sentences = annotate_text(gold.text, engine)
    seconds = time.process_time() - started
    tokens, spans = set(), set()
    tagged = lemmatised = folded = aligned = count = 0
    for sentence in sentences:
        assert sentence.starts is not None
        assert sentence.ends is not None
        assert sentence.forms is not None
        spans.add((sentence.starts[0], sentence.ends[-1]))
        for index, span in enumerate(zip(sentence.starts, sentence.ends, strict=True)):
            count += 1
            tokens.add(span)
            if span not in gold.words:
                continue
            upos, lemma = gold.words[span]
            found = sentence.lemmas[index] if sentence.lemmas else ""
            aligned += 1
            tagged += bool(sentence.upos) and sentence.upos[index] == upos
            lemmatised += found == lemma
            folded += found.lower() == lemma.lower()
    figures = [
        f1(tokens, gold.tokens),
        f1(spans, gold.sentences),
        tagged / aligned if engine.has_upos else None,
        lemmatised / aligned,
        folded / aligned,
    ]
    cells = [engine.name, path.name.partition("-ud")[0]]
    cells += ["–" if figure is None else f"{100 * figure:.1f}" for figure in figures]
    return "| " + " | ".join([*cells, f"{count / seconds / reference:.1f}"]) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("engines", nargs="+", metavar="ENGINE")
    parser.add_argument("--ud", type=Path, default=Path("../shared/data/ud"))
    arguments = parser.parse_args()
    with threadpoolctl.threadpool_limits(1):
        reference = hanta_speed(arguments.ud)
        print(f"HanTa: {reference:.0f} tokens a second", file=sys.stderr)
        print("| engine | treebank | tokens | sentences | upos | lemma | lemma* | speed |")
        print("|---|---|---|---|---|---|---|---|")
        for spec in arguments.engines:
            language = load_engine(spec).language
            for path in sorted(arguments.ud.glob(f"{language}_*.conllu")):
                # A treebank without punctuation (PROIEL) has no sentence borders in its text.
                print(measure(spec, path, reference), flush=True)


if __name__ == "__main__":
    main()
