"""Tag sets that taggers write into vertical files, as universal parts of speech (UPOS).

- UPOS itself, and CoNLL-U's `_` aside.
- English: the Penn Treebank's (Marcus, Santorini and Marcinkiewicz 1993), and TreeTagger's own, in which `VB` is *be*,
  `VH` *have* and `VV` any other verb.
- German: the Stuttgart-Tübingen tags (Schiller et al. 1999).
- French, Italian, Spanish: those of TreeTagger's parameter files.

A tag is mapped to its most frequent universal one. Which set it is, the tags tell:

    >>> tag_set(["DT", "NNS", "VBP", "SENT"]), tag_set(["ART", "NN", "VVFIN", "$."]), tag_set(["Ncmsn", "Vmip3s"])
    ('Penn', 'STTS', None)
"""

from collections import Counter
from collections.abc import Sequence

from lexbeam.schemas.corpus_tables import UPOS

SURE = 0.9  # of the tags, a set must know; what is no tag, such as a lemma, is known by chance now and then


def _by_upos(groups: dict[str, str]) -> dict[str, str]:
    return {tag: upos for upos, tags in groups.items() for tag in tags.split()}


_ENGLISH = {
    "ADJ": "JJ JJR JJS",
    "ADP": "IN RP",
    "ADV": "RB RBR RBS WRB",
    "CCONJ": "CC",
    "DET": "DT PDT",
    "INTJ": "UH",
    "NOUN": "NN NNS",
    "NUM": "CD",
    "PART": "POS TO",
    "PRON": "EX PRP PRP$ PP PP$ PPZ WDT WP WP$ WPZ",
    "PROPN": "NNP NNPS NP NPS",
    "PUNCT": "SENT . , : ; `` '' \" ( ) -LRB- -RRB- HYPH NFP",
    "SCONJ": "IN/that",
    "SYM": "$ # SYM",
    "X": "FW LS ADD AFX GW XX",
}
_VERB = ("", "D", "G", "N", "P", "Z")
TAG_SETS: dict[str, dict[str, str]] = {
    "UPOS": {tag: tag for tag in UPOS},
    "Penn": _by_upos({**_ENGLISH, "AUX": "MD", "VERB": " ".join(f"VB{form}" for form in _VERB)}),
    "TreeTagger English": _by_upos(
        {
            **_ENGLISH,
            "AUX": " ".join(("MD", *(f"{verb}{form}" for verb in ("VB", "VH", "VD") for form in _VERB))),
            "VERB": " ".join(f"VV{form}" for form in _VERB),
        }
    ),
    "STTS": _by_upos(
        {
            "ADJ": "ADJA ADJD",
            "ADP": "APPO APPR APPRART APZR PTKVZ",
            "ADV": "ADV PAV PROAV PROP PTKA PWAV",
            "AUX": "VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP",
            "CCONJ": "KOKOM KON",
            "DET": "ART PDAT PIAT PIDAT PPOSAT PWAT",
            "INTJ": "ITJ PTKANT",
            "NOUN": "NN TRUNC",
            "NUM": "CARD",
            "PART": "PTKNEG PTKZU",
            "PRON": "PDS PIS PPER PPOSS PRELAT PRELS PRF PWS",
            "PROPN": "NE",
            "PUNCT": "$( $, $. $[",
            "SCONJ": "KOUI KOUS",
            "VERB": "VVFIN VVIMP VVINF VVIZU VVPP",
            "X": "FM XY",
        }
    ),
    "TreeTagger French": _by_upos(
        {
            "ADJ": "ADJ",
            "ADP": "PRP PRP:det",
            "ADV": "ADV",
            "CCONJ": "KON",
            "DET": "DET:ART DET:POS",
            "INTJ": "INT",
            "NOUN": "NOM",
            "NUM": "NUM",
            "PRON": "PRO PRO:DEM PRO:IND PRO:PER PRO:POS PRO:REL",
            "PROPN": "NAM",
            "PUNCT": "PUN PUN:cit SENT",
            "SYM": "SYM",
            "VERB": "VER:cond VER:futu VER:impe VER:impf VER:infi VER:pper VER:ppre VER:pres VER:simp VER:subi "
            "VER:subp",
            "X": "ABR",
        }
    ),
    "TreeTagger Italian": _by_upos(
        {
            "ADJ": "ADJ",
            "ADP": "PRE PRE:det",
            "ADV": "ADV",
            "CCONJ": "CON",
            "DET": "DET:def DET:indef",
            "INTJ": "INT",
            "NOUN": "NOM",
            "NUM": "NUM",
            "PRON": "PRO PRO:demo PRO:indef PRO:inter PRO:pers PRO:poss PRO:refl PRO:rela",
            "PROPN": "NPR",
            "PUNCT": "PON SENT",
            "SYM": "SYM",
            "VERB": "VER:cimp VER:cond VER:cpre VER:futu VER:geru VER:impe VER:impf VER:infi VER:pper VER:ppre "
            "VER:pres VER:refl:infi VER:remo",
            "X": "ABR FW LS",
        }
    ),
    "TreeTagger Spanish": _by_upos(
        {
            "ADJ": "ADJ ORD",
            "ADP": "PAL PDEL PREP PREP/DEL",
            "ADV": "ADV NEG",
            "AUX": " ".join(
                f"{verb}{form}" for verb in ("VE", "VH", "VM", "VS") for form in ("adj", "fin", "ger", "inf")
            ),
            "CCONJ": "CC CCAD CCNEG",
            "DET": "ART DM QU",
            "INTJ": "ITJN",
            "NOUN": "NC NMEA NMON UMMX",
            "NUM": "CARD",
            "PRON": "INT PPC PPO PPX REL SE",
            "PROPN": "ACRNM NP",
            "PUNCT": "BACKSLASH CM COLON DASH DOTS FS LP QT RP SEMICOLON SLASH",
            "SCONJ": "CQUE CSUBF CSUBI CSUBX",
            "SYM": "PERCT SYM",
            "VERB": "VCLIfin VCLIger VCLIinf VLadj VLfin VLger VLinf",
            "X": "ALFP ALFS CODE FO PE PNC",
        }
    ),
}


def tag_set(tags: Sequence[str]) -> str | None:
    """Return the name of the set that knows most of some tags; None if none knows nine in ten."""
    counts = Counter(tags)
    known = {name: sum(counts[tag] for tag in counts.keys() & known.keys()) for name, known in TAG_SETS.items()}
    best = max(known, key=known.__getitem__)  # the first of several
    return best if tags and known[best] >= SURE * len(tags) else None
