"""Filter bigrams, by hand: shares of parts of speech beside words."""

from collections import Counter

import pytest

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.lexicon.resources import LexiconOptions, prepare
from lexbeam.transforms.simplification.records import Instance
from lexbeam.transforms.simplification.selection.candidate_filter import (
    CandidateState,
    InstanceCandidates,
    Selecting,
    SelectionOptions,
)
from lexbeam.transforms.simplification.selection.sentence_filters import filter_bigrams

COUNTS = {
    "del NOUN": 90,
    "del PROPN": 6,
    "del ADJ": 3,
    "del VERB": 1,
    "NOUN blanco": 19,
    "VERB blanco": 1,
    "luchando ADP": 40,
    "disputando DET": 40,
    "la NOUN": 10,
    "NOUN la": 5,
    "VERB la": 30,
    "raro VERB": 19,
}
READINGS = [
    *(("robo", "NOUN", form) for form in ("robo", "roba")),
    *(("robar", "VERB", form) for form in ("roba", "toma")),
    *((form, "NOUN", form) for form in ("hurto", "la")),
    *((form, "VERB", form) for form in ("luchando", "disputando", "rompe")),
    ("el", "DET", "la"),
    ("raro", "ADJ", "raro"),
    ("blanco", "ADJ", "blanco"),
]


@pytest.fixture
def selecting(tmp_path, monkeypatch):
    (tmp_path / "n.tsv").write_text("".join(f"{two}\t{n}\n" for two, n in COUNTS.items()))
    lexicon = prepare(
        LexiconOptions(resources=(f"ngrams={tmp_path / 'n.tsv'}:word=1,value=2",), cache=str(tmp_path / "cache"))
    )
    entries = Counter(FormEntry(lemma, f"{upos} _", form) for lemma, upos, form in READINGS)
    entries[FormEntry("tomar", "VERB Gender=Masc|Number=Sing|VerbForm=Part", "tomado")] = 1
    inflector = Inflector(compiled(entries, "es"), "es")
    monkeypatch.setattr(Selecting, "inflector_of", lambda _, language: inflector if language == "es" else None)

    def of(**options):
        return Selecting(SelectionOptions(**options), lexicon)

    return of


def reasons(selecting, marked, *forms, upos="NOUN", language="es", tags=None, **options):
    """Return the reasons of candidates of the target that stands in brackets."""
    before, _, rest = marked.partition("[")
    target, _, after = rest.partition("]")
    start = len(before)
    instance = Instance("1", language, before + target + after, target, start, start + len(target), None, upos, None)
    states = [CandidateState(form, form, None, None, 1.0, None, upos=(tags or {}).get(form)) for form in forms]
    filter_bigrams([InstanceCandidates(instance, states)], selecting(**options))
    return {state.form: state.reason for state in states}


def test_part_of_speech_behind_the_word_before(selecting):
    found = reasons(selecting, "autor del [hurto]", "robo", "toma", "roba", "xyz")
    # *toma* is a verb, 1 of 100 behind *del*; *roba* may be a noun; of *xyz* nothing is known.
    assert found == {"robo": None, "toma": "below_bigrams", "roba": None, "xyz": None}
    assert reasons(selecting, "autor del [hurto]", "toma", least_bigram=0.01) == {"toma": None}


def test_what_filter_pos_said_counts(selecting):
    tags = {"roba": "VERB", "toma": "PROPN"}
    found = reasons(selecting, "autor del [hurto]", "roba", "toma", tags=tags)
    assert found == {"roba": "below_bigrams", "toma": None}


def test_part_of_speech_before_the_word_behind(selecting):
    assert reasons(selecting, "[hurto] blanco", "toma", least_bigram=0.06) == {"toma": "below_bigrams"}
    assert reasons(selecting, "[hurto] blanco", "toma", least_bigram=0.05) == {"toma": None}


def test_what_stands_beside_a_verb(selecting):
    found = reasons(selecting, "[disputando] la liga", "luchando", "rompe", upos="VERB")
    assert found == {"luchando": "below_bigrams", "rompe": None}  # of *rompe* no pairs are counted


def test_participles_are_adjectives_and_nouns_want_nothing(selecting):
    assert reasons(selecting, "del [hurto]", "tomado") == {"tomado": None}
    assert reasons(selecting, "[hurto] la", "luchando", tags={"luchando": "NOUN"}) == {"luchando": None}


def test_the_target_is_no_better(selecting):
    assert reasons(selecting, "del [rompe]", "toma", upos="VERB") == {"toma": None}


def test_little_evidence_and_other_languages_say_nothing(selecting):
    assert reasons(selecting, "del [raro] hurto", "raro", upos="ADJ") == {"raro": None}
    assert reasons(selecting, "del [hurto]", "toma", language="pt") == {"toma": None}
    assert reasons(selecting, "[hurto]", "toma") == {"toma": None}
