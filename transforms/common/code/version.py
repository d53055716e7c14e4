"""Which Lexbeam this is: its version, here alone, and the commit of its source where that is known.

`setup.py` runs this file, so it imports nothing but the standard library.
"""

import functools
import os
import re
import subprocess
from typing import NamedTuple

VERSION = "0.2.0"
BUILT_FROM = "commit.txt"  # beside this file in what was built of a checkout, such as a wheel
VARIABLE = "LEXBEAM_COMMIT"
_DIGITS = 12  # of a commit: so many that no other has them, in whatever clone
_HERE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(_HERE))))


@functools.cache
def commit() -> str:
    """Return the first digits of the commit that this source is of; empty where nobody knows.

    The variable `LEXBEAM_COMMIT` says it, as where an image is built of files alone. Else a checkout is asked, and `+`
    follows where files in it have changed since. What was built of one has noted it.
    """
    if told := os.environ.get(VARIABLE):
        return told.rstrip("+")[:_DIGITS] + "+" * told.endswith("+")
    if os.path.exists(os.path.join(_CHECKOUT, ".git")):
        return _of_checkout()
    try:
        with open(os.path.join(_HERE, BUILT_FROM), encoding="ascii") as stream:
            return stream.read().strip()
    except FileNotFoundError:
        return ""


def _of_checkout() -> str:
    words = ["git", "status", "--porcelain=v2", "-b", "-uno"]
    # Within a hook of another repository, they would lead there.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(
            words, cwd=_CHECKOUT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):  # no git, or one that does not trust the folder's owner
        return ""
    lines = done.stdout.splitlines()
    head = next((line.split()[2] for line in lines if line.startswith("# branch.oid ")), "(initial)")
    changed = any(not line.startswith("#") for line in lines)
    return "" if head == "(initial)" else head[:_DIGITS] + "+" * changed


class Build(NamedTuple):
    """A Lexbeam: its version, and its commit; empty where that is not known.

    >>> str(Build("0.2.0", "670c6261a63d")), str(Build("0.2.0"))
    ('0.2.0 (670c6261a63d)', '0.2.0')
    """

    version: str
    commit: str = ""

    def __str__(self) -> str:
        return f"{self.version} ({self.commit})" if self.commit else self.version

    def is_newer(self, other: "Build") -> bool:
        """Return whether this is of a later version than another; of what is no version of ours nobody knows.

        >>> Build("0.10.0").is_newer(Build("0.9.3")), Build("0.2.0", "a").is_newer(Build("0.2.0", "b"))
        (True, False)
        """
        return _numbers(self.version) > _numbers(other.version)


def _numbers(version: str) -> list[int]:
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", version)
    return [int(number) for number in found.groups()] if found else []


def own_build() -> Build:
    """Return version and commit of this Lexbeam."""
    return Build(VERSION, commit())
