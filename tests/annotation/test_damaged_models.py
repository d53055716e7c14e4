"""Model folders of which a file is missing, cut or another: what is wrong names the folder."""

import json
import shutil

import pytest

from lexbeam.transforms.annotation.engines.known_engines import describe_engine, load_engine
from lexbeam.transforms.common.errors import LexbeamError

DAMAGES = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "brackets": lambda path: path.write_bytes(b"[" * 100_000),
    "garbage": lambda path: path.write_bytes(b"\xff\x00[[{"),
}
# What is not read, or what spaCy loads a pipeline without as well.
# Where a text then cannot be annotated, its document is a reject.
SPARE = ("ner/", "vocab/", "senter/cfg", "tagger/cfg", "tok2vec/cfg", "morphologizer/cfg", "trainable_lemmatizer/trees")


@pytest.mark.slow
@pytest.mark.parametrize("damages", [[*DAMAGES], *(pytest.param([one], marks=pytest.mark.soak) for one in DAMAGES)])
def test_a_spacy_folder_with_a_damaged_file(damages, tiny_spacy, tmp_path):
    """In the suite each file has one damage, the next file the next one; in a soak each has all."""
    whole = sorted(path for path in tiny_spacy.rglob("*") if path.is_file())
    told = 0
    for number, path in enumerate(whole):
        name = path.relative_to(tiny_spacy).as_posix()
        folder = tmp_path / f"model{number}"  # a loaded engine is kept by its path
        shutil.copytree(tiny_spacy, folder)
        DAMAGES[damages[number % len(damages)]](folder / name)
        try:
            describe_engine(f"spacy:{folder}")
            load_engine(f"spacy:{folder}")
        except LexbeamError as error:
            told += f"model{number}" in str(error)  # whatever else it says
        else:
            assert name.startswith(SPARE), name
    assert told >= len(whole) // 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ({'lang = "en"': 'lang = "zz"'}, "Can't import language zz"),
        ({'lang = "en"': ""}, "it has no 'lang'"),
        ({"pipeline = [": 'pipeline = ["nosuch",'}, "it has no 'nosuch'"),
        ({"[nlp]": "[nlp"}, "cannot be read"),
    ],
)
def test_a_configuration_of_another_shape(lines, message, tiny_spacy, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(tiny_spacy, folder)
    text = (folder / "config.cfg").read_text()
    for old, new in lines.items():
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "config.cfg").write_text(text)
    with pytest.raises(LexbeamError, match=f"the spaCy model in .*{message}"):
        describe_engine(f"spacy:{folder}")


@pytest.mark.parametrize(
    "content", ["", "[" * 100_000, "5", '{"en": null}', '{"en": {"packages": 5}}', "[]", '{"en": {}}']
)
def test_an_index_of_stanza_that_is_none(content, tmp_path):
    pytest.importorskip("stanza")
    (tmp_path / "resources.json").write_text(content)
    with pytest.raises(LexbeamError, match=r"Stanza"):
        describe_engine(f"stanza:en:{tmp_path}")


def test_a_model_of_stanza_that_is_none(tmp_path):
    pytest.importorskip("stanza")
    entry = {"packages": {"default": {"tokenize": "x"}}, "tokenize": {"x": {}}}
    (tmp_path / "resources.json").write_text(json.dumps({"en": entry}))
    (tmp_path / "en" / "tokenize").mkdir(parents=True)
    (tmp_path / "en" / "tokenize" / "x.pt").write_bytes(b"")
    with pytest.raises(LexbeamError, match=r"the Stanza models in .* cannot be loaded: it ends"):
        load_engine(f"stanza:en:{tmp_path}")
