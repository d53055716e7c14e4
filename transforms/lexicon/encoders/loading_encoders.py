"""Encoders by specification: checked, described, copied to this machine, and loaded.

A specification is a folder, or KIND:ARGUMENT; a plain path is one of kind `transformers`.

    >>> kind_of("models/bert"), kind_of("transformers:gs://bucket/bert")
    (('transformers', 'models/bert'), ('transformers', 'gs://bucket/bert'))

Kind `transformers` is a folder that `save_pretrained` wrote (extra `transformers`): any masked language model or
encoder that the library transformers has, with a fast tokenizer and weights as safetensors. Nothing is fetched, and
code that a model brings is never run.

A remote folder is copied once per machine: one copy for each content, made by one process. A copy is a folder named by
the digest of what it holds (`model_digest`), within `encoders/` of the cache (`LEXBEAM_CACHE`, else the user's cache
folder). It appears whole: it is made under another name, checked and renamed, while other processes wait for a lock.
"""

import functools
import os
import posixpath
import re
import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress

from lexbeam.transforms.annotation.engines.spacy import versions
from lexbeam.transforms.common.code.fingerprints import parse_json
from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.machine import default_cache, keep_freed_memory, locked_file
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import model_digest, note_model, taken
from lexbeam.transforms.lexicon.encoders.encoder_batches import Encoder, EncoderInfo, EncoderKind, Load, Resolve

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
        from lexbeam.transforms.lexicon.encoders.running_encoders import load_model

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


COPIES, LOCK = "encoders", ".lock"
_OURS = re.compile(r"([0-9a-f]{64})(?:\.lock|" + files.TEMPORARY + ")?")


def cache_folder() -> str:
    """Return the folder of the copies."""
    return os.path.join(default_cache(), COPIES)


def local_copy(path: str, *, digest: str | None = None, folder: str | None = None) -> str:
    """Return the folder of a model on this machine: the path itself, or a copy of a remote one.

    Args:
        path: the model's folder, on any file system.
        digest: the digest of the folder, if known; else the whole folder is read.
        folder: where copies are; by default `cache_folder()`.

    Raises:
        LexbeamError: the folder does not exist, or has another digest.
    """
    if files.is_local(path):
        return os.path.expanduser(path)
    digest = digest or model_digest(path)
    target = os.path.join(folder or cache_folder(), digest)
    files.make_folder(default_cache() if folder is None else folder, private=True)
    with locked_file(target + LOCK):
        # A copy that has been damaged since is made anew.
        if not os.path.isdir(target) or _digest(target) != digest:
            _copy(path, target, digest)
    return target


def _digest(folder: str) -> str | None:
    with suppress(LexbeamError):
        return model_digest(folder)
    return None


