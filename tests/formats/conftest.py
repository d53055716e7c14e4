"""Lets the tests of readers import what they share (`reading.py`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
