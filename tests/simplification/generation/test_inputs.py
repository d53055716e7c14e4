"""What candidates are generated from: WordNet is found without being named, and what is lacking is told."""

import pytest
from wordnet_making import Synset, write_wordnet

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon import resources
from lexbeam.transforms.simplification.generation.generator import GenerationOptions
from lexbeam.transforms.simplification.generation.generators import GenerationFiles, check_generation, generation_inputs

SYNSETS = [Synset("ship", "n", ["ship", "vessel"])]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """WordNet where Debian would have it."""
    write_wordnet(tmp_path / "wordnet", SYNSETS, index_sense=False)
    monkeypatch.setattr(resources, "DEBIAN", str(tmp_path / "wordnet"))
    return tmp_path


def held_by(folder, *generators, **files):
    settings = {"default": GenerationOptions(generators=generators)}
    found = generation_inputs(settings, GenerationFiles(cache=str(folder / "cache"), **files))
    return {(held.name, held.source) for held in found.lexicon.held}


def test_the_generator_finds_wordnet_where_it_is_installed(installed):
    found = held_by(installed, "wordnet")
    assert [name for name, _ in found] == ["wordnet_"]
    assert found == held_by(installed, "wordnet", wordnet=f"wordnet_=wordnet:{installed / 'wordnet'}")


def test_other_generators_take_it_only_if_it_is_named(installed):
    assert held_by(installed, "gold") == set()
    assert len(held_by(installed, "gold", wordnet=f"wordnet_=wordnet:{installed / 'wordnet'}")) == 1


def test_without_one_installed_it_must_be_named(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "DEBIAN", str(tmp_path / "nothing"))
    settings = {"default": GenerationOptions(generators=("wordnet",))}
    with pytest.raises(UsageError, match=r"generates by wordnet, which needs `wordnet` PATH .*: give it"):
        check_generation(settings, GenerationFiles())
