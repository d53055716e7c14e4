import pytest

from schemas.complexity.instances import KINDS
from schemas.corpus.sentences import UPOS
from transforms.common.errors import UsageError
from transforms.complexity.select.patterns import PATTERNS, chosen_patterns


def test_the_registry_names_parts_of_speech_and_kinds_that_there_are():
    for name, pattern in PATTERNS.items():
        assert name.startswith(pattern.language + ":")
        assert pattern.kind in KINDS
        assert (len(pattern.steps) == 1) == (pattern.kind == "single")
        tags = {tag for step in pattern.steps for tag in step.upos} | set(pattern.not_before)
        assert tags <= set(UPOS)


def test_patterns_are_chosen_by_name_for_the_languages_that_there_are():
    english = ("en:adj-noun", "en:noun", "en:noun-noun")
    assert chosen_patterns((), {"en"}) == english
    assert chosen_patterns(("noun",), {"en", "es", "sv"}) == ("en:noun", "es:noun")
    assert chosen_patterns(("es:noun", "adj-noun"), {"en", "es"}) == ("en:adj-noun", "es:noun")


@pytest.mark.parametrize(
    ("names", "languages", "message"),
    [
        (("nuon",), {"en"}, "no pattern is called 'nuon'.*noun"),
        ((), {"sv"}, "patterns for sv: there are patterns for de, en, es"),
        ((), set(), "no known language"),
        (("noun-adj",), {"en"}, "patterns for en"),
    ],
)
def test_what_is_not_there_is_refused(names, languages, message):
    with pytest.raises(UsageError, match=message):
        chosen_patterns(names, languages)
