"""The lemmas that a dictionary has for a form."""

from collections import Counter

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.inflector import Inflector, compiled, lemmas_of

FORMS = [
    ("son", "NOUN Number=Sing", "son", 1),
    ("ser", "VERB Person=3", "son", 9),
    ("sonar", "VERB Person=1", "son", 2),
]


def test_lemmas_of_the_part_of_speech_else_all_the_commonest_first():
    inflector = Inflector(compiled(Counter({FormEntry(*row[:3]): row[3] for row in FORMS}), "es"), "es")
    assert lemmas_of(inflector, "son", "AUX") == ["ser", "sonar"]
    assert lemmas_of(inflector, "son", "ADJ") == ["ser", "sonar", "son"]
    assert lemmas_of(inflector, "son", "ADJ", others=False) == []
    assert lemmas_of(inflector, "nada", "NOUN") == []
    assert lemmas_of(None, "son", None) == []
