"""Words of languages that are written without spaces between them, and universal parts of speech of tag sets.

Both are for the engine `builtin`. Chinese is cut by jieba's dictionary and hidden Markov model (rjieba), Japanese by
SudachiPy in its shortest units (those of Universal Dependencies), Thai by PyThaiNLP (longest match over its
dictionary). What is cut is tagged, too: Chinese by jieba's tags, Japanese by spaCy's map from those of UniDic, Thai by
PyThaiNLP's tagger, which was trained on the treebank TUD. A Chinese or Thai word has one form, its lemma.

The tag sets of HanTa's models, and of jieba's dictionary, are mapped to the universal parts of speech (UPOS):

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

import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.formats.records.vertical_layout import TAG_SETS, by_upos


def tag_map(language: str) -> Callable[[str], str]:
    """Return the map for `language` (en, de, nl), a function from a tag to its UPOS.

    The function raises KeyError for a tag that is not in the tag set.
    """
    return TAG_MAPS[language]


# NN, IN and !!! are slips in HanTa's training data, not C5; UNKNOWN is HanTa's own.
_ENGLISH = by_upos(
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

# HanTa writes some with brackets, ADJ(A) and VV(FIN).
_GERMAN = {
    **{re.sub(r"\A(ADJ|V[AMV])(\w+)\Z", r"\1(\2)", tag): upos for tag, upos in TAG_SETS["STTS"].items()},
    **by_upos({"NOUN": "NNA NNI", "X": "UNKNOWN"}),
}

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
_CHINESE = by_upos(
    {
        "ADJ": "a b z",
        "ADP": "f p",
        "ADV": "ad d zg",
        "AUX": "ug ul uz",
        "CCONJ": "c",
        "INTJ": "e o",
        "NOUN": "an j n q s t vn",
        "NUM": "m",
        "PART": "h k u y",
        "PRON": "r",
        "PROPN": "nr ns nt nz",
        "VERB": "i l v",
        "X": "eng x",
    }
)


def upos_of_jieba(tag: str) -> str:
    """Return the UPOS of a tag of jieba's; one that is not known is X.

    >>> upos_of_jieba("nrt"), upos_of_jieba("uj"), upos_of_jieba("zg"), upos_of_jieba("")
    ('PROPN', 'PART', 'ADV', 'X')
    """
    return next((_CHINESE[tag[:end]] for end in range(len(tag), 0, -1) if tag[:end] in _CHINESE), "X")


PIECE = 5_000  # code points that SudachiPy is given at once: it takes 49,149 bytes
_FINAL = "。｡．！？!?."
_CLOSING = ("Pe", "Pf")


class SegmentedText(NamedTuple):
    """The words of a text, which put together are the text: white space is words, too.

    Attributes:
        words: in order.
        lemmas: of each.
        upos: of each.
        begins: whether a sentence begins with the word.
    """

    words: list[str]
    lemmas: list[str]
    upos: list[str]
    begins: list[bool]


@dataclass(frozen=True)
class Segmenter(Entry):
    """What finds the words of a language.

    Attributes:
        load: returns the function from a text to its words.
        distributions: the packages whose versions decide what it finds.
    """

    load: Callable[[], Callable[[str], SegmentedText]]
    distributions: tuple[str, ...]


def _chinese() -> Callable[[str], SegmentedText]:
    from rjieba import tag

    def segment(text: str) -> SegmentedText:
        pairs = tag(text)
        words = [word for word, _ in pairs]
        return SegmentedText(words, words, [upos_of_jieba(name) for _, name in pairs], _begins(words))

    return segment


def _japanese() -> Callable[[str], SegmentedText]:
    from spacy.lang.ja import resolve_pos
    from spacy.symbols import IDS
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="core").tokenizer(mode=SplitMode.A)
    names = {number: name for name, number in IDS.items()}

    def segment(text: str) -> SegmentedText:
        words, lemmas, upos = [], [], []
        for piece in _pieces(text):
            found = [morpheme for morpheme in tokenizer.tokenize(piece) if morpheme.end() > morpheme.begin()]
            tags = ["-".join(part for part in one.part_of_speech()[:4] if part != "*") for one in found]
            settled = None  # by the word before
            for morpheme, tag, following in zip(found, tags, [*tags[1:], None], strict=True):
                form = piece[morpheme.begin() : morpheme.end()]
                if settled is None:
                    number, settled = resolve_pos(form, tag, following)
                else:
                    number, settled = settled, None
                words.append(form)
                lemmas.append(morpheme.dictionary_form() or form)
                upos.append(names[number])
        return SegmentedText(words, lemmas, upos, _begins(words))

    return segment


def _begins(words: Sequence[str]) -> list[bool]:
    """Tell with which words sentences begin: behind a final mark, and the brackets and quotes that close behind it."""
    begins: list[bool] = []
    is_over = False
    for word in words:
        closes = all(unicodedata.category(sign) in _CLOSING or sign in _FINAL for sign in word)
        begins.append(not begins or (is_over and not closes))
        is_over = word[-1] in _FINAL or (is_over and closes)
    return begins


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most `PIECE`, cut behind a sentence where there is one."""
    while len(text) > PIECE:
        end = max(text.rfind(sign, 0, PIECE) for sign in _FINAL) + 1 or PIECE
        yield text[:end]
        text = text[end:]
    yield text


def _thai() -> Callable[[str], SegmentedText]:
    # It has all that is used here; without this it makes a folder in the home of whoever runs it.
    if "PYTHAINLP_READ_MODE" not in os.environ:
        os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")
    from pythainlp.tag import pos_tag
    from pythainlp.tokenize import sent_tokenize, word_tokenize

    def segment(text: str) -> SegmentedText:
        words: list[str] = []
        upos: list[str] = []
        begins: list[bool] = []
        for sentence in sent_tokenize(text, engine="crfcut", keep_whitespace=True):
            some = word_tokenize(sentence, engine="newmm-safe", keep_whitespace=True)
            words += some
            upos += [tag for _, tag in pos_tag(some, engine="perceptron", corpus="tud")]
            begins += [not place for place in range(len(some))]
        return SegmentedText(words, words, upos, begins)

    return segment


SEGMENTERS: Registry[Segmenter] = Registry(
    {
        "ja": Segmenter(
            _japanese,
            ("SudachiPy", "SudachiDict-core"),
            doc="Japanese, by SudachiPy",
            modules=("sudachipy", "sudachidict_core"),
            extra="ja",
        ),
        "th": Segmenter(
            _thai,
            ("pythainlp", "python-crfsuite"),
            doc="Thai, by PyThaiNLP",
            modules=("pythainlp", "pycrfsuite"),
            extra="th",
        ),
        "zh": Segmenter(_chinese, ("rjieba",), doc="Chinese, by jieba", modules=("rjieba",), extra="zh"),
    },
    what="segmenter",
)
