"""Maps from the tag sets of HanTa's models, and of jieba's dictionary, to the universal parts of speech (UPOS).

- English: the C5 tags of the British National Corpus
  (Leech, Garside and Bryant 1994, CLAWS4).
- German: the Stuttgart-Tübingen tags (Schiller et al. 1999) as HanTa writes them.
- Dutch: the D-Coi/CGN tags (Van Eynde 2005), mapped by their features.
- Chinese: the tags of ICTCLAS (Peking University) as jieba has them, by their first letters.

A map cannot know more than its tags: C5 and the Dutch tags do not distinguish `have` the auxiliary
from `have` the verb, so each tag is mapped to its most frequent universal tag in the treebanks.

    >>> tag_map("en")("NN2"), tag_map("de")("VV(FIN)"), tag_map("nl")("N(eigen,mv,basis)")
    ('NOUN', 'VERB', 'PROPN')
"""

from collections.abc import Callable


def tag_map(language: str) -> Callable[[str], str]:
    """Return the map for `language` (en, de, nl), a function from a tag to its UPOS.

    The function raises KeyError for a tag that is not in the tag set.
    """
    return TAG_MAPS[language]


def _by_upos(groups: dict[str, str]) -> dict[str, str]:
    return {tag: upos for upos, tags in groups.items() for tag in tags.split()}


# NN, IN and !!! are slips in HanTa's training data, not C5; UNKNOWN is HanTa's own.
_ENGLISH = _by_upos(
    {
        "ADJ": "AJ0 AJC AJS ORD",
        "ADP": "PRP PRF AVP IN",
        "ADV": "AV0 AVQ",
        "AUX": "VBB VBD VBG VBI VBN VBZ VDB VDD VDZ VHB VHZ VM0",
        "CCONJ": "CJC",
        "DET": "AT0 DT0",
        "INTJ": "ITJ !!!",
        "NOUN": "NN NN0 NN1 NN2 ZZ0",
        "NUM": "CRD",
        "PART": "POS TO0 XX0",
        "PRON": "DPS DTQ EX0 PNI PNP PNQ",
        "PROPN": "NP0",
        "PUNCT": "PUL PUN PUQ PUR",
        "SCONJ": "CJS CJT",
        "VERB": "VDG VDI VDN VHD VHG VHI VHN VVB VVD VVG VVI VVN VVZ",
        "X": "UNC UNKNOWN",
    }
)

_GERMAN = _by_upos(
    {
        "ADJ": "ADJ(A) ADJ(D)",
        "ADP": "APPO APPR APPRART APZR PTKVZ",
        "ADV": "ADV PROAV PTKA PWAV",
        "AUX": "VA(FIN) VA(IMP) VA(INF) VA(PP) VM(FIN) VM(INF) VM(PP)",
        "CCONJ": "KOKOM KON",
        "DET": "ART PDAT PIAT PPOSAT PWAT",
        "INTJ": "ITJ PTKANT",
        "NOUN": "NN NNA NNI TRUNC",
        "NUM": "CARD",
        "PART": "PTKNEG PTKZU",
        "PRON": "PDS PIS PPER PPOSS PRELAT PRELS PRF PWS",
        "PROPN": "NE",
        "PUNCT": "$( $, $.",
        "SCONJ": "KOUI KOUS",
        "VERB": "VV(FIN) VV(IMP) VV(INF) VV(IZU) VV(PP)",
        "X": "FM XY UNKNOWN",
    }
)

_DUTCH = {
    "ADJ": "ADJ",
    "BW": "ADV",
    "LET": "PUNCT",
    "LID": "DET",
    "N": "NOUN",
    "SPEC": "X",
    "TSW": "INTJ",
    "TW": "NUM",
    "UNKNOWN": "X",
    "VG": "CCONJ",
    "VNW": "PRON",
    "VZ": "ADP",
    "WW": "VERB",
}
# The first that holds, of a tag's class and a feature, goes before the class alone. Possessives
# (`bez`) stay pronouns, as in the Dutch treebanks.
_DUTCH_FEATURES = (
    ("N", "eigen", "PROPN"),
    ("SPEC", "symb", "SYM"),
    ("TW", "rang", "ADJ"),
    ("VG", "onder", "SCONJ"),
    ("VNW", "bez", "PRON"),
    ("VNW", "adv-pron", "ADV"),
    ("VNW", "prenom", "DET"),
)


def _dutch(tag: str) -> str:
    name, _, rest = tag.partition("(")
    features = rest.rstrip(")").split(",")
    for other, feature, upos in _DUTCH_FEATURES:
        if name == other and feature in features:
            return upos
    return _DUTCH[name]


TAG_MAPS: dict[str, Callable[[str], str]] = {"de": _GERMAN.__getitem__, "en": _ENGLISH.__getitem__, "nl": _dutch}


# The longest beginning that a tag has decides. `vn` are verbs used as nouns; what jieba takes for a conjunction
# may introduce a clause, too.
_CHINESE = {
    "a": "ADJ",
    "ad": "ADV",
    "an": "NOUN",
    "b": "ADJ",
    "c": "CCONJ",
    "d": "ADV",
    "e": "INTJ",
    "eng": "X",
    "f": "ADP",
    "h": "PART",
    "i": "VERB",
    "j": "NOUN",
    "k": "PART",
    "l": "VERB",
    "m": "NUM",
    "n": "NOUN",
    "nr": "PROPN",
    "ns": "PROPN",
    "nt": "PROPN",
    "nz": "PROPN",
    "o": "INTJ",
    "p": "ADP",
    "q": "NOUN",
    "r": "PRON",
    "s": "NOUN",
    "t": "NOUN",
    "u": "PART",
    "ug": "AUX",
    "ul": "AUX",
    "uz": "AUX",
    "v": "VERB",
    "vn": "NOUN",
    "x": "X",
    "y": "PART",
    "z": "ADJ",
    "zg": "ADV",
}


def upos_of_jieba(tag: str) -> str:
    """Return the UPOS of a tag of jieba's; one that is not known is X.

    >>> upos_of_jieba("nrt"), upos_of_jieba("uj"), upos_of_jieba("zg"), upos_of_jieba("")
    ('PROPN', 'PART', 'ADV', 'X')
    """
    return next((_CHINESE[tag[:end]] for end in range(len(tag), 0, -1) if tag[:end] in _CHINESE), "X")
