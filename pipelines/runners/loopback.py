"""Beam's own servers kept to this machine.

The direct runner and its processes talk over gRPC, and so do workers within the driver, which
portable runners on this machine call. Beam lets its servers listen on every interface, without
asking who calls, and what arrives is unpickled; those who call it only ever call `localhost`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc  # type: ignore[import-untyped]

__all__ = ["loopback_only"]

_ANYWHERE = ("[::]:", "0.0.0.0:")


class _Server:
    """A gRPC server that listens on loopback where it was told to listen everywhere."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def add_insecure_port(self, address: str) -> int:
        for anywhere in _ANYWHERE:
            if address.startswith(anywhere):
                address = f"localhost:{address.removeprefix(anywhere)}"
        return int(self._server.add_insecure_port(address))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)


@contextmanager
def loopback_only() -> Iterator[None]:
    """Let gRPC servers that start while the block runs listen on loopback alone."""
    real = grpc.server

    def server(*arguments: Any, **options: Any) -> Any:
        return _Server(real(*arguments, **options))

    grpc.server = server
    try:
        yield
    finally:
        grpc.server = real
