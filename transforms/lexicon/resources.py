"""The resources of a run: compiled by the driver, opened by workers, found by name and language.

lexicon = prepare(options)                       # the driver: compiled into the cache
lexicon = lexicon.carried(workspace)             # for workers on other machines
words = lexicon.get("concreteness", "en")        # a worker: mapped, once per process
"""

import importlib.util
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lexbeam.transforms.common.errors import LexbeamError, UsageError, nearest
from lexbeam.transforms.common.machine import default_cache
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.options.option import Within
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.store.artefacts import Workspace, make
from lexbeam.transforms.common.store.identity import Uncounted
from lexbeam.transforms.lexicon.compiled.resource_kind import Resource
from lexbeam.transforms.lexicon.resource_cache import (
    CarryResource,
    Compiled,
    CompileResource,
    ResourceSource,
    SourceFile,
    cached,
    is_whole,
    kind_of,
    opened,
    parse_spec,
)
from lexbeam.transforms.lexicon.wordnet.wordnet_kind import DEBIAN


def path_within(text: str) -> Within | None:
    """Return the place of the path within a specification, see `Option.within`."""
    try:
        spec = parse_spec(text)
    except UsageError:
        return None  # `check_resources` reports it
    begin = len(spec.name) + 1
    if text.startswith(f"{spec.kind}:", begin):  # a folder may have the name of its kind
        begin += len(spec.kind) + 1
    for path in spec.parsed.paths:
        start = text.find(path, begin)
        if start >= 0:
            return Within(text[:start], path, text[start + len(path) :])
    return None  # a package brings its files, or it needs none


def check_resources(texts: Sequence[str]) -> None:
    """Check the specifications of several resources, each `NAME=SPEC`.

    Raises:
        UsageError: a specification is wrong, or two have the same name and language.
    """
    seen = set()
    for text in texts:
        spec = parse_spec(text)
        key = (spec.name, spec.parsed.language)
        if key in seen:
            raise UsageError(
                f"two resources are called {spec.name!r} for "
                f"{spec.parsed.language or 'every language'}: give another name, or `language=`"
            )
        seen.add(key)


@dataclass(frozen=True, kw_only=True)
class CacheOptions:
    """Where compiled resources are kept."""

    cache: str | None = option(
        None,
        help="folder of compiled resources; default: the one that LEXBEAM_CACHE names, or the user's cache folder",
        metavar="DIR",
        path="place",
        published=False,
        group="resources",
    )


@dataclass(frozen=True, kw_only=True)
class LexiconOptions(CacheOptions):
    """What words are looked up in."""

    resources: tuple[str, ...] = option(
        (),
        help="word lists, vectors, WordNet: NAME=FILE:word=COLUMN,value=COLUMN or NAME=KIND:..., "
        "see docs/reference/resources.md",
        metavar="NAME=SPEC",
        split=False,
        path="resource",
        data="wordlist",
        within=path_within,
        check=check_resources,
        group="resources",
    )


@dataclass(frozen=True)
class HeldResource:
    """A resource of a run.

    Attributes:
        name: its name.
        kind: its kind.
        language: the language that it serves; None: every language without a resource of its own.
        options: of its kind.
        source: SHA-256 of the files that it was compiled from.
        compiled: the files in the cache of the driver's machine.
        carried: a copy among the run's artefacts, for machines that lack it.
    """

    name: str
    kind: str
    language: str | None
    options: Any
    source: Annotated[tuple[str, ...], Uncounted("what was compiled from it counts")]
    compiled: Compiled
    carried: Annotated[Compiled | None, Uncounted("a copy of what was compiled")] = None

    def open(self) -> Resource:
        """Return it, mapped into memory; a machine that lacks it copies it once."""
        return _open(self)


_OPENED: dict[tuple[str, str, str], Resource] = {}
_OPENING = threading.Lock()


def _open(held: HeldResource) -> Resource:
    key = (held.kind, repr(held.options), held.compiled.digest)
    with _OPENING:
        if key not in _OPENED:
            _OPENED[key] = kind_of(held.kind).open(opened(_here(held)), held.options)
        return _OPENED[key]


def _here(held: HeldResource) -> Compiled:
    if is_whole(held.compiled):
        return held.compiled
    if held.carried is None:
        raise LexbeamError(
            f"the resource {held.name!r} was removed from the cache while it was in use: run the same "
            "command again to compile it anew"
        )
    return cached(default_cache(), CarryResource(), held.carried)


def _name_of(held: HeldResource) -> tuple[str, str]:
    return held.name, held.language or ""


