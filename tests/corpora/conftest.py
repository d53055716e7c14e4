"""Lets these tests import what they share, and the snapshots that tests/report writes."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "report")]
