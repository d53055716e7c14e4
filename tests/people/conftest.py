"""Lets these tests import what they share (`people_making.py`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
