"""Packages of extras: whether they are installed, and the command that installs them here."""

import importlib.metadata
import importlib.util
import json
import os
import shlex
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lexbeam.transforms.common.errors import UsageError

_HOME = Path(__file__).resolve().parents[2]


def check_packages(what: str, packages: Sequence[str], *extras: str, otherwise: str = "") -> None:
    """Check that packages are installed, without importing them.

    Args:
        what: needs them, with its verb: `encoders need`.
        packages: names of modules.
        extras: install them.
        otherwise: what does without them.

    Raises:
        UsageError: as `missing_package` returns it.
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise missing_package(what, ", ".join(missing), *extras, otherwise=otherwise)


def missing_package(what: str, package: str | None, *extras: str, otherwise: str = "") -> UsageError:
    """Return the error for a package of an extra that is not installed, with the command that installs it."""
    text = f"{what} the Python package {package}: {install_command(*extras)}"
    return UsageError(f"{text}, or {otherwise}" if otherwise else text)


def install_command(*extras: str) -> str:
    """Return the command that adds extras to this installation of Lexbeam.

    It names what Lexbeam was installed from, which pip and uv note (PEP 610): a checkout, a wheel, or else a
    package index.
    """
    tool = Path(sys.prefix, "uv-receipt.toml")
    if tool.exists():
        extras = tuple(sorted({*extras, *_extras_of_tool(tool)}))
    names = ",".join(extras)
    source, editable = _source()
    if editable and Path(source) in Path(sys.prefix).parents and Path(source, "Makefile").exists():
        return f"make -C {shlex.quote(source)} install EXTRAS={names}"
    if os.path.isdir(source):
        requirement = f"{source}[{names}]"
    else:
        requirement = f"lexbeam[{names}] @ {Path(source).as_uri()}" if source else f"lexbeam[{names}]"
    words = ["--editable"] if editable else []
    words.append(shlex.quote(requirement))
    if tool.exists():
        return " ".join(["uv tool install --force", *words])
    python = shlex.quote(sys.executable)
    pip = f"{python} -m pip install" if importlib.util.find_spec("pip") else f"uv pip install --python {python}"
    return " ".join([pip, *words])


def _source() -> tuple[str, bool]:
    """Return the path of what Lexbeam was installed from, empty for an index, and whether it is editable."""
    # Beside that of the environment there may be an egg-info in a checkout, which notes nothing.
    for distribution in importlib.metadata.distributions(name="lexbeam"):
        if noted := distribution.read_text("direct_url.json"):
            url = json.loads(noted)
            return unquote(urlsplit(url["url"]).path), bool(url.get("dir_info", {}).get("editable"))
    return (str(_HOME), True) if (_HOME / "setup.py").exists() else ("", False)


def _extras_of_tool(receipt: Path) -> Sequence[str]:
    """Return the extras with which `uv tool install` was called; it would take others in their place."""
    requirements = tomllib.loads(receipt.read_text("utf-8"))["tool"]["requirements"]
    return next((row.get("extras", ()) for row in requirements if row["name"] == "lexbeam"), ())
