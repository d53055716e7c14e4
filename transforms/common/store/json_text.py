"""JSON of small files, parsed in one way: whatever they hold, damage is a ValueError."""

import json
from typing import Any

__all__ = ["parse_json"]


def parse_json(content: bytes | str) -> Any:
    """Return what a text of JSON stands for.

    Raises:
        ValueError: it is no JSON, not UTF-8, -16 or -32, or nested more deeply than can be read.
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("its brackets are nested too deeply") from None
