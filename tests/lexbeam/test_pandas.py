"""Where pandas is not installed, `.to_pandas()` says what installs it, and nobody else is disturbed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# As in an environment without it: the finder of installed packages does not see it.
CODE = """
import importlib.machinery, importlib.util, sys
find = importlib.machinery.PathFinder.find_spec
importlib.machinery.PathFinder.find_spec = classmethod(
    lambda cls, name, path=None, target=None: None if name == "pandas" else find(name, path, target)
)
import lexbeam, pyarrow
table = lexbeam.ArrowTable(pyarrow.table({"a": [1]}))
print(importlib.util.find_spec("pandas"))
try:
    import pandas
except ImportError as error:
    print(error.name)
try:
    table.to_pandas()
except ModuleNotFoundError as error:
    print(error)
"""


def test_the_error_names_the_command_that_installs_pandas():
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found, name, message = done.stdout.splitlines()
    assert (found, name) == ("None", "pandas")
    assert message.startswith("No module named 'pandas', which `.to_pandas()` needs: ")
    assert "report" in message
