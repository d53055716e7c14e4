"""Words of languages that are written without spaces between them, for the engine `builtin`.

Chinese is cut by jieba's dictionary and hidden Markov model (rjieba), Japanese by SudachiPy in its shortest units
(those of Universal Dependencies), Thai by PyThaiNLP (longest match over its dictionary). What is cut is tagged, too:
Chinese by jieba's tags, Japanese by spaCy's map from those of UniDic, Thai by PyThaiNLP's tagger, which was trained on
the treebank TUD. A Chinese or Thai word has one form, its lemma.
"""

import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lexbeam.transforms.annotation.engines.tagsets import upos_of_jieba
from lexbeam.transforms.common.code.registry import Entry, Registry

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
