"""Cloze questions that come to nothing: the summaries of `options` and `questions` say what to do."""

from types import SimpleNamespace

import pytest
from questioned import publish, question

from lexbeam.pipelines.cli import main
from lexbeam.pipelines.commands.cloze.options import ClozeOptions
from lexbeam.pipelines.commands.cloze.questions import ClozeQuestions
from lexbeam.schemas.cloze import QUESTION_REASONS

NO_SPLITS = {"strata": [], "distances": [], "too_large": []}


def said(command, section):
    return "\n".join(map(str, command.summary(SimpleNamespace(section=lambda _: section))))


@pytest.mark.parametrize(("too_few", "is_told"), [(3, True), (2, False)])
def test_options_say_what_to_do_where_no_question_has_four(too_few, is_told):
    kinds = [{"kind": "nonspecificity", "questions": 3, "too_few_options": too_few, "unlike_forms": 0}]
    section = {"kinds": kinds, "measured": [], "inflector": None}
    assert ("take in more articles" in said(ClozeOptions(), section)) == is_told


def test_no_questions_are_no_silence():
    reasons = dict.fromkeys(QUESTION_REASONS, 0) | {"too_few_options": 3}
    kinds = [{"kind": "nonspecificity", "candidates": 3, "questions": 0, "reasons": reasons}]
    assert "take in more articles" in said(ClozeQuestions(), {"kinds": kinds, "splits": NO_SPLITS})


def test_a_view_that_finds_nothing_says_so(tmp_path, capsys):
    publish(tmp_path / "asked", [question(0, kept=False)])
    assert main(["show", str(tmp_path / "asked"), "--questions", "3"]) == 0
    assert "nothing to show" in capsys.readouterr().out