class Lexicon(NamedTuple):
    """The resources of a run, in the order of their names and languages."""

    held: tuple[HeldResource, ...] = ()

    def carried(self, workspace: Workspace) -> "Lexicon":
        """Return the lexicon with a copy of each resource among a run's artefacts, for other machines."""
        sent = (replace(held, carried=make(workspace, CarryResource(), held.compiled)) for held in self.held)
        return Lexicon(tuple(sent))

    def find(self, name: str, language: str | None = None) -> Resource | None:
        """Return a resource for a language: its own, else the one for every language, else None."""
        for wanted in dict.fromkeys((language, None)):
            for held in self.held:
                if (held.name, held.language) == (name, wanted):
                    return held.open()
        return None

    def get(self, name: str, language: str | None = None) -> Resource:
        """Return a resource for a language.

        Raises:
            LexbeamError: there is no such resource.
        """
        resource = self.find(name, language)
        if resource is None:
            names = sorted({held.name for held in self.held})
            of = f" for language {language!r}" if language else ""
            if name in names:
                languages = ", ".join(str(held.language) for held in self.held if held.name == name)
                of, hint = of or " for every language", f" (there is one for {languages})"
            else:
                hint = nearest(name, names)
            raise LexbeamError(f"no resource is called {name!r}{of}{hint}: name it in `resources`")
        return resource

    def only(self, name: str) -> "Lexicon":
        """Return the lexicon of the resources with this name."""
        return Lexicon(tuple(held for held in self.held if held.name == name))

    def by_language(
        self, name: str, languages: pa.Array | pa.ChunkedArray
    ) -> Iterator[tuple[npt.NDArray[np.int64], Resource | None]]:
        """Yield the rows of each language, int64, with the resource that serves them, or None."""
        for language in sorted(pc.unique(languages).to_pylist(), key=lambda name: name or ""):
            same = pc.is_null(languages) if language is None else pc.equal(languages, language)
            rows = np.flatnonzero(same.fill_null(False).to_numpy(zero_copy_only=False))
            yield rows, self.find(name, language)

    def chosen(self) -> Mapping[str, Collection[str]]:
        """Return the kinds whose code counts for look-ups, for `Step.chosen`."""
        return {"lexbeam.transforms.lexicon.resource_cache:KINDS": sorted({held.kind for held in self.held})}

    def described_by_name(self) -> Mapping[str, Mapping[str, object]]:
        """Return the entries of a manifest: kind, language, options, digests of source and compiled files."""
        return {
            held.name if held.language is None else f"{held.name}:{held.language}": {
                "kind": held.kind,
                "options": asdict(held.options),
                "source": list(held.source),
                "compiled": held.compiled.digest,
            }
            for held in sorted(self.held, key=_name_of)
        }


def prepare(options: LexiconOptions) -> Lexicon:
    """Return the resources that options name, compiled into the cache.

    Raises:
        UsageError: a specification is wrong, or the cache cannot be written to.
        LexbeamError: a file does not suit its kind; the message names file, place and remedy.
    """
    # What cannot be compiled here is told before anything is; it may have been compiled elsewhere.
    resources = sorted(options.resources, key=_has_packages)
    held = [_prepared(text, options.cache or default_cache()) for text in resources]
    return Lexicon(tuple(sorted(held, key=_name_of)))


def _has_packages(text: str) -> bool:
    kind = kind_of(parse_spec(text).kind)
    return all(importlib.util.find_spec(name) is not None for name in kind.modules)


def _prepared(text: str, cache: str) -> HeldResource:
    name, kind, parsed = parse_spec(text)
    digest = kind_of(kind).digest
    try:
        sources = tuple(SourceFile(path, digest(path)) for path in parsed.paths)
        source = ResourceSource(kind, sources, parsed.options)
        compiled = cached(cache, CompileResource(), source)
    except UsageError as error:
        raise UsageError(f"resource {name!r}: {error}") from None
    except LexbeamError as error:
        raise LexbeamError(f"resource {name!r}: {error}") from error
    digests = tuple(file.sha256 for file in sources)
    return HeldResource(name, kind, parsed.language, parsed.options, digests, compiled)


def source_digests(text: str) -> tuple[str, ...]:
    """Return the digests of the files that a resource is compiled from, by its specification.

    Raises:
        LexbeamError: the specification is wrong, or a file does not exist.
    """
    spec = parse_spec(text)
    return tuple(map(kind_of(spec.kind).digest, spec.parsed.paths))


class ResourceAlias(NamedTuple):
    """A resource that an option of its own names by a path alone: `wordnet`, `vectors`.

    Attributes:
        name: the name of the resource.
        kind: its kind; None: that which the text names, else word lists.
    """

    name: str
    kind: str | None = None

    def spec(self, path: str) -> str:
        """Return the specification of a path that the kind's options may follow, and the kind's word stand before."""
        kind = f"{self.kind}:" if self.kind else ""
        return path if path.startswith(f"{self.name}=") else f"{self.name}={kind}{path.removeprefix(kind)}"

    def within(self, text: str) -> Within | None:
        """Return the place of the path within a path or specification."""
        return path_within(self.spec(text))


def check_specs(texts: str | Sequence[str]) -> None:
    """Check the specification of a resource, or of each of several.

    Raises:
        UsageError: a specification is wrong.
    """
    for text in (texts,) if isinstance(texts, str) else texts:
        parse_spec(text)


WORDNET = ResourceAlias("wordnet_", "wordnet")


def wordnet_option() -> Any:
    """Return the option `wordnet` of a command that takes Debian's WordNet where none is given."""
    return option(
        None,
        help="folder of the database files of WordNet, "
        "see docs/reference/wordnet.md; if not given, where Debian has them",
        metavar="PATH",
        path="resource",
        within=WORDNET.within,
        stands_for=WORDNET.spec,
        check=check_specs,
        group="resources",
    )


def is_installed() -> bool:
    """Return whether WordNet is where Debian's packages put it."""
    return files.exists(DEBIAN)


def spec_or_default(stated: str | None) -> str:
    """Return the specification of WordNet that an option states, else that of Debian's."""
    return stated or WORDNET.spec(DEBIAN)
