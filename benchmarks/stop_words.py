"""How many function words are among the most frequent lemmas of Universal Dependencies treebanks.

    python benchmarks/stop_words.py --ud ../shared/data/ud es_gsd sv_talbanken la_ittb

Per treebank: the share of the uses of function words that the most frequent lemmas hold, and how many of these lemmas
are function words. A lemma is one if most of its uses are of a closed class.
"""

import argparse
from collections import Counter
from pathlib import Path

CLOSED = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})


def measure(path: Path, number: int) -> str:
    """Return a row of the table."""
    uses: Counter[str] = Counter()
    closed: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = line.split("\t")
        if row[0].isdigit() and any(map(str.isalpha, row[1])):
            uses[row[2].lower()] += 1
            closed[row[2].lower()] += row[3] in CLOSED
    function = {lemma for lemma in uses if 2 * closed[lemma] > uses[lemma]}
    head = [lemma for lemma, _ in uses.most_common(number) if lemma in function]
    held = sum(uses[lemma] for lemma in head) / sum(uses[lemma] for lemma in function)
    others = ", ".join(lemma for lemma, _ in uses.most_common(number) if lemma not in function)
    return f"| {path.name.partition('-ud')[0]} | {100 * held:.0f} % | {len(head)} of {number} | {others[:60]}... |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("treebanks", nargs="+", metavar="LANG_NAME")
    parser.add_argument("--ud", type=Path, default=Path("../shared/data/ud"))
    parser.add_argument("--number", type=int, default=100)
    arguments = parser.parse_args()
    print("| treebank | uses of function words held | function words | others |")
    print("|---|---|---|---|")
    for name in arguments.treebanks:
        (path,) = arguments.ud.glob(f"{name}-ud-*.conllu")
        print(measure(path, arguments.number))


if __name__ == "__main__":
    main()
