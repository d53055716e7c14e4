"""Errors of grammar in rewritten Spanish sentences, by rules and an analyser that no stage of ours uses.

    apt-get install lttoolbox apertium-spa-cat
    python -m benchmarks.simplification_grammar before after [--first 100] [--setting S] [--ranker R] [--errors]

Folders have `simplification/simplifications`; of each the first changed sentences are judged, by the ids of instances,
which are hashes. Apertium's analyser (`lt-proc`, with `--analyser FILE` another of its files) says what words may be.
A sentence has an error of a kind, once, if

- `agreement`: of a noun within six words of the change, a determiner before it (adjectives and adverbs between them),
  an adjective or participle right beside it or behind an adverb or *y*, or one behind it and a form of *ser* or
  *estar* agrees by no pair of readings, and the source has fewer such pairs;
- `article`: *de el*, *a el* before a small letter; *la*, *una* right before a feminine noun with a stressed a; *y*, *o*
  before their own sound; *e*, *u* before another;
- `capital`: the first letter of the sentence, or the chosen word, is not a capital where that of the source is, or is
  one where it is none;
- `form`: the analyser does not know a word that is new;
- `inflection`: no reading of the chosen word has part of speech, number, person, mood and tense of a reading of the
  target (of a noun not the gender).

Per hundred changed sentences, with Wilson intervals of 95 %.
"""

import argparse
import difflib
import re
import shutil
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lexbeam.schemas.simplification import INSTANCES, SIMPLIFICATIONS
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store.tables import read_rows
from lexbeam.transforms.evaluation.bootstrap import wilson

ANALYSER = "/usr/share/apertium/apertium-spa-cat/spa-cat.automorf.bin"
KINDS = ("agreement", "article", "capital", "form", "inflection")
_WORD = re.compile(r"\w+")
_UNIT = re.compile(r"\^(.*?)(?<!\\)\$")
_REACH = 6
_STRESSED_A = re.compile("h?(á|a[^aeiouáéíóú]+[aeo]s?$|a[^aeiouáéíóú]+[aeiou][^aeiouáéíóúns]*[aeo]?$)")
_E_SOUND = re.compile("h?[ií](?![aeo])")
_O_SOUND = re.compile("h?[oó]")

Tags = tuple[str, ...]


class AnalysedSentence(NamedTuple):
    """Words of a sentence, and the tags of the readings of each; none of one that is not known."""

    words: list[str]
    readings: list[list[Tags]]


def analysed(texts: Sequence[str], program: str, analyser: str) -> list[AnalysedSentence]:
    """Return the words of sentences with their readings; each word is analysed by itself, in lower case."""
    words = [_WORD.findall(text) for text in texts]
    known = sorted({word.lower() for some in words for word in some})
    done = subprocess.run(
        [program, "-w", analyser], input="\n".join(known) + "\n", capture_output=True, text=True, check=True
    )
    readings = {}
    for word, line in zip(known, done.stdout.splitlines(), strict=True):
        units = _UNIT.findall(line)
        of_word = [] if len(units) != 1 else units[0].split("/")[1:]
        readings[word] = [
            tuple(re.findall("<(.*?)>", reading))
            for reading in of_word
            if not reading.startswith("*") and "+" not in reading
        ]
        if any("+" in reading for reading in of_word):  # contractions and clitics: the first part is the word
            readings[word] += [tuple(re.findall("<(.*?)>", one.split("+")[0])) for one in of_word if "+" in one]
    return [AnalysedSentence(some, [readings[word.lower()] for word in some]) for some in words]


def _is(readings: Sequence[Tags], *kinds: str) -> list[Tags]:
    """Return the readings that are of some kinds: first tags of Apertium, and `pp` for participles."""
    return [tags for tags in readings if tags and (tags[0] in kinds or ("pp" in kinds and "pp" in tags))]


# Genders and numbers, and what stands for any of them.
_AGREEING = (({"m", "f", "mf"}, {"mf", "nt", "GD"}), ({"sg", "pl", "sp"}, {"sp", "ND"}))


def _agree(one: Sequence[Tags], other: Sequence[Tags]) -> bool:
    def same(first: set[str], second: set[str]) -> bool:
        for values, wide in _AGREEING:
            if values & first and values & second and not (values & first & second or wide & (first | second)):
                return False
        return True

    return any(same({*first}, {*second}) for first in one for second in other)


