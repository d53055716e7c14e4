"""Lets the tests of corpora import what they share (`corpora_making.py`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
