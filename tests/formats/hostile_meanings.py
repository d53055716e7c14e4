"""What files mean: inputs that are easily taken for something else, and what must be read.

docs/running/hostile-input.md has a table of each section. A module `hostile_meanings_KIND.py` has the sections of a
kind of file; here they come together.
"""

from hostile_meaning import Meaning
from hostile_meanings_apostrophes import APOSTROPHES
from hostile_meanings_dates import DATES
from hostile_meanings_editing import EDITING
from hostile_meanings_lines import LINES
from hostile_meanings_marks import MARKS
from hostile_meanings_packs import PACKS
from hostile_meanings_tei import TEI
from hostile_meanings_vertical import VERTICAL

MEANINGS: dict[str, list[Meaning]] = {**LINES, **MARKS, **PACKS, **TEI, **DATES, **VERTICAL, **APOSTROPHES, **EDITING}
