"""The folder of a machine where Lexbeam keeps what outlives runs."""

import os

import platformdirs

VARIABLE = "LEXBEAM_CACHE"


def default_cache() -> str:
    """Return the folder that `LEXBEAM_CACHE` names, else the user's cache folder for Lexbeam."""
    return os.environ.get(VARIABLE) or platformdirs.user_cache_dir("lexbeam", appauthor=False)
