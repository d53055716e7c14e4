"""Panels of corpora are tested on snapshots that `tests/report/published.py` writes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
