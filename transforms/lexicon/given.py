"""Resources that an option of their own names by a path alone: `wordnet`, `vectors`."""

from typing import NamedTuple

from transforms.common.options.option import Within
from transforms.lexicon.kinds import parse_spec
from transforms.lexicon.resources import path_within

__all__ = ["ResourceAlias", "check_given"]


class ResourceAlias(NamedTuple):
    """What a path is taken for.

    Attributes:
        name: what the resource is called.
        kind: its kind.
    """

    name: str
    kind: str

    def spec(self, path: str) -> str:
        """Return the resource that a path, with the kind's options behind it, is."""
        return path if path.startswith(f"{self.name}=") else f"{self.name}={self.kind}:{path}"

    def within(self, text: str) -> Within | None:
        """Return where in the words of `spec`, or of what is given to it, the path is."""
        return path_within(self.spec(text))


def check_given(text: str) -> None:
    """Check the words of a resource, or of each of several.

    Raises:
        UsageError: they are wrong.
    """
    for one in (text,) if isinstance(text, str) else text:
        parse_spec(one)
