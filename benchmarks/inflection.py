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
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lexbeam.transforms.common.draws.splits import fold_of
from lexbeam.transforms.inflection.dictionaries import FormEntry, forms_as_arrays, pack_plain, read_forms
from lexbeam.transforms.inflection.english import english_inflector
from lexbeam.transforms.inflection.features import feats_of, inflection, split
from lexbeam.transforms.inflection.inflector import Inflecting, Inflector, compiled, learned_rules
from lexbeam.transforms.inflection.placing import beside

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
    accepted, marked = set(), set()
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                cells = line.rstrip("\n").split("\t")
                if len(cells) == 10 and cells[0].isdecimal() and cells[3] in CLASSES:
                    row = TreebankRow(cells[2].lower(), cells[3], cells[5], cells[1].lower())
                    (marked if {"Typo", "Foreign"} & set(feats_of(row.feats)) else accepted).add(row)
    return sorted(accepted), sorted(marked)


def entries_of(path: str, format: str | None = None) -> Counter[FormEntry]:
    """Return the forms of a dictionary."""
    with open(path, "rb") as stream:
        return read_forms(stream, path, format).entries


def articles_of(paths: Sequence[str]) -> list[tuple[str, str, bool]]:
    """Return a and an before words, the words, and whether `beside` says the same."""
    cases = []
    for path in paths:
        before = ""
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                cells = line.rstrip("\n").split("\t")
                if len(cells) == 10 and cells[0].isdecimal():
                    word = cells[1]
                    if before in ("a", "an") and word[0].isalpha():
                        cases.append((before, word, beside("en", before, word) == before))
                    before = word.lower()
                elif not cells[0]:
                    before = ""
    return cases


def predicted(inflector: Inflecting, row: TreebankRow, dictionary: bool) -> str:
    """Return a form; the lemma where nothing is known."""
    inflected = inflector.inflect(row.lemma, row.upos, feats_of(row.feats), dictionary=dictionary)
    return inflected.form if inflected else row.lemma


def ways_of(
    seen: Counter[FormEntry], forms: Counter[FormEntry], others: Iterable[FormEntry], args: argparse.Namespace
) -> dict[str, tuple[Inflecting, bool]]:
    """Return the inflectors that are compared by name, each with whether its dictionary counts.

    Args:
        seen: entries of the treebank without the lemmas that are predicted.
        forms: of the dictionary.
        others: those of the dictionary that rules may be learned from.
        args: of the command line.
    """
    ways: dict[str, tuple[Inflecting, bool]] = {
        "treebank": (Inflector(compiled(seen, args.language), args.language), False)
    }
    if args.library:
        ways["library"] = (english_inflector(), True)
    if forms:
        table = {**forms_as_arrays(forms), "guesses": pack_plain({})}
        both = Inflector({**table, "rules": learned_rules([*seen, *others], args.language)}, args.language)
        ways |= {"rules": (both, False), "dictionary": (both, True)}
    return ways


def scored(rows: Sequence[TreebankRow], args: argparse.Namespace) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """Return how many rows of each class each way predicts rightly, and how many there are."""
    treebank = Counter(FormEntry(row.lemma, inflection(row.upos, feats_of(row.feats)), row.form) for row in rows)
    forms = entries_of(args.dictionary) if args.dictionary else Counter[FormEntry]()
    has = {(entry.lemma, split(entry.inflection)[0]) for entry in forms}
    inflections = {entry.inflection for entry in treebank}
    folds = fold_of([row.lemma for row in rows], FOLDS, seed=1)
    right: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    for fold in range(FOLDS):
        held = [row for row, of in zip(rows, folds, strict=True) if of == fold]
        lemmas = {row.lemma for row in held}
        seen = Counter({entry: n for entry, n in treebank.items() if entry.lemma not in lemmas})
        usable = (entry for entry in forms if entry.inflection in inflections and entry.lemma not in lemmas)
        ways = ways_of(seen, forms, [entry for entry in usable if entry not in seen], args)
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
    return right, total


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
        articles = articles_of(args.treebank)
        print(f"articles: {sum(same for *_, same in articles)} of {len(articles)} as in the text")
        print("others:", *(f"{article} {word}" for article, word, same in articles if not same), sep="\t")
    right, total = scored(rows, args)
    print("class", "rows", *right, sep="\t")
    for name in (*CLASSES, "all"):
        shares = (f"{100 * counts[name] / total[name]:.1f}" for counts in right.values())
        print(name, total[name], *shares, sep="\t")


if __name__ == "__main__":
    main()