def _copy(path: str, target: str, digest: str) -> None:
    making = files.temporary(target)
    try:
        for entry in files.list_files(path):
            place = os.path.join(making, *entry.name.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with files.open_read(entry.path) as source, open(place, "xb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
        if (copied := _digest(making)) != digest:
            raise LexbeamError(
                f"the encoder at {path!r} is not the one that was described (digest {copied}, not "
                f"{digest}): it has changed meanwhile; start again"
            )
        shutil.rmtree(target, ignore_errors=True)
        os.rename(making, target)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def clean_copies(folder: str) -> None:
    """Remove the copies in a folder, except those that are being made, and nothing else."""
    by_digest: dict[str, list[str]] = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if match := _OURS.fullmatch(name):
            by_digest.setdefault(match[1], []).append(name)
    for digest, names in by_digest.items():
        lock = os.path.join(folder, digest + LOCK)
        with locked_file(lock, wait=False) as held:
            if held:
                for path in (os.path.join(folder, name) for name in names):
                    if os.path.isdir(path) and not os.path.islink(path):
                        shutil.rmtree(path)
                files.remove(lock)


_PLAIN = "transformers"


def kind_of(spec: str) -> tuple[str, str]:
    """Return kind and argument of a specification.

    Raises:
        UsageError: it names a kind that does not exist.
    """
    kind, colon, argument = spec.partition(":")
    if not colon or "/" in kind or argument.startswith("//"):
        return _PLAIN, spec
    if kind in ENCODERS:
        return kind, argument
    if files.exists(spec):
        return _PLAIN, spec
    raise UsageError(
        f"unknown kind of encoder {kind!r} in {spec!r}{nearest(kind, ENCODERS)} (kinds: {', '.join(sorted(ENCODERS))})"
    )


def check_encoder(spec: str) -> None:
    """Check what a specification reveals by itself.

    Raises:
        UsageError: it names a kind that does not exist, or no model.
    """
    kind, argument = kind_of(spec)
    if not argument:
        raise UsageError(f"encoder {spec!r} names no model: {kind}:...")


def check_encoder_packages(spec: str) -> None:
    """Check that the packages of an encoder's kind are installed.

    Raises:
        UsageError: it names a kind that does not exist, or a package is not installed.
    """
    kind, _ = kind_of(spec)
    ENCODERS[kind].check_installed(f"encoder {spec!r}")


def path_of(spec: str) -> Within | None:
    """Return the path within a specification, for `common/options`."""
    kind, colon, argument = spec.partition(":")
    if not colon or "/" in kind or argument.startswith("//"):
        return Within("", spec)
    return Within(f"{kind}:", argument, perhaps=kind != _PLAIN) if argument else None


def describe_encoder(spec: str, *, resolve: Resolve | None = None) -> EncoderInfo:
    """Return the description of an encoder without loading its weights; a remote one is read whole.

    Args:
        spec: a folder as `save_pretrained` writes it, on any file system, or KIND:ARGUMENT.
        resolve: maps a model's path as named to a folder on this machine.

    Raises:
        UsageError: the specification is wrong, or a package or a file that it needs is missing.
    """
    info = _prepare(spec, resolve)[0]
    path = os.path.expanduser(kind_of(spec)[1])
    if resolve is None and files.is_local(path) and os.path.isdir(path):
        note_model(spec, info.digest, tuple((entry.name, entry.path) for entry in files.list_files(path)))
    return info


def _prepare(spec: str, resolve: Resolve | None) -> tuple[EncoderInfo, Load]:
    check_encoder(spec)
    check_encoder_packages(spec)
    kind, argument = kind_of(spec)
    return ENCODERS[kind].prepare(argument, resolve)


_LOADED: dict[tuple[str, str], Encoder] = {}
_LOADING = threading.Lock()


def load_encoder(
    spec: str, *, device: str = "auto", digest: str | None = None, resolve: Resolve | None = None
) -> Encoder:
    """Return an encoder with its weights loaded, once per process, specification and device.

    From then on torch has one thread in this process. Its functions may be called from several
    threads; they take turns.

    Args:
        spec: as `describe_encoder`.
        device: `cpu`, `cuda`, or `auto`: a CUDA device if there is one, else the CPU.
        digest: the model's digest from `describe_encoder`; a remote model of which this machine
            has a copy is then not read again.
        resolve: as `describe_encoder`; without it remote folders are copied to this machine.

    Raises:
        UsageError: as `describe_encoder`, or there is no such device.
        LexbeamError: the model is not the one that was described, or cannot be loaded.
    """
    with _LOADING:
        encoder = _LOADED.get((spec, device))
        if encoder is None or digest not in (None, encoder.info.digest):  # it may be replaced while this process lives
            info, load = _wanted(spec, resolve or functools.partial(local_copy, digest=digest), digest)
            _check_digest(spec, info, digest)
            keep_freed_memory()
            encoder = _LOADED[spec, device] = load(device)
    return encoder


def _wanted(spec: str, resolve: Resolve, digest: str | None) -> tuple[EncoderInfo, Load]:
    """Return an encoder with the model of this machine, or with the driver's if that is wanted and not here."""
    try:
        found = _prepare(spec, resolve)
        if digest is None or found[0].digest == digest:
            return found
    except UsageError:
        if digest is None or (folder := taken(spec, digest)) is None:
            raise
    else:
        if (folder := taken(spec, digest)) is None:
            return found
    return _prepare(spec, lambda _: folder)


def _check_digest(spec: str, info: EncoderInfo, digest: str | None) -> None:
    if digest is not None and digest != info.digest:
        raise LexbeamError(
            f"encoder {spec!r} is another model on this machine ({info.digest[:12]}) than where "
            f"the run was started ({digest[:12]}): put the same files at that path everywhere, or "
            "name a path on a file system that all machines reach"
        )


ENCODERS: Registry[EncoderKind] = Registry(
    {
        "transformers": EncoderKind(
            prepare, modules=PACKAGES, extra="transformers", doc="a folder as `save_pretrained` writes it"
        )
    },
    what="kind of encoder",
    group="lexbeam.encoders",
)
