"""Engine `stanza:LANG[:DIR]`: Stanza's neural pipeline (extra `stanza`), from downloaded models.

The default package's tokenizer, multiword-token expander (where the language has one), tagger and
lemmatizer are run, on the CPU with one thread, and nothing is fetched. DIR is the folder that
`stanza.download(LANG, model_dir=DIR)` filled; without it Stanza's own default folder is meant.
Words that came out of one multiword token (Spanish `del`: de, el) share its span.

Stanza's floating-point sums depend on what is in a batch: a batch is one document's paragraphs.
"""

import importlib.util
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from transforms.annotation.records import Annotate, EngineInfo, MapForm, Resolve
from transforms.annotation.spacy import versions
from transforms.common.errors import LexbeamError, UsageError, nearest
from transforms.common.fingerprints import digest
from transforms.common.records import Sentence
from transforms.common.resources import model_digest

__all__ = ["prepare"]

PROCESSORS = ("tokenize", "mwt", "pos", "lemma")
_TOO_LONG = "<UNK>"


def prepare(
    argument: str, resolve: Resolve | None = None
) -> tuple[EngineInfo, Callable[[], Annotate]]:
    """Return what the pipeline of `LANG[:DIR]` is, and the function that loads it.

    Raises:
        UsageError: the extra `stanza` is not installed, or models are missing.
    """
    if importlib.util.find_spec("stanza") is None:
        raise UsageError(
            "engine 'stanza' needs the package of that name: pip install 'lexbeam[stanza]'"
        )
    language, _, named = argument.partition(":")
    folder = (resolve(named) if resolve else os.path.expanduser(named)) if named else _default()
    setup = _setup(language, folder)
    files = {os.path.relpath(path, folder).replace(os.sep, "/"): path for path in setup.files}
    model = digest({name: model_digest(path) for name, path in sorted(files.items())})
    info = EngineInfo(
        name=f"stanza:{language}",
        language=language.partition("-")[0],
        fingerprint=f"{versions('stanza', 'torch')} model={model}",
        has_upos="pos" in setup.processors,
        has_lemmas="lemma" in setup.processors,
    )

    def load() -> Annotate:
        pipeline = _load(setup, folder)

        def annotate(
            paragraphs: Sequence[str], map_form: MapForm | None = None
        ) -> list[list[Sentence]]:
            return _annotate(pipeline, info, paragraphs, map_form)

        return annotate

    return info, load


def _default() -> str:
    from stanza.resources.common import DEFAULT_MODEL_DIR

    return str(DEFAULT_MODEL_DIR)


class _Setup(NamedTuple):
    """Stanza's code of the language, the model of each processor, and the files these need."""

    language: str
    processors: dict[str, str]
    files: list[str]


def _setup(language: str, folder: str) -> _Setup:
    index = os.path.join(folder, "resources.json")
    remedy = (
        f"fetch the models once, where there is a network: "
        f'python -c "import stanza; stanza.download({language!r}, model_dir={folder!r})"'
    )
    if not os.path.isfile(index):
        raise UsageError(f"no Stanza models in {folder!r} (no resources.json there); {remedy}")
    with open(index, encoding="utf-8") as stream:
        resources = json.load(stream)
    if language not in resources:
        raise UsageError(
            f"Stanza has no language {language!r}{nearest(language, sorted(resources))}"
        )
    code = resources[language].get("alias", language)
    entry = resources[code]
    default = entry.get("packages", {}).get("default", {})
    processors = {name: default[name] for name in PROCESSORS if name in default}
    if "tokenize" not in processors:
        raise UsageError(f"Stanza's default package for {language!r} has no tokenizer")
    needed = []
    for name, package in processors.items():
        if name == "lemma" and package == "identity":  # no file: each word is its own lemma
            continue
        needed.append((name, package))
        for other in entry.get(name, {}).get(package, {}).get("dependencies", []):
            needed.append((other["model"], other["package"]))
    paths = sorted({os.path.join(folder, code, name, f"{package}.pt") for name, package in needed})
    missing = [path for path in paths if not os.path.isfile(path)]
    if missing:
        raise UsageError(f"the Stanza model {missing[0]!r} is missing; {remedy}")
    return _Setup(code, processors, paths)


def _load(setup: _Setup, folder: str) -> Any:
    import stanza
    import torch

    torch.set_num_threads(1)  # the order of a sum, and so its last bits, depend on the threads
    try:
        return stanza.Pipeline(
            setup.language,
            dir=folder,
            package=None,
            processors=setup.processors,
            download_method=None,
            use_gpu=False,
            logging_level="ERROR",
        )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise LexbeamError(
            f"the Stanza models in {folder!r} cannot be loaded: {error}. They may be of another "
            f"version than Stanza {stanza.__version__}; download them again"
        ) from error


def _annotate(
    pipeline: Any, info: EngineInfo, paragraphs: Sequence[str], map_form: MapForm | None
) -> list[list[Sentence]]:
    from stanza.models.common.doc import Document

    if not paragraphs:
        return []
    docs = [Document([], text=paragraph) for paragraph in paragraphs]
    for name in PROCESSORS:
        if name == "pos" and map_form is not None:
            # Tokens have been found; what follows sees the mapped words.
            for doc in docs:
                for sentence in doc.sentences:
                    for word in sentence.words:
                        word.text = map_form(word.text)
        if name in pipeline.processors:
            docs = pipeline.processors[name].bulk_process(docs)
    return [_sentences(doc, info) for doc in docs]


def _sentences(doc: Any, info: EngineInfo) -> list[Sentence]:
    found = []
    for sentence in doc.sentences:
        rows = [
            (_form(word.text, token, doc.text), word.lemma, word.upos, token)
            for token in sentence.tokens
            for word in token.words
        ]
        rows = [row for row in rows if row[0].strip()]
        if rows:
            found.append(
                Sentence(
                    [form for form, _, _, _ in rows],
                    [lemma or form for form, lemma, _, _ in rows] if info.has_lemmas else None,
                    [upos or "X" for _, _, upos, _ in rows] if info.has_upos else None,
                    [token.start_char for _, _, _, token in rows],
                    [token.end_char for _, _, _, token in rows],
                )
            )
    return found


def _form(text: str, token: Any, paragraph: str) -> str:
    # Stanza puts a mark in the place of words too long for its models.
    return paragraph[token.start_char : token.end_char] if text == _TOO_LONG else text
