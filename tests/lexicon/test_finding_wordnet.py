"""Where WordNet is found by commands that use it."""

from lexbeam.transforms.cloze.filters.candidate_options import CandidateOptions
from lexbeam.transforms.common.options.fields import options_of
from lexbeam.transforms.lexicon import resources
from lexbeam.transforms.lexicon.resource_cache import parse_spec
from lexbeam.transforms.lexicon.resources import is_installed, spec_or_default
from lexbeam.transforms.simplification.generation.generators import GenerationFiles


def test_what_is_stated_counts_and_else_debians(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "DEBIAN", str(tmp_path / "wordnet"))
    assert spec_or_default("wordnet_=wordnet:mine:language=de") == "wordnet_=wordnet:mine:language=de"
    assert parse_spec(spec_or_default(None)).parsed.paths == (str(tmp_path / "wordnet"),)
    assert not is_installed()
    (tmp_path / "wordnet").mkdir()
    assert is_installed()


def test_commands_have_one_option():
    options = [options_of(cls)["wordnet"]._replace(place=()) for cls in (CandidateOptions, GenerationFiles)]
    assert options[0].help == options[1].help
    assert options[0].stands_for("x") == options[1].stands_for("x") == "wordnet_=wordnet:x"
