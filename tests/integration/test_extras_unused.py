"""What a section is made with and says is the same whatever extras are installed that it does not use."""

import importlib.metadata
import re
from pathlib import Path

import pytest
from small_runs import make_out

from lexbeam.pipelines.frame.registry import command_of
from lexbeam.transforms.cloze.answers.trained_systems import AnswerQuestions, FitSystem
from lexbeam.transforms.cloze.filters.candidates import JudgeWords
from lexbeam.transforms.cloze.questions.choice_stage import ChooseOptions
from lexbeam.transforms.cloze.readers.reading_in_folds import NameWords
from lexbeam.transforms.common.code import code_identity, fingerprints
from lexbeam.transforms.common.code.code_identity import forget_sources
from lexbeam.transforms.common.publish.snapshots import open_snapshot
from lexbeam.transforms.common.store import artefacts
from lexbeam.transforms.complexity.scorers.scorer_fits import FitCase, PredictCase
from lexbeam.transforms.inflection.models import InflectorReference, chosen_formats
from lexbeam.transforms.simplification.generation.candidate_generation import GenerateCandidates
from lexbeam.transforms.simplification.instances.found_instances import FindInCorpus
from lexbeam.transforms.simplification.instances.hard_words import WordChoice
from lexbeam.transforms.simplification.ranking.ranked_parts import RankCandidates
from lexbeam.transforms.simplification.rewriting.sentence_rewriting import RewriteSentences
from lexbeam.transforms.simplification.selection.candidate_selection import SelectCandidates

LOCK = Path(__file__).resolve().parents[2] / "requirements" / "core.lock"
CORE = {*re.findall(r"^([a-z0-9-]+)==", LOCK.read_text(), re.M), "lexbeam"}


@pytest.fixture
def made(made_once):
    """A folder with a corpus and change, made where every extra is installed."""
    return open_snapshot(str(made_once("small_out", make_out)))


@pytest.fixture
def core_alone(made, monkeypatch):
    """Let no package be installed but Lexbeam and what its core locks."""
    version, distributions = importlib.metadata.version, code_identity.distributions()

    def of_core(name):
        if name not in CORE:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    def plain(names):
        return [name for name in names if re.sub(r"[-_.]+", "-", name).lower() in CORE]

    def forget():
        forget_sources()
        artefacts._code.cache_clear()
        fingerprints.environment.cache_clear()

    monkeypatch.setattr(importlib.metadata, "version", of_core)
    seen = {top: left for top, names in distributions.items() if (left := plain(names))}
    monkeypatch.setattr(code_identity, "distributions", lambda: seen)
    forget()
    yield made
    monkeypatch.undo()
    forget()


def test_corpus_and_change_are_as_in_an_environment_of_the_core(core_alone):
    (noted,) = core_alone.manifest["environments"].values()
    here = fingerprints.environment()
    assert {name: noted.get(name) for name in here} == here
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        fingerprints.version_of("torch")
    for name, section in core_alone.sections.items():
        for stage in command_of(name).stages_of(name):
            if (entry := section["stages"].get(stage.name)) is not None:
                found = stage.code(entry["chosen"])
                assert (found.code, found.digest) == (entry["code"], entry["identity"]), stage.name


def stage_of(section, name):
    return next(stage for stage in command_of(section).stages_of(section) if stage.name == name)


