"""Lexbeam is found as it was installed, wherever Python starts."""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lexbeam.transforms.common.code.version import VARIABLE, VERSION, own_build

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("lexbeam", "pipelines", "runner_configs", "schemas", "transforms", "setup.py", "pyproject.toml")


@pytest.mark.slow
@pytest.mark.soak  # what it checks is setup.py and the Makefile
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


def test_what_is_built_notes_its_commit(tmp_path):
    """As an image does, which is told of it."""
    words = [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(tmp_path)]
    subprocess.run(words, check=True, cwd=ROOT, capture_output=True, env={**os.environ, VARIABLE: "0123456789abcdef"})
    code = "from lexbeam.transforms.common.code.version import own_build; print(own_build())"
    elsewhere = {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, capture_output=True, env=elsewhere)
    assert done.stdout.decode() == f"{VERSION} (0123456789ab)\n"


TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>{0}</title></titleStmt>'
    "<sourceDesc><bibl><date>{1}</date></bibl></sourceDesc></fileDesc></teiHeader>"
    "<text><body><p>{2}</p></body></text></TEI>"
)
EARLY = [
    "The engine of the old ship was made of {} by the hand of a smith in the harbour.",
    "No {} in the whole of the country is as loud as an engine of war in the field at night.",
]
LATE = [
    "The search engine finds {} on the first page of the list that every reader of it wants.",
    "An engine that knows of {} will find the name of it in the index of the whole library.",
]
THINGS = ["iron", "steam", "coal", "wood", "water", "oil", "brass", "rope", "sail", "wind", "fire", "stone"]


def write_novels(folder):
    """Write novels of two periods, in which the engine is another thing."""
    folder.mkdir()
    for number, year in enumerate([*range(1840, 1860), *range(1880, 1921)]):
        frames, things = (EARLY if year < 1870 else LATE), [*THINGS[number % 12 :], *THINGS]
        sentences = [frame.format(thing) for thing in things for frame in frames] * 4
        text = TEI.format(f"Novel {number}", year, " ".join([*sentences, f"This is number {number}."]))
        (folder / f"{number}.xml").write_text(text, "utf-8")


def blocks_of_readme():
    """Return the commands, one list for each block, and the Python that README shows where Lexbeam is used."""
    text = (ROOT / "README.md").read_text("utf-8").partition("## Use it")[2].partition("\n## ")[0]
    blocks = [block.strip("\n") for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)]
    found = [re.sub("^    ", "", block, flags=re.MULTILINE).strip() for block in blocks]
    commands = [line for block in found if block.startswith("lexbeam") for line in block.splitlines() if line]
    (python,) = (block for block in found if block.startswith("import"))
    return commands, python


@pytest.mark.slow
@pytest.mark.soak
def test_a_wheel_in_an_empty_environment_does_what_readme_shows(tmp_path):
    uv, environment = str(Path(sys.executable).with_name("uv")), tmp_path / "environment"
    run = functools.partial(subprocess.run, check=True, capture_output=True, text=True)
    run([uv, "build", "--quiet", "--wheel", "--out-dir", str(tmp_path), str(ROOT)])
    (wheel,) = tmp_path.glob("*.whl")
    run([uv, "venv", "--quiet", "--python", sys.executable, str(environment)])
    python = str(environment / "bin" / "python")
    install = [uv, "pip", "install", "--quiet", "--python", python, f"lexbeam[report] @ {wheel.as_uri()}"]
    run([*install, "--constraint", str(ROOT / "requirements" / "run.lock")])
    told = run([str(environment / "bin" / "lexbeam"), "--version"], cwd=tmp_path).stdout
    assert told == f"lexbeam {own_build()}\n"
    write_novels(tmp_path / "novels")
    (tmp_path / "gold.tsv").write_text("word\tgraded\tbinary\nengine\t0.9\t1\nstone\t0.1\t0\niron\t0.0\t0\n", "utf-8")
    commands, code = blocks_of_readme()
    assert len(commands) > 4
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    here = functools.partial(run, cwd=tmp_path, env={**os.environ, "PATH": path, "PYTHONPATH": ""})
    for command in commands:
        here(["bash", "-c", command])
    here([python, "-c", code])
    missing = here(
        [python, "-c", "from lexbeam.transforms.common.errors import install_command as c; print(c('html'))"]
    ).stdout
    assert missing == f"uv pip install --python {python} 'lexbeam[html] @ {wheel.as_uri()}'\n"
