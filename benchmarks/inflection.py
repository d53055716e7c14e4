"""Accuracy of inflection on a treebank's words, in folds that share no lemma.

    python -m benchmarks.inflection treebank.conllu
    python -m benchmarks.inflection treebank.conllu --dictionary spanish.txt
    python -m benchmarks.inflection ewt.conllu gum.conllu --language en --library

Each distinct (lemma, part of speech, FEATS, form) of nouns, verbs, adjectives, auxiliaries and
adverbs counts once, in lower case; rows that are marked as a typo or foreign are counted apart, and
neither learned from nor predicted. Of the dictionary, rules are learned for inflections that the
treebank has. Lemmas go to folds by their hash. Printed per class, in percent:

    treebank    rules that are learned from the other folds alone
    rules       rules from the other folds and the dictionary without any lemma of the fold
    dictionary  the dictionary, and where a lemma is not in it these rules
    in it       rows whose lemma and part of speech the dictionary has
    library     English by the library that `english.py` asks

With `--articles` it is counted for how many a and an before a word English rules give the same.
With `--errors` each wrong row is printed, with `--list-left-out` each row that is left out.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from transforms.common.draws.folds import fold_of
from transforms.inflection.articles import beside
from transforms.inflection.dictionaries import FormEntry, read_forms
from transforms.inflection.english import english_inflector
from transforms.inflection.features import feats_of, inflection, split
from transforms.inflection.inflector import Inflecting, Inflector, compiled, learned_rules
from transforms.inflection.store import forms_as_arrays, pack_plain

CLASSES = ("NOUN", "VERB", "ADJ", "ADV", "AUX")
FOLDS = 5


class TreebankRow(NamedTuple):
    """A distinct row of the treebank, in lower case."""

    lemma: str
    upos: str
    feats: str
    form: str


def rows_of(paths: Sequence[str]) -> tuple[list[TreebankRow], list[TreebankRow]]:
    """Return the rows of treebanks, and those that are marked as a typo or foreign."""
    kept, marked = set(), set()
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                cells = line.rstrip("\n").split("\t")
                if len(cells) == 10 and cells[0].isdecimal() and cells[3] in CLASSES:
                    row = TreebankRow(cells[2].lower(), cells[3], cells[5], cells[1].lower())
                    (marked if {"Typo", "Foreign"} & set(feats_of(row.feats)) else kept).add(row)
    return sorted(kept), sorted(marked)


def entries_of(path: str, format: str | None = None) -> Counter[FormEntry]:
    """Return the forms of a dictionary."""
    with open(path, "rb") as stream:
        return read_forms(stream, path, format).entries


def articles_of(paths: Sequence[str]) -> list[tuple[str, str, bool]]:
    """Return a and an before words, the words, and whether `beside` says the same."""
    found = []
    for path in paths:
        before = ""
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                cells = line.rstrip("\n").split("\t")
                if len(cells) == 10 and cells[0].isdecimal():
                    word = cells[1]
                    if before in ("a", "an") and word[0].isalpha():
                        found.append((before, word, beside("en", before, word) == before))
                    before = word.lower()
                elif not cells[0]:
                    before = ""
    return found


def predicted(inflector: Inflecting, row: TreebankRow, dictionary: bool) -> str:
    """Return a form; the lemma where nothing is known."""
    found = inflector.inflect(row.lemma, row.upos, feats_of(row.feats), dictionary=dictionary)
    return found.form if found else row.lemma


def main() -> None:
    """Print accuracies."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("treebank", nargs="+", help="CoNLL-U files")
    parser.add_argument("--dictionary", help="a form dictionary")
    parser.add_argument("--language", default="es")
    parser.add_argument("--library", action="store_true", help="English by the library, too")
    parser.add_argument("--articles", action="store_true", help="a and an, too")
    parser.add_argument("--errors", action="store_true", help="print wrong rows")
    parser.add_argument("--list-left-out", action="store_true", help="print rows left out")
    args = parser.parse_args()
    rows, marked = rows_of(args.treebank)
    print(f"{len(rows)} rows; left out, typo or foreign: {len(marked)}")
    if args.list_left_out:
        for row in marked:
            print("left out", *row, sep="\t")
    if args.articles:
        found = articles_of(args.treebank)
        print(f"articles: {sum(same for *_, same in found)} of {len(found)} as in the text")
        print("others:", *(f"{one} {word}" for one, word, same in found if not same), sep="\t")
    treebank = Counter(FormEntry(row.lemma, inflection(row.upos, feats_of(row.feats)), row.form) for row in rows)
    forms = entries_of(args.dictionary) if args.dictionary else Counter[FormEntry]()
    has = {(one.lemma, split(one.inflection)[0]) for one in forms}
    asked = {one.inflection for one in treebank}
    table = {**forms_as_arrays(forms), "guesses": pack_plain({})}
    folds = fold_of([row.lemma for row in rows], FOLDS, seed=1)
    right: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    for fold in range(FOLDS):
        held = [row for row, of in zip(rows, folds, strict=True) if of == fold]
        lemmas = {row.lemma for row in held}
        seen = Counter({one: n for one, n in treebank.items() if one.lemma not in lemmas})
        learned = Inflector(compiled(seen, args.language), args.language)
        ways: dict[str, tuple[Inflecting, bool]] = {"treebank": (learned, False)}
        if args.library:
            ways["library"] = (english_inflector(), True)
        if forms:
            others = (one for one in forms if one.inflection in asked and one.lemma not in lemmas and one not in seen)
            rules = learned_rules([*seen, *others], args.language)
            both = Inflector({**table, "rules": rules}, args.language)
            ways |= {"rules": (both, False), "dictionary": (both, True)}
        for row in held:
            in_it = (row.lemma, split(inflection(row.upos, {}))[0]) in has
            total.update((row.upos, "all"))
            if forms:
                right.setdefault("in it", Counter()).update((row.upos, "all") if in_it else ())
            for way, (inflector, dictionary) in ways.items():
                form = predicted(inflector, row, dictionary)
                counts = right.setdefault(way, Counter())
                counts.update((row.upos, "all") if form == row.form else ())
                if args.errors and form != row.form:
                    print(way, "in" if in_it else "out", *row, form, sep="\t")
    print("class", "rows", *right, sep="\t")
    for name in (*CLASSES, "all"):
        shares = (f"{100 * counts[name] / total[name]:.1f}" for counts in right.values())
        print(name, total[name], *shares, sep="\t")


if __name__ == "__main__":
    main()