def disagreements(sentence: AnalysedSentence, near: range) -> Iterator[tuple[str, str]]:
    """Yield the nouns near a place with what does not agree with them."""
    words, readings = sentence
    for at in near:
        nouns = _is(readings[at], "n")
        if nouns and not _is(readings[at], "det", "pr", "cnjcoo", "cnjsub", "adv"):
            for other in _before(sentence, at, nouns):
                yield words[at], words[other]
            for other in _behind(sentence, at, nouns):
                yield words[at], words[other]


def _before(sentence: AnalysedSentence, at: int, nouns: Sequence[Tags]) -> Iterator[int]:
    words, readings = sentence
    left = at - 1
    while left >= 0 and at - left <= 4 and _is(readings[left], "adj", "adv", "preadv"):
        described = _is(readings[left], "adj")
        if _is(readings[left], "det"):
            break
        if described and not _is(readings[left], "n", "adv", "pr") and not _agree(described, nouns):
            yield left
        left -= 1
    determiners = _is(readings[left], "det") if left >= 0 else []
    stressed = left == at - 1 and words[left].lower() in ("el", "un", "algún", "ningún")
    if determiners and not (stressed and any("f" in tags for tags in nouns)) and not _agree(determiners, nouns):
        yield left


def _behind(sentence: AnalysedSentence, at: int, nouns: Sequence[Tags]) -> Iterator[int]:
    words, readings = sentence
    right = at + 1
    while right < len(words) and right - at <= 2:
        if not _is(readings[right], "adv", "preadv") and words[right].lower() not in ("y", "e"):
            break
        right += 1
    if right >= len(words):
        return
    described = _is(readings[right], "adj", "pp")
    finite = [tags for tags in _is(readings[right], "vblex") if "pp" not in tags]
    if described and not finite and not _is(readings[right], "n", "det", "adv", "pr"):
        if not _agree(described, nouns):
            yield right
    elif (_is(readings[right], "vbser") or words[right].lower().startswith("est")) and right + 1 < len(words):
        predicate = _is(readings[right + 1], "adj", "pp")
        subject = at > 0 and _is(readings[at - 1], "det") and not (at > 1 and _is(readings[at - 2], "pr"))
        if subject and predicate and not _is(readings[right + 1], "n", "adv", "det") and not _agree(predicate, nouns):
            yield right + 1


def _articles(text: str, sentence: AnalysedSentence) -> int:
    """Return how many articles and conjunctions have the wrong shape for the sound behind them."""
    errors = len(re.findall(r"\b[dD]e el (?=[a-zñáéíóú])|\b[aA] el (?=[a-zñáéíóú])", text))
    for place, (first, second) in enumerate(zip(sentence.words, sentence.words[1:], strict=False)):
        low, behind = first.lower(), second.lower()
        if not re.search(rf"\b{re.escape(first)} {re.escape(second)}\b", text):
            continue
        feminine = any(tags[:2] == ("n", "f") and "sg" in tags for tags in sentence.readings[place + 1])
        only = all(tags[0] == "n" or tags[0].startswith("vb") for tags in sentence.readings[place + 1])
        errors += low in ("la", "una") and feminine and only and bool(_STRESSED_A.match(behind))
        errors += low == "y" and bool(_E_SOUND.match(behind)) and not behind.startswith("hie")
        errors += low == "o" and bool(_O_SOUND.match(behind))
        errors += low == "e" and not _E_SOUND.match(behind)
        errors += low == "u" and not _O_SOUND.match(behind)
    return errors


_OF_FORM = {"sg", "pl", "p1", "p2", "p3", "pri", "prs", "pii", "pis", "ifi", "fti", "cni", "imp", "inf", "ger", "pp"}


def _forms(readings: Sequence[Tags]) -> list[tuple[str, frozenset[str]]]:
    forms = []
    for tags in readings:
        verb, participle = tags[0].startswith("vb"), "pp" in tags
        # A participle stands where an adjective does.
        kind = "adj" if participle else "v" if verb else tags[0]
        forms.append((kind, (_OF_FORM & {*tags}) - {"pp"}))
    return forms


def _inflected_alike(target: Sequence[Tags], chosen: Sequence[Tags]) -> bool:
    """Return whether some reading of one is inflected as some reading of the other; unknown words are."""
    if not target or not chosen:
        return True
    return any(
        kind == other and (tags == others or "sp" in {*tags, *others} or not tags or not others)
        for kind, tags in _forms(target)
        for other, others in _forms(chosen)
    )


