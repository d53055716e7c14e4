"""Where a stream's documents come from.

Every source ends in files of the configuration's inputs, which are polled: so the next run reads what came as it
reads any file. A source that is none of files `feeds` a landing folder among them.
"""

import importlib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.stream.landing_windows import WindowRule
from lexbeam.transforms.stream.lines import Feed, check_address

FORMATS = ("auto", "jsonl")  # that read what lands


@dataclass(frozen=True)
class StreamSource(Entry):
    """A source.

    Attributes:
        feeds: `module:NAME` of a PTransform, made from a `Feed` and applied to a pipeline, which lands what comes;
            empty: files come by themselves.
        address: what its address looks like; empty: it has none.
        check: checks an address without connecting; raises UsageError.
        local: whether it lands in local folders alone.
    """

    feeds: str = ""
    address: str = ""
    check: Callable[[str], None] = lambda address: None
    local: bool = False

    @property
    def explained(self) -> str:
        """The doc line, with the form of its address."""
        return f"{self.doc} ({self.address})" if self.address else self.doc


def _parted(address: str) -> None:
    left, slash, right = address.partition("/")
    if not (left and slash and right):
        raise UsageError(f"`source`: the address {address!r} lacks a part on one side of its slash")


_PROJECT = re.compile(r"[a-z][-a-z0-9:.]{4,61}[a-z0-9]")  # as Beam has it


def _subscription(address: str) -> None:
    _parted(address)
    project = address.partition("/")[0]
    if not _PROJECT.fullmatch(project):
        raise UsageError(
            f"`source`: {project!r} is no project of Google Cloud: give its id, 6 to 63 small letters, digits and '-', "
            "such as pubsub:my-project-1/my-subscription"
        )


_MODULE = "lexbeam.transforms.stream.ptransforms"
_NOT_RUN = "never run by the tests, since it needs "

SOURCES: Registry[StreamSource] = Registry(
    {
        "files": StreamSource(doc="files that appear under the inputs"),
        "lines": StreamSource(
            doc="lines of a socket or of a named pipe, each a record of JSON",
            feeds=f"{_MODULE}:ReadLines",
            address="HOST:PORT or PATH",
            check=check_address,
            local=True,
        ),
        "kafka": StreamSource(
            doc=f"messages of a Kafka topic, each a record of JSON; {_NOT_RUN}Beam's expansion service",
            feeds=f"{_MODULE}:ReadKafka",
            address="HOST:PORT/TOPIC",
            check=_parted,
        ),
        "pubsub": StreamSource(
            doc=f"messages of a Pub/Sub subscription, each a record of JSON; {_NOT_RUN}a project of Google Cloud",
            feeds=f"{_MODULE}:ReadPubSub",
            address="PROJECT/SUBSCRIPTION",
            check=_subscription,
            modules=("google.cloud.pubsub",),
            extra="gcp",
        ),
    },
    what="source",
    group="lexbeam.sources",
)


class ChosenSource(NamedTuple):
    """A source with its address."""

    entry: StreamSource
    address: str

    def feed(self, folder: str, rule: WindowRule, max_line_bytes: int) -> Any:
        """Return the PTransform that lands what comes."""
        module, _, name = self.entry.feeds.partition(":")
        return getattr(importlib.import_module(module), name)(Feed(self.address, folder, rule, max_line_bytes))


def chosen_source(text: str) -> ChosenSource:
    """Return the source of a text, `NAME` or `NAME:ADDRESS`.

    Raises:
        UsageError: there is no such source, its packages are missing, or its address is wrong.
    """
    name, _, address = text.partition(":")
    SOURCES.check([name], "`source`")
    entry = SOURCES[name]
    entry.check_installed(f"`source` {name}")
    if bool(entry.address) != bool(address):
        form = f"{name}:{entry.address}" if entry.address else f"{name} alone"
        raise UsageError(f"`source` {text!r}: give {form}")
    entry.check(address)
    return ChosenSource(entry, address)


def check_landing(source: ChosenSource, folder: str | None, inputs: Collection[str], format: str) -> None:
    """Check the folder in which a source lands, among the inputs of a corpus that are read in some format.

    Raises:
        UsageError: one is missing or not needed, or what lands would not be read.
    """
    if not source.entry.feeds:
        if folder is not None:
            raise UsageError("`landing` is for sources that are none of files: leave it out, or give a `source`")
        return
    if folder is None:
        raise UsageError("`landing` must be given: the folder, one of the inputs, in which what comes becomes files")
    if source.entry.local and not files.is_local(folder):
        raise UsageError(f"`landing` {folder!r}: this source lands in a folder of this machine: name one")
    real = files.real(folder).rstrip("/")
    roots = [files.real(path).rstrip("/") for path in inputs if not files.is_glob(path)]
    below = [f"{real}/".removeprefix(f"{root}/") for root in roots if f"{real}/".startswith(f"{root}/")]
    if not any(not part.startswith(".") and "/." not in part for part in below):
        raise UsageError(
            f"`landing` {files.shown(folder)!r} lies in none of the `inputs` of section corpus, or is hidden there, so "
            "no run would read what lands: name a folder there, or add it to them"
        )
    if format not in FORMATS:
        raise UsageError(
            f"`landing`: records of JSON land, and section corpus has `format` {format}: give jsonl or auto"
        )
