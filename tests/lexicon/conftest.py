"""A toy resource, which lies beside these tests."""

import pytest
import toy_kind

from lexbeam.transforms.lexicon import resources
from lexbeam.transforms.lexicon.resource_cache import KINDS
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A source of the kind `toy`, and a function that prepares and returns it."""
    monkeypatch.setitem(KINDS, "toy", toy_kind.TOY)
    monkeypatch.setattr(resources, "_OPENED", {})
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    return Source(tmp_path)


class Source:
    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"
        self.path = folder / "toy.txt"
        self.path.write_text("one 1\ntwo 2\nthree 3\nfour 4\n")

    def prepare(self, *options, name="toy"):
        spec = ";".join([str(self.path), *options])
        return prepare(LexiconOptions(resources=(f"{name}=toy:{spec}",))).held[0]

    @property
    def compiled(self):
        """How often it has been compiled."""
        return len((self.folder / "toy.txt.compiled").read_text().splitlines())
