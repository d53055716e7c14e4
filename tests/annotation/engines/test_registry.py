import pyarrow.parquet as pq
import pytest
from whitespace_engine import words

from lexbeam.pipelines.cli import main
from lexbeam.transforms.annotation.engines import known_engines
from lexbeam.transforms.annotation.engines.engine import EngineInfo, annotate_text
from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine, load_tagger, stated_engine
from lexbeam.transforms.common.errors import LexbeamError, UsageError


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bultin:en", "did you mean 'builtin'"),
        ("builtin", "names no language"),
        ("spacy:", "names no model"),
        ("none", "keeps the annotation"),
        ("builtin:qq", "no language 'qq'"),
        ("builtin:zh-CN", "no language 'zh-CN'; did you mean 'zh'"),
        ("builtin:tlh", r"no language 'tlh' \("),  # a language, not a slip
        ("builtin:klingon", r"no language 'klingon' \("),
    ],
)
def test_wrong_specifications_are_refused_with_a_remedy(spec, message):
    with pytest.raises(UsageError, match=message):
        describe_engine(spec)
    with pytest.raises(UsageError, match=message):
        load_engine(spec)


@pytest.mark.parametrize(
    ("typed", "spec"),
    [
        ("builtin:zh-CN", "builtin:zh"),
        ("builtin:zh_Hans", "builtin:zh"),
        ("builtin:Simplified Chinese", "builtin:zh"),
        ("builtin:en_US", "builtin:en"),
        ("builtin:en-GB", "builtin:en"),
        ("builtin:no-NO", "builtin:nb"),
        (" builtin:English", "builtin:en"),
        ("builtin:klingon", "builtin:klingon"),
        ("builtin:tlh", "builtin:tlh"),
        ("stanza:zh-Hans", "stanza:zh-Hans"),
        ("stanza:English:models", "stanza:en:models"),
        ("spacy:English", "spacy:English"),
    ],
)
def test_a_stated_engine_has_the_language_by_code(typed, spec):
    assert stated_engine(typed) == spec


@pytest.fixture
def toy(monkeypatch):
    """An engine that is registered from outside."""

    def prepare(argument, resolve, layers):
        info = EngineInfo(name=f"toy:{argument}", language=argument, fingerprint="1", has_upos=False, has_lemmas=True)
        return info, lambda: words

    monkeypatch.setitem(known_engines.ENGINES, "toy", known_engines.EngineKind(prepare, doc="toys"))
    monkeypatch.setattr(known_engines, "_LOADED", {})


def test_an_engine_from_outside_is_one_registry_line(toy):
    assert describe_engine("toy:en").language == "en"
    loaded = load_engine("toy:en")
    assert loaded is load_engine("toy:en")
    assert load_tagger("toy:en") is loaded  # it cannot do less
    assert annotate_text("To be", loaded)[0].forms == ["To", "be"]


@pytest.mark.parametrize("load", [load_engine, load_tagger])
def test_a_model_that_is_not_that_of_the_run_is_refused(load, toy, monkeypatch):
    stated = describe_engine("toy:en").fingerprint
    monkeypatch.setattr(known_engines, "_LOADED", {})
    load("toy:en", fingerprint=stated)
    with pytest.raises(LexbeamError, match=rf"'toy:en' is another on this machine \({stated}\) than .* \(older\)"):
        load("toy:en", fingerprint="older")


def test_an_engine_from_outside_is_a_choice_of_the_command(toy, tmp_path):
    (tmp_path / "a.txt").write_text("To be.\n\nOr NOT")
    out = tmp_path / "out"
    assert main(["corpus", str(tmp_path / "a.txt"), "--out", str(out), "--engine", "toy:en"]) == 0
    sentences = pq.read_table(out / "sentences")
    assert sentences["lemmas"].to_pylist() == [["to", "be."], ["or", "not"]]
