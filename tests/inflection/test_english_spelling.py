"""Spellings of one English word share a key, words of like meaning that are not do not."""

import pytest

from lexbeam.transforms.inflection.english import same_but_spelling, spelling_key

PAIRS = """
acclimatise acclimatize, ageing aging, aeroplane airplane, aesthetic esthetic, analysed analyzed, artefact artifact,
catalogue catalog, catalogued cataloged, centred centered, centring centering, cheque check, co-operate cooperate,
colour color, connexion connection, cosily cozily, counsellor counselor, defence defense, draught draft,
endeavour endeavor, fibre fiber, focussed focused, fulfil fulfill, gaol jail, gauging gaging, greyish grayish,
jewellery jewelry, judgement judgment, licence license, likeable likable, litres liters, manoeuvre maneuver,
marvellous marvelous, mouldy moldy, naïve naive, oestrogen estrogen, organisation organization, plough plow,
practise practice, programme program, pyjamas pajamas, realises realizes, sceptical skeptical, sulphur sulfur,
to-day today, travelled traveled, tyre tire, unco-operative uncooperative, whisky-coloured
whisky-colored, yoghurt yogurt, yoghourt yogurt
"""
OTHERS = """
colour colouring, commence commencement, convince convene, economic economical, elevate elongate, evoke invoke,
flash flashy, haven heaven, historic historical, insight sight, interior inner, later late, master mastery,
obtain retain, poor pour, precise precious, recognise reconcile, refuse reuse, rise arise, sensible sensitive,
shoe she, specially especially, vary very
"""


def pairs(text):
    return [pair.split(maxsplit=1) for pair in " ".join(text.split()).split(", ")]


def test_spellings_share_a_key():
    found = pairs(PAIRS)
    assert len(found) > 40
    assert [pair for pair in found if not same_but_spelling(*pair)] == []
    assert same_but_spelling("web site", "website")
    assert same_but_spelling("Colour-blind", "COLORBLIND")


def test_other_words_do_not():
    assert [pair for pair in pairs(OTHERS) if same_but_spelling(*pair)] == []


@pytest.mark.parametrize("word", ["color", "organize", "traveling", "center", "maneuver", "catalog", "", "naïve"])
def test_a_key_is_its_own_key(word):
    assert spelling_key(spelling_key(word)) == spelling_key(word)
