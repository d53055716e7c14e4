"""Options of runs of seconds on the four texts of tests/integration/small_runs.py."""

SMALL = {
    "dim": 5,
    "epochs": 1,
    "min_count": 1,
    "min_sentence": 1,
    "seeds": [1, 2],
    "rank_min_count": 1,
    "rank_min_documents": 1,
    "neighbour_min_count": 1,
}
SLICES = "a=1800-1830,b=1850-1865,c=1866-1900"
CORPUS = {"engine": "builtin:en", "format": "text", "dates": r"name:^(\d+)", "parts": 2}
