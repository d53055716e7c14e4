"""Tab files (Open Multilingual Wordnet, MCR): `synset<TAB>language:lemma<TAB>lemma`.

The synset is `offset-pos`; underscores are spaces. Other lines (`spa:def`, comments) are skipped. A lemma that begins
with a backtick is English that nobody has translated: a placeholder.
"""

import re
from collections.abc import Iterator

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.lexicon.thesauri.senses import Member, ThesaurusFile, ThesaurusSense, WordSense, tidy

PLACEHOLDER = "`"
# In synsets `s` is an adjective satellite.
_SYNSET = {"n": "NOUN", "v": "VERB", "a": "ADJ", "s": "ADJ", "r": "ADV"}
_SYNSET_ID = re.compile(r"\S*\d-([nvasr])\Z")


def is_synset(line: str) -> bool:
    """Return whether a line is one of a synset."""
    name, tab, _ = line.partition("\t")
    return bool(tab) and _SYNSET_ID.match(name) is not None


def read_tab(source: ThesaurusFile) -> Iterator[WordSense]:
    """Yield the synsets of a tab file, in the order in which they begin; None stands for all members.

    Raises:
        LexbeamError: a line is wrong, or the file has no lemma.
    """
    synsets: dict[str, dict[Member, None]] = {}
    for number, line in source.texts():
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) < 3 or _SYNSET_ID.match(cells[0]) is None:
            raise source.wrong(number, "OFFSET-POS, TYPE and LEMMA with tabs", line)
        if cells[1].rpartition(":")[2] != "lemma":
            continue
        text = tidy(cells[2].replace("_", " "))
        shown = tidy(text.removeprefix(PLACEHOLDER))
        if shown:
            members = synsets.setdefault(cells[0], {})
            members[Member(shown, placeholder=text.startswith(PLACEHOLDER))] = None
    if not synsets:
        raise LexbeamError(f"{source.path} has no line of a lemma (LANGUAGE:lemma): is it a wordnet?")
    for name, members in synsets.items():
        yield None, ThesaurusSense(name, _SYNSET[name[-1]], tuple(members))
