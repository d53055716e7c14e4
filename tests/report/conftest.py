"""Lets the tests of the report import what they share (`published.py`, `chromium.py`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
