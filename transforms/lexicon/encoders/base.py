"""Encoders by specification: a folder, or KIND:ARGUMENT.

A plain path is one of kind `transformers`. A remote folder is copied once per machine (`copies`).

    >>> kind_of("models/bert"), kind_of("transformers:gs://bucket/bert")
    (('transformers', 'models/bert'), ('transformers', 'gs://bucket/bert'))
"""

import functools
import os
import threading

from lexbeam.transforms.common.code.registry import Registry
from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.machine import keep_freed_memory
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.models import note_model, taken
from lexbeam.transforms.lexicon.encoders import transformers
from lexbeam.transforms.lexicon.encoders.copies import local_copy
from lexbeam.transforms.lexicon.encoders.records import Encoder, EncoderInfo, EncoderKind, Load, Resolve

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
            transformers.prepare,
            modules=transformers.PACKAGES,
            extra="transformers",
            doc="a folder as `save_pretrained` writes it",
        )
    },
    what="kind of encoder",
    group="lexbeam.encoders",
)
