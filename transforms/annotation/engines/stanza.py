"""Engine `stanza:LANG[:DIR]`: Stanza's neural pipeline (extra `stanza`), from downloaded models.

The default package's tokenizer, multiword-token expander (if the language has one), tagger and
lemmatizer are run, and what layers need, on the CPU in one thread; nothing is downloaded. DIR is
the folder that `stanza.download(LANG, model_dir=DIR)` filled; without it Stanza's own default is.
Words that came out of one multiword token (Spanish `del`: de, el) share its span.

Stanza's floating-point sums depend on what is in a batch: a batch is one document's paragraphs.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from lexbeam.transforms.annotation.engines.engine import Annotate, EngineInfo, MapForm, Resolve
from lexbeam.transforms.annotation.engines.spacy import versions
from lexbeam.transforms.common.code.fingerprints import digest, parse_json
from lexbeam.transforms.common.errors import LexbeamError, UsageError, cause_of, nearest
from lexbeam.transforms.common.extras import check_packages
from lexbeam.transforms.common.records import Sentence
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.resources import model_digest
from lexbeam.transforms.formats.records.layers import needs_of, values_of

PROCESSORS = ("tokenize", "mwt", "pos", "lemma")
_FINDS_TOKENS = ("tokenize", "mwt")
_TOO_LONG = "<UNK>"


def prepare(
    argument: str, resolve: Resolve | None = None, layers: tuple[str, ...] = ()
) -> tuple[EngineInfo, Callable[[], Annotate]]:
    """Return the description of the pipeline `LANG[:DIR]`, and the function that loads it.

    Raises:
        UsageError: the extra `stanza` is not installed, models are missing, or the language lacks
            what a layer needs.
    """
    check_packages("engine 'stanza' needs", ("stanza",), "stanza")
    language, _, named = argument.partition(":")
    folder = resolve(named) if resolve else os.path.expanduser(named) if named else _default()
    try:
        setup = _setup(language, folder, layers)
    except LexbeamError:
        raise
    except Exception as error:  # the index is not JSON, or of another shape
        raise LexbeamError(
            f"resources.json of the Stanza models in {folder!r} cannot be read: {cause_of(error)}; download them again"
        ) from error
    named_files = {os.path.relpath(path, folder).replace(os.sep, "/"): path for path in setup.files}
    model = digest({name: model_digest(path) for name, path in sorted(named_files.items())})
    info = EngineInfo(
        name=f"stanza:{language}",
        language=language.partition("-")[0],
        fingerprint=f"{versions('stanza', 'torch')} model={model}",
        has_upos="pos" in setup.processors,
        has_lemmas="lemma" in setup.processors,
        model=(*named_files.items(), ("resources.json", os.path.join(folder, "resources.json"))),
    )

    def load() -> Annotate:
        pipeline = _load(setup, folder)

        def annotate(paragraphs: Sequence[str], map_form: MapForm | None = None) -> list[list[Sentence]]:
            docs = _annotate(pipeline, setup.processors, paragraphs, map_form)
            return [sentences_of(doc, info, layers) for doc in docs]

        return annotate

    return info, load


def _default() -> str:
    from stanza.resources.common import DEFAULT_MODEL_DIR

    return str(DEFAULT_MODEL_DIR)


class _Setup(NamedTuple):
    """Stanza's code of the language, the model of each processor in order, their files."""

    language: str
    processors: dict[str, str]
    files: list[str]


def _setup(language: str, folder: str, layers: tuple[str, ...]) -> _Setup:
    index = os.path.join(folder, "resources.json")
    remedy = (
        f"fetch the models once, where there is a network: "
        f'python -c "import stanza; stanza.download({language!r}, model_dir={folder!r})"'
    )
    if not os.path.isfile(index):
        raise UsageError(f"no Stanza models in {folder!r} (no resources.json there); {remedy}")
    with files.open_read(index) as stream:
        resources = parse_json(stream.read())
    if language not in resources:
        raise UsageError(f"Stanza has no language {language!r}{nearest(language, sorted(resources))}")
    code = resources[language].get("alias", language)
    entry = resources.get(code, {})
    default = entry.get("packages", {}).get("default", {})
    processors = {name: default[name] for name in PROCESSORS if name in default}
    for layer, needs in needs_of(layers, "stanza").items():
        if lacking := [name for name in needs if name not in default]:
            raise UsageError(
                f"stanza:{language} cannot give the layer {layer!r}: Stanza's default package for "
                f"the language has no {' and no '.join(lacking)}; leave the layer out of `layers`"
            )
        processors.update((name, default[name]) for name in needs)
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
    except Exception as error:  # whatever Stanza and PyTorch do with the files of others
        raise LexbeamError(
            f"the Stanza models in {folder!r} cannot be loaded: {cause_of(error)}. They may "
            f"be damaged, or of another version than Stanza {stanza.__version__}; download them "
            "again"
        ) from error


def _annotate(
    pipeline: Any, processors: Iterable[str], paragraphs: Sequence[str], map_form: MapForm | None
) -> list[Any]:
    from stanza.models.common.doc import Document

    if not paragraphs:
        return []
    docs = [Document([], text=paragraph) for paragraph in paragraphs]
    tokens_are_final = False
    for name in processors:
        if not tokens_are_final and name not in _FINDS_TOKENS:
            tokens_are_final = True
            if map_form is not None:
                _map_forms(docs, map_form)
        if name in pipeline.processors:
            docs = pipeline.processors[name].bulk_process(docs)
    return docs


def _map_forms(docs: Sequence[Any], map_form: MapForm) -> None:
    """Map words, once tokens have been found: what follows sees the mapped ones."""
    for doc in docs:
        for sentence in doc.sentences:
            for word in sentence.words:
                word.text = map_form(word.text)
            for token in sentence.tokens:
                if len(token.words) == 1:  # a recogniser of entities sees tokens
                    token.text = token.words[0].text


def sentences_of(doc: Any, info: EngineInfo, layers: tuple[str, ...] = ()) -> list[Sentence]:
    """Return the sentences of a Stanza document, whitespace and empty sentences left out."""
    sentences = []
    for sentence in doc.sentences:
        rows = [(_form(word.text, token, doc.text), word, token) for token in sentence.tokens for word in token.words]
        rows = [row for row in rows if row[0].strip()]
        if rows:
            sentences.append(
                Sentence(
                    [form for form, _, _ in rows],
                    [word.lemma or form for form, word, _ in rows] if info.has_lemmas else None,
                    [word.upos or "X" for _, word, _ in rows] if info.has_upos else None,
                    [token.start_char for _, _, token in rows],
                    [token.end_char for _, _, token in rows],
                    values_of(layers, "stanza", [word for _, word, _ in rows]),
                )
            )
    return sentences


def _form(text: str, token: Any, paragraph: str) -> str:
    # Stanza replaces words that are too long for its models by a mark.
    return paragraph[token.start_char : token.end_char] if text == _TOO_LONG else text
