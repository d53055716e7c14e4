"""Kind `transformers`: a folder that `save_pretrained` wrote (extra `transformers`).

Any masked language model or encoder that the library transformers has, with a fast tokenizer and
weights as safetensors. Nothing is fetched, and code that a model brings is never run.
"""

import os
import posixpath
from collections.abc import Mapping

from lexbeam.transforms.annotation.engines.spacy import versions
from lexbeam.transforms.common.code.fingerprints import parse_json
from lexbeam.transforms.common.errors import LexbeamError, UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import model_digest
from lexbeam.transforms.lexicon.encoders.records import Encoder, EncoderInfo, Load, Resolve

PACKAGES = ("transformers", "tokenizers", "torch")

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "sentencepiece.bpe.model", "spiece.model")
_REMEDY = (
    "name the folder that model.save_pretrained(FOLDER) and tokenizer.save_pretrained(FOLDER) of transformers wrote"
)

# The names of these fields in configurations, in order of preference.
_DIMS = ("hidden_size", "dim", "d_model", "emb_dim", "n_embd")
_LAYERS = ("num_hidden_layers", "n_layers", "num_layers", "n_layer")
_POSITIONS = ("max_position_embeddings", "n_positions")
# Their positions are counted from the id of the padding on, so that as many are lost.
_AFTER_PADDING = frozenset(
    {
        "camembert",
        "data2vec-text",
        "ibert",
        "longformer",
        "luke",
        "mpnet",
        "roberta",
        "roberta-prelayernorm",
        "xlm-roberta",
        "xlm-roberta-xl",
        "xmod",
    }
)
_NO_LIMIT = 1_000_000  # a tokenizer without a limit says 10**30
_USUAL_LIMIT = 512

# Beside those that end in ForMaskedLM: they hold the head of a masked language model.
_MASKED = frozenset(
    {
        "AlbertForPreTraining",
        "BertForPreTraining",
        "FlaubertWithLMHeadModel",
        "MegatronBertForPreTraining",
        "MobileBertForPreTraining",
        "XLMWithLMHeadModel",
    }
)


def prepare(argument: str, resolve: Resolve | None = None) -> tuple[EncoderInfo, Load]:
    """Return the description of the model in a folder, and a function that loads it onto a device.

    Raises:
        UsageError: the folder is not a model.
    """
    path = os.path.expanduser(argument) if files.is_local(argument) else argument
    folder = resolve(argument) if resolve else path
    config = _config(folder, argument)
    digest = model_digest(folder)
    stated = config.get("architectures")
    architectures = [str(name) for name in stated] if isinstance(stated, list) else []
    info = EncoderInfo(
        name=f"transformers:{posixpath.basename(argument.rstrip('/'))}",
        digest=digest,
        fingerprint=f"{versions(*PACKAGES)} model={digest[:32]}",
        masked=any(name.endswith("ForMaskedLM") or name in _MASKED for name in architectures),
        dim=_number(config, _DIMS, argument),
        layers=_number(config, _LAYERS, argument),
        max_length=_max_length(folder, config),
        choices=any(name.endswith("ForMultipleChoice") for name in architectures),
    )

    def load(device: str) -> Encoder:
        # Imported here, since torch and transformers take some seconds.
        from lexbeam.transforms.lexicon.encoders.running import load_model

        return load_model(folder, info, device)

    return info, load


def _config(folder: str, shown: str) -> Mapping[str, object]:
    try:
        names = {entry.name for entry in files.list_files(folder)}
    except LexbeamError:
        raise UsageError(f"no encoder at {shown!r}: nothing is there; {_REMEDY}") from None
    for needed, what in ((("config.json",), "configuration"), (_TOKENIZERS, "tokenizer")):
        if not names.intersection(needed) and not (what == "tokenizer" and "vocab.json" in names):
            raise UsageError(f"{shown!r} is no encoder: it has no {what} ({needed[0]} is missing); {_REMEDY}")
    if not names.intersection(_WEIGHTS):
        raise UsageError(
            f"the encoder {shown!r} has no weights as safetensors ({_WEIGHTS[0]} is missing; other "
            f"forms can run code when they are loaded); load it with transformers and {_REMEDY}"
        )
    config = _json(folder, "config.json")
    if "auto_map" in config:
        raise UsageError(
            f"the encoder {shown!r} brings Python code of its own, which is never run: take a "
            "model that transformers itself has, without `auto_map` in its config.json"
        )
    if config.get("is_encoder_decoder"):
        raise UsageError(
            f"{shown!r} is a model of an encoder and a decoder ({config.get('model_type')}): take "
            "a masked language model or an encoder"
        )
    return config


def _json(folder: str, name: str) -> Mapping[str, object]:
    path = files.join(folder, name)
    try:
        content = parse_json(files.read_bytes(path))
        if not isinstance(content, dict):
            raise ValueError("it is no object")
    except (OSError, ValueError) as error:
        raise UsageError(f"{name} of the encoder {folder!r} cannot be read: {error}") from error
    return content


def _number(config: Mapping[str, object], names: tuple[str, ...], shown: str) -> int:
    for name in names:
        if isinstance(value := config.get(name), int):
            return value
    raise UsageError(
        f"config.json of the encoder {shown!r} has none of {', '.join(names)}: take a model whose "
        "vectors and layers are told there"
    )


def _max_length(folder: str, config: Mapping[str, object]) -> int:
    limits = [value for name in _POSITIONS if isinstance(value := config.get(name), int)]
    if limits and config.get("model_type") in _AFTER_PADDING:
        padding = config.get("pad_token_id")
        limits[0] -= (padding if isinstance(padding, int) else 0) + 1
    if files.exists(files.join(folder, "tokenizer_config.json")):
        stated = _json(folder, "tokenizer_config.json").get("model_max_length")
        if isinstance(stated, int | float) and 0 < stated < _NO_LIMIT:
            limits.append(int(stated))
    return min((limit for limit in limits if limit > 0), default=_USUAL_LIMIT)