class Judged(NamedTuple):
    """A changed sentence: its source, what came out, target and chosen word, with their analyses."""

    source: str
    out: str
    target: str
    chosen: str
    analyses: Sequence[AnalysedSentence]


def errors(judged: Judged) -> list[str]:
    """Return the kinds of errors of a changed sentence."""
    source, out, target, chosen = judged.analyses
    matcher = difflib.SequenceMatcher(None, source.words, out.words, autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    new = [at for code in changes for at in range(code[3], code[4])]
    old = [at for code in changes for at in range(code[1], code[2])]

    def near(places: Sequence[int], words: Sequence[str]) -> range:
        return range(max(0, min(places, default=0) - _REACH), min(len(words), max(places, default=-1) + _REACH + 1))

    found = []
    was = Counter(disagreements(source, near(old, source.words)))
    if sum(Counter(disagreements(out, near(new, out.words))).values()) > sum(was.values()):
        found.append("agreement")
    if _articles(judged.out, out) > _articles(judged.source, source):
        found.append("article")
    letters = [next((c for c in text if c.isalpha()), "") for text in (judged.source, judged.out)]
    if letters[0].isupper() != letters[1].isupper() or judged.target[:1].isupper() != judged.chosen[:1].isupper():
        found.append("capital")
    if any(not out.readings[at] and not out.words[at].isdecimal() for at in new):
        found.append("form")
    if len(target.words) == len(chosen.words) == 1 and not _inflected_alike(target.readings[0], chosen.readings[0]):
        found.append("inflection")
    return found


def changed_sentences(
    folder: str, first: int, setting: str | None, ranker: str | None
) -> list[tuple[str, str, str, str]]:
    """Return source, sentence that came out, target and chosen word of the first changed sentences."""
    shot = open_snapshot(folder)
    instances = {
        row["instance_id"]: row
        for batch in read_rows([part.path for part in shot.parts(INSTANCES.name)])
        for row in batch.to_pylist()
    }
    rows = [
        row
        for batch in read_rows([part.path for part in shot.parts(SIMPLIFICATIONS.name)])
        for row in batch.to_pylist()
        if row["changed"] and setting in (None, row["setting"]) and ranker in (None, row["ranker"])
    ]
    rows.sort(key=lambda row: row["instance_id"])
    pairs = [(instances[row["instance_id"]], row) for row in rows[:first]]
    return [(of["sentence"], row["sentence_out"], of["target"], row["chosen"]) for of, row in pairs]


def main() -> int:
    """Judge folders and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--setting")
    parser.add_argument("--ranker")
    parser.add_argument("--program", default="lt-proc")
    parser.add_argument("--analyser", default=ANALYSER)
    parser.add_argument("--errors", action="store_true", help="print the sentences with errors")
    options = parser.parse_args()
    if shutil.which(options.program) is None or not Path(options.analyser).is_file():
        parser.error("needs Apertium's analyser: apt-get install lttoolbox apertium-spa-cat, or name it by --analyser")
    print(f"{'':32}{'sentences':>10}{'any':>6}  {'':16}" + "".join(f"{kind:>12}" for kind in KINDS))
    for folder in options.folders:
        rows = changed_sentences(folder, options.first, options.setting, options.ranker)
        texts = [unicodedata.normalize("NFC", text) for row in rows for text in row]
        sentences = analysed(texts, options.program, options.analyser)
        judged = [Judged(*row, sentences[4 * at : 4 * at + 4]) for at, row in enumerate(rows)]
        found = [errors(one) for one in judged]
        counts, wrong = Counter(kind for kinds in found for kind in kinds), sum(bool(kinds) for kinds in found)
        low, high = (100 * bound for bound in wilson(wrong, len(rows)))
        share = 100 / len(rows)
        print(
            f"{folder[-32:]:32}{len(rows):10}{wrong * share:6.1f}  ({low:4.1f}-{high:4.1f})    "
            + "".join(f"{counts[kind] * share:12.1f}" for kind in KINDS)
        )
        for one, kinds in zip(judged, found, strict=True):
            if kinds and options.errors:
                print(f"    {', '.join(kinds)}: {one.target} > {one.chosen}: {one.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
