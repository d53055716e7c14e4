"""A worker that lacks the model of an engine, or has another one, takes the driver's."""

import shutil

import pytest

from lexbeam.transforms.annotation.engines import known_engines
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine, load_tagger
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.publish.layout import make_marked_folder
from lexbeam.transforms.common.store import models
from lexbeam.transforms.common.store.artefacts import Workspace
from lexbeam.transforms.common.store.models import carry, models_noted, offer

TEXT = "The cats\nsat.  A dog ran.\n\nDogs sat. The cat ran."


@pytest.fixture
def sent(tiny_spacy, tmp_path, monkeypatch):
    """An engine that the driver has described and sent, its model's folder, and what it makes of a text."""
    monkeypatch.setenv("LEXBEAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(known_engines, "_LOADED", {})
    monkeypatch.setattr(models, "_OFFERED", [])
    folder = tmp_path / "tiny_en"
    shutil.copytree(tiny_spacy, folder)
    with models_noted() as noted:
        info = describe_engine(f"spacy:{folder}")
    (tmp_path / "out").mkdir()
    workspace = Workspace(make_marked_folder(str(tmp_path / "out"), "_artefacts"))
    carry(workspace, noted)
    return f"spacy:{folder}", folder, info, workspace, annotate_text(TEXT, load_engine(f"spacy:{tiny_spacy}"))


def test_a_model_that_is_missing_is_the_drivers(sent):
    spec, folder, info, workspace, expected = sent
    shutil.rmtree(folder)
    with pytest.raises(UsageError, match="no spaCy model"):
        load_engine(spec, fingerprint=info.fingerprint)
    offer(workspace)
    engine = load_engine(spec, fingerprint=info.fingerprint)
    assert annotate_text(TEXT, engine) == expected
    assert (engine.name, engine.fingerprint) == ("spacy:tiny_en", info.fingerprint)
    assert load_tagger(spec, fingerprint=info.fingerprint).fingerprint == info.fingerprint
    with pytest.raises(UsageError, match="no spaCy model"):  # nobody has said which one is wanted
        load_tagger(spec.replace("tiny_en", "tiny"))


def test_another_model_at_its_place_is_not_taken_for_it(sent):
    spec, folder, info, workspace, expected = sent
    (folder / "morphologizer" / "extra").write_text("x")
    with pytest.raises(LexbeamError, match="is another on this machine"):
        load_engine(spec, fingerprint=info.fingerprint)
    known_engines._LOADED.clear()
    offer(workspace)
    assert annotate_text(TEXT, load_engine(spec, fingerprint=info.fingerprint)) == expected
