"""The judge of benchmarks/simplification_grammar.py: each kind of error, and what is none, by hand."""

import sys

import pytest

from benchmarks.simplification_grammar import AnalysedSentence, Judged, analysed, errors

# As Apertium writes it: readings by word, tags by reading.
READINGS = {
    "el": "det def m sg",
    "la": "det def f sg",
    "los": "det def m pl",
    "un": "det ind m sg",
    "una": "det ind f sg",
    "de": "pr",
    "y": "cnjcoo",
    "e": "cnjcoo",
    "casa": "n f sg|vblex pri p3 sg",
    "morada": "n f sg",
    "edificio": "n m sg",
    "edificios": "n m pl",
    "agua": "n f sg",
    "hijos": "n m pl",
    "padres": "n m pl",
    "vieja": "adj f sg",
    "viejo": "adj m sg",
    "grande": "adj mf sg",
    "muy": "adv",
    "es": "vbser pri p3 sg",
    "vendida": "vblex pp f sg",
    "vendido": "vblex pp m sg",
    "vende": "vblex pri p3 sg",
    "venden": "vblex pri p3 pl",
    "compra": "vblex pri p3 sg|n f sg",
    "pagar": "vblex inf",
}


def sentence(text):
    words = [word.strip(".,") for word in text.split()]
    known = [READINGS.get(word.lower(), "") for word in words]
    return AnalysedSentence(words, [[tuple(one.split()) for one in tags.split("|") if one] for tags in known])


def found(source, out, target, chosen):
    return errors(Judged(source, out, target, chosen, [sentence(text) for text in (source, out, target, chosen)]))


@pytest.mark.parametrize(
    ("source", "out", "target", "chosen", "kinds"),
    [
        ("La casa vieja.", "La morada vieja.", "casa", "morada", []),
        # A determiner, an adjective before, one behind an adverb, the predicate of a copula.
        ("La casa vieja.", "La edificio vieja.", "casa", "edificio", ["agreement"]),
        ("La casa vieja.", "El edificio viejo.", "casa", "edificio", []),
        ("La vieja casa.", "El vieja edificio.", "casa", "edificio", ["agreement"]),
        ("La casa muy vieja.", "El edificio muy vieja.", "casa", "edificio", ["agreement"]),
        ("La casa es vendida.", "El edificio es vendida.", "casa", "edificio", ["agreement"]),
        ("La casa es vendida.", "El edificio es vendido.", "casa", "edificio", []),
        # One form for both genders; what the source had wrong already.
        ("La casa grande.", "El edificio grande.", "casa", "edificio", []),
        ("El casa vieja.", "El morada vieja.", "casa", "morada", []),
        # Number is inflection, and agreement.
        ("El edificio.", "El edificios.", "edificio", "edificios", ["agreement", "inflection"]),
        ("Vende agua.", "Venden agua.", "Vende", "Venden", ["inflection"]),
        ("Vende agua.", "Compra agua.", "Vende", "Compra", []),
        ("Vende agua.", "Pagar agua.", "Vende", "Pagar", ["inflection"]),
        # A participle stands for an adjective.
        ("La casa vendida.", "La casa vieja.", "vendida", "vieja", []),
        ("de la casa", "de el edificio", "casa", "edificio", ["article"]),
        ("la casa", "la agua", "casa", "agua", ["article"]),
        ("la casa", "el agua", "casa", "agua", []),
        ("padres y padres", "padres y hijos", "padres", "hijos", ["article"]),
        ("padres e hijos", "padres e padres", "hijos", "padres", ["article"]),
        ("La casa.", "la morada.", "casa", "morada", ["capital"]),
        ("La casa.", "La Morada.", "casa", "Morada", ["capital"]),
        ("La casa.", "La zzz.", "casa", "zzz", ["form"]),
        # What was unknown before, and stays, is no error of the change.
        ("La casa zzz.", "La morada zzz.", "casa", "morada", []),
    ],
)
def test_errors_by_kind(source, out, target, chosen, kinds):
    assert found(source, out, target, chosen) == kinds


def test_what_an_analyser_writes(tmp_path):
    """Of contractions and clitics the first part is the word; a word in pieces, or a star, is not known."""
    lines = {
        "del": "^del/de<pr>+el<det><def><m><sg>$",
        "casa": "^casa/casa<n><f><sg>/casar<vblex><pri><p3><sg>$",
        "zzz": "^zzz/*zzz$",
        "ab": "^a/a<pr>$^b/*b$",
    }
    script = tmp_path / "analyser.py"
    script.write_text(f"import sys\nlines = {lines!r}\nfor word in sys.stdin.read().split():\n    print(lines[word])\n")
    program = tmp_path / "run"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$2"\n')
    program.chmod(0o755)
    [made] = analysed(["Del casa, zzz ab"], str(program), str(script))
    assert made.words == ["Del", "casa", "zzz", "ab"]
    assert made.readings == [[("pr",)], [("n", "f", "sg"), ("vblex", "pri", "p3", "sg")], [], []]