_S = "lexbeam.transforms.simplification"
NONE = {"lexbeam.transforms.lexicon.resource_cache:KINDS": [], "lexbeam.transforms.learning.models.formats:FORMATS": []}
MASKED = [f"{_S}.generation.masked_words:RULES", f"{_S}.generation.masked_words:MERGES"]
SENSES = {f"{_S}.generation.sense_generators:SENSES": ["all"]}
ALONE = [
    (FindInCorpus, FindInCorpus(choice=WordChoice()).chosen(None)),
    (
        GenerateCandidates,
        {f"{_S}.generation.generators:GENERATORS": ["thesaurus"], **SENSES, **dict.fromkeys(MASKED, ())},
    ),
    (
        SelectCandidates,
        {
            f"{_S}.selection.filters:FILTERS": ["morphology"],
            "lexbeam.transforms.annotation.engines.known_engines:ENGINES": [],
        },
    ),
    (RankCandidates, {f"{_S}.ranking.rankers:RANKERS": ["frequency", "senses"]}),
    (RewriteSentences, {}),
    (
        JudgeWords,
        {
            "lexbeam.transforms.cloze.filters.cloze_filters:FILTERS": ["lemma", "nonspecificity", "pos"],
            "lexbeam.transforms.cloze.filters.abstract_words:SENSES": ["first"],
            "lexbeam.transforms.cloze.filters.abstract_words:PROPER_NOUNS": ["noun"],
        },
    ),
    (ChooseOptions, {}),
    (NameWords, {"lexbeam.transforms.cloze.readers.options:READERS": ["frequency"]}),
    (stage_of("complexity.split", "complexity/action"), {}),
    (stage_of("evaluate.change", "evaluate/action"), {}),
]


@pytest.mark.parametrize(("stage", "chosen"), [pytest.param(*each, id=each[0].name) for each in ALONE])
def test_a_stage_without_models_encoders_and_frequencies_counts_packages_of_the_core_alone(stage, chosen):
    assert dict(stage.code({**NONE, **chosen}).packages).keys() <= CORE


def test_what_is_chosen_counts_with_its_packages():
    safe = {**NONE, "lexbeam.transforms.learning.models.formats:FORMATS": ["safetensors"]}
    ranking = dict(RankCandidates.code({**safe, f"{_S}.ranking.rankers:RANKERS": ["regressor"]}).packages)
    assert {"scikit-learn", "safetensors", "pyphen"} <= ranking.keys()
    masked = {f"{_S}.generation.generators:GENERATORS": ["masked-lm"], **SENSES, **dict.fromkeys(MASKED, ())}
    encoders = {"lexbeam.transforms.lexicon.encoders.loading_encoders:ENCODERS": ["transformers"]}
    assert {"torch", "transformers"} <= dict(GenerateCandidates.code({**NONE, **masked, **encoders}).packages).keys()
    inflected = InflectorReference("forms.model", "en", "0")
    assert chosen_formats(None, inflected) == {"lexbeam.transforms.learning.models.formats:FORMATS": ("safetensors",)}
    assert chosen_formats(InflectorReference("lemminflect", "en", "0")) == chosen_formats(None)
    assert "safetensors" in dict(RewriteSentences.code({**NONE, **chosen_formats(inflected)}).packages)


def test_of_models_the_formats_count_that_a_case_saves_or_a_system_is_kept_in():
    ridge = {
        "lexbeam.transforms.learning.scorers:SCORERS": ["ridge"],
        "lexbeam.transforms.complexity.scorers.design:MODES": [],
    }
    heavy = {"lightgbm", "safetensors", "skops", "torch"}
    own = {**NONE, "lexbeam.transforms.learning.models.formats:FORMATS": ["npz"]}
    for step in (FitCase, PredictCase):
        assert not heavy & dict(step.code({**own, **ridge}).packages).keys()
    safe = {**NONE, "lexbeam.transforms.learning.models.formats:FORMATS": ["safetensors"]}
    for stage in (FitSystem, AnswerQuestions):
        context = dict(
            stage.code({**safe, "lexbeam.transforms.cloze.answers.trained_systems:SYSTEMS": ["context"]}).packages
        )
        network = dict(
            stage.code({**safe, "lexbeam.transforms.cloze.answers.trained_systems:SYSTEMS": ["ga5"]}).packages
        )
        assert heavy & context.keys() == {"safetensors"}
        assert heavy & network.keys() == {"safetensors", "torch"}
