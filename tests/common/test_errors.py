"""Errors as IPython shows them."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

import lexbeam


@pytest.fixture
def shell():
    """IPython without a terminal; it is one for the whole process, and leaves nothing behind."""
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def shown(shell, code, capsys):
    """Return what is printed when a cell of code fails."""
    assert not shell.run_cell(code).success
    return capsys.readouterr().out.splitlines()


def test_an_error_is_shown_by_the_line_that_led_to_it_and_its_message(shell, tmp_path, capsys, monkeypatch):
    told = shown(shell, "import lexbeam\nlexbeam.open(\n    'nothing-here')", capsys)
    assert told[0] == "line 2: lexbeam.open("
    assert told[1].startswith("LexbeamError: nothing is published at ")
    assert len(told) == 2

    (tmp_path / "mine.py").write_text("import lexbeam\ndef look():\n    return lexbeam.open('nothing-here')\n")
    monkeypatch.syspath_prepend(tmp_path)
    told = shown(shell, "import mine\nmine.look()", capsys)
    assert told[0] == "mine.py, line 3: return lexbeam.open('nothing-here')"

    told = shown(shell, "raise lexbeam.UsageError('of a person')", capsys)
    assert told == ["line 1: raise lexbeam.UsageError('of a person')", "UsageError: of a person"]


def test_an_error_without_a_traceback_is_its_message():
    assert lexbeam.UsageError("wrong")._render_traceback_() == ["UsageError: wrong"]
