"""Lexbeam is found as it was installed, wherever Python starts."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("lexbeam", "pipelines", "runner_configs", "schemas", "transforms", "setup.py", "pyproject.toml")


@pytest.mark.slow
def test_python_started_beside_a_checkout_called_lexbeam_finds_the_package(tmp_path):
    checkout, packages = tmp_path / "lexbeam", tmp_path / "packages"
    checkout.mkdir()
    for name in SOURCES:
        (checkout / name).symlink_to(ROOT / name)
    install = editable_install(tmp_path)
    install += ["--target", str(packages)]
    subprocess.run(install, check=True, cwd=checkout, capture_output=True)
    code = f"import site; site.addsitedir({str(packages)!r}); import lexbeam; print(lexbeam.__file__, lexbeam.open)"
    environment = {"PYTHONPATH": str(Path(pytest.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(checkout / "lexbeam" / "__init__.py"))


def editable_install(folder):
    """Return the words of the Makefile's command that installs the checkout."""
    make = [
        "make",
        "--dry-run",
        "--always-make",
        "install",
        f"VENV={folder}/none",
        f"UV={Path(sys.executable).with_name('uv')}",
    ]
    lines = subprocess.run(make, check=True, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    (line,) = (line for line in lines if "--editable" in line)
    return line.replace(f"{folder}/none/bin/python", sys.executable).split()
