"""Front matter: what programs that make pages read before a text."""

import json
import re
import tomllib
from typing import Any, NamedTuple

import yaml

# A line of hyphens with an empty one behind it parts what stands above and below.
_FRONT = re.compile(
    r"\A(?:(?P<yaml>---)[ \t]*(?:\r\n?|\n)(?![ \t]*[\r\n])|\+\+\+[ \t]*(?:\r\n?|\n))(?P<said>.{0,100000}?)"
    r"(?<=[\r\n])(?(yaml)(?:---|\.\.\.)|\+\+\+)[ \t]*(?:\r\n?|\n|\Z)",
    re.DOTALL,
)


class FrontMatter(NamedTuple):
    """What stands before a document's text.

    Attributes:
        said: what it says; None: it cannot be read.
        end: where it ends; 0: there is none.
    """

    said: Any = None
    end: int = 0


def front_matter(text: str) -> FrontMatter:
    """Return the front matter of a text: YAML between `---`, TOML between `+++`, or an object of JSON.

    >>> front_matter("+++\\na = 1\\n+++\\nText.")
    FrontMatter(said={'a': 1}, end=14)
    """
    if text.startswith("{"):
        try:
            said, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return FrontMatter()
        behind = text[end:].lstrip(" \t")
        return FrontMatter(said, end) if not behind or behind[0] in "\r\n" else FrontMatter()
    front = _FRONT.match(text)
    if front is None:
        return FrontMatter()
    read = yaml.safe_load if front["yaml"] else tomllib.loads
    try:
        return FrontMatter(read(re.sub("\r\n?", "\n", front["said"])), front.end())
    except (yaml.YAMLError, ValueError, RecursionError):
        return FrontMatter(None, front.end())
