"""WordNet as a kind of resource: `wordnet`, `wordnet:DIR`, `wordnet:DIR:language=CODE`; DIR may be a tab file."""

import re
from dataclasses import dataclass

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.texts.languages import stated_language
from lexbeam.transforms.lexicon.compiled.kind import Opened, Parsed, ResourceKind
from lexbeam.transforms.lexicon.wordnet.compiling import compile_wordnet
from lexbeam.transforms.lexicon.wordnet.files import digest_of_database
from lexbeam.transforms.lexicon.wordnet.tab import DEBIAN, digest_of_tab, is_tab
from lexbeam.transforms.lexicon.wordnet.wordnet import WordNet

_OPTION = re.compile(r"(?:^|:)([a-z_]+)=([^:/=]*)$")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What decides results beside the files.

    Attributes:
        language: the language of the words; endings are detached only in English.
    """

    language: str = "en"


def parse(argument: str) -> Parsed:
    """Return folder or file and options of `DIR[:language=CODE]`; without a folder it is Debian's.

    Raises:
        UsageError: an option is unknown, the language is none, or that of a tab file is not given.
    """
    values = {}
    while match := _OPTION.search(argument):
        argument = argument[: match.start()]
        name, value = match.groups()
        if name != "language" or name in values:
            raise UsageError(f"`wordnet` has no option {name!r}, or has it twice: write `wordnet:DIR:language=CODE`")
        values[name] = stated_language(value)
    if is_tab(argument) and not values:
        raise UsageError(f"{argument!r} holds words of another language: say which, as in {argument}:language=es")
    options = Options(**values)
    return Parsed((argument or DEBIAN,), options, options.language)


def _open(opened: Opened, options: Options) -> WordNet:
    return WordNet(opened, options.language)


def _digest(path: str) -> str:
    return digest_of_tab(path) if is_tab(path) else digest_of_database(path)


WORDNET = ResourceKind(
    parse=parse,
    compile=compile_wordnet,
    open=_open,
    help=(
        "wordnet[:DIR][:language=CODE]: database files of WordNet 3.0 or in its format, in the "
        "folder DIR, or where Debian's wordnet-base and wordnet-sense-index put them; "
        "the language is en; or FILE.tab:language=CODE, words of another language in WordNet's synsets"
    ),
    digest=_digest,
)
