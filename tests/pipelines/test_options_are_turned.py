"""Every option of every command is turned by a test; one that none turns should be a constant.

A test turns an option if its file has the name as a flag, a keyword, a key of YAML or a text in quotes.
A name that several commands share counts once, and a common word may stand there for something else:
an option that fails here is turned nowhere, one that passes may still be untested.
"""

import re
from pathlib import Path

from lexbeam.pipelines.frame.registry import COMMANDS, load
from lexbeam.transforms.common.options.fields import options_of

TESTS = Path(__file__).parents[1]
# This file, and the sweep that changes all options there are, whatever they do.
PASSED_OVER = (Path(__file__), TESTS / "integration/test_identity.py")
TURNED = re.compile(r"""--([a-z][a-z0-9-]*)|\b(\w+)(?:=(?!=)|:)|(["'])(\w+)\3""")


def names_turned_in(text: str) -> set[str]:
    """Return the names that a text has as `--flag`, `name=`, `name:`, `"name"`."""
    names = {(match[1] or match[2] or match[4]).replace("-", "_") for match in TURNED.finditer(text)}
    return names | {name.removeprefix("no_") for name in names}


def test_the_ways_to_turn_an_option():
    assert names_turned_in("--view-seed 2 --no-clip") == {"view_seed", "no_clip", "clip"}
    assert names_turned_in("Options(least=3)") == names_turned_in("least: 3") == {"least"}
    assert names_turned_in("""{'top': 3, "most": 2}""") == {"top", "most"}
    assert names_turned_in("options.most == least") == set()


def test_some_test_turns_every_option():
    files = [path for path in TESTS.rglob("*.py") if path not in PASSED_OVER]
    turned = set().union(*(names_turned_in(path.read_text("utf-8")) for path in files))
    commands: dict[str, list[str]] = {}
    for command in COMMANDS:
        for name in options_of(load(command).options):
            commands.setdefault(name, []).append(command)
    untried = [f"{name} ({', '.join(commands[name])})" for name in sorted(commands.keys() - turned)]
    assert not untried, f"no test turns {'; '.join(untried)}: write one, or make the option a constant"
