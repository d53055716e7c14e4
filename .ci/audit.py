"""Says which locked packages have known faults, by advisories in OSV's form in a folder; asks no server.

    make audit ADVISORIES=DIR          # such as a checkout of PyPA's advisory database, or OSV's archive of PyPI

Exit codes: 0, none of the locked versions is affected; 1, some are, each told in a line; 2, it could not be said.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", re.MULTILINE)


def locked(folder: Path) -> set[tuple[str, str]]:
    """Return name and version of each package of the lock files in a folder."""
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("*.lock"))]
    return {(canonicalize_name(name), version) for text in texts for name, version in _PINNED.findall(text)}


def advisories(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the advisories below a folder that are not withdrawn: JSON, or YAML as PyPA keeps them."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".json", ".yaml", ".yml") and not any(part.startswith(".") for part in path.parts[1:]):
            text = path.read_text("utf-8")
            found = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
            if isinstance(found, dict) and found.get("id") and "affected" in found and not found.get("withdrawn"):
                yield found


def affects(affected: Mapping[str, Any], name: str, version: str) -> bool:
    """Return whether one of an advisory's affected packages is a version of a package of PyPI."""
    package = affected.get("package") or {}
    if package.get("ecosystem") != "PyPI" or canonicalize_name(package.get("name", "")) != name:
        return False
    of_pypi = [each for each in affected.get("ranges") or () if each.get("type") == "ECOSYSTEM"]
    return version in (affected.get("versions") or ()) or any(_within(each["events"], version) for each in of_pypi)


def _within(events: list[dict[str, str]], version: str) -> bool:
    inside = False
    for event in sorted(events, key=lambda event: _order(next(iter(event.values())))):
        kind, at = next(iter(event.items()))
        if kind == "introduced" and Version(version) >= _order(at):
            inside = True
        elif (kind == "fixed" and Version(version) >= _order(at)) or (
            kind == "last_affected" and Version(version) > _order(at)
        ):
            inside = False
    return inside


def _order(version: str) -> Version:
    return Version("0.dev0" if version == "0" else version)


def main(arguments: list[str]) -> int:
    """Compare the lock files of a folder with the advisories of another."""
    requirements, *folders = arguments
    folder = Path(folders[0]) if folders and folders[0] else None
    if folder is None or not folder.is_dir():
        where = f"{folder} is no folder" if folder else "no advisories are named"
        print(
            f"audit: nothing was compared: {where}; make audit ADVISORIES=DIR, a folder of OSV's files", file=sys.stderr
        )
        return 2
    packages = locked(Path(requirements))
    number, found = 0, set()
    try:
        for advisory in advisories(folder):
            number += 1
            for name, version in packages:
                if any(affects(each, name, version) for each in advisory["affected"]):
                    found.add(f"{name} {version}: {advisory['id']} {advisory.get('summary', '')}".rstrip())
    except (ValueError, KeyError, InvalidVersion, yaml.YAMLError, OSError) as error:
        print(f"audit: nothing is said: an advisory in {folder} cannot be read: {error}", file=sys.stderr)
        return 2
    if not (number and packages):
        print(f"audit: nothing was compared: {number} advisories, {len(packages)} packages", file=sys.stderr)
        return 2
    print("".join(f"{line}\n" for line in sorted(found)), end="")
    print(f"audit: {len(found)} of {number} advisories and {len(packages)} locked packages meet")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
