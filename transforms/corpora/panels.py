"""Panels (stand-in until the frame is merged)."""

from typing import Any

from transforms.common.snapshots import Snapshot


def panels(snapshot: Snapshot) -> list[Any]:
    """Return no panels."""
    return []
