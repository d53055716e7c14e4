"""Exit codes are those of the table in docs/reference/commands.md."""

import re
import signal
from pathlib import Path

from lexbeam.pipelines.cli import main
from lexbeam.transforms.common.errors import LexbeamError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"


def kinds(error):
    yield error
    for kind in error.__subclasses__():
        yield from kinds(kind)


def test_the_table_has_every_code_there_is(capsys):
    part = PAGE.read_text("utf-8").partition("## Exit codes")[2].partition("\n## ")[0]
    codes = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", part, re.MULTILINE) for code in row.split(",")}
    ended = {128 + number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
    assert codes == {0, *(kind.exit_code for kind in kinds(LexbeamError)), *ended}
    assert main(["--version"]) == 0
    assert main(["no-such"]) == 2
    assert main(["status", "/no/such/folder", "--verify", "--exit-code"]) in codes
