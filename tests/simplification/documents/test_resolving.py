"""Texts resolved, against a loop that puts pieces together."""

import random
from collections import Counter
from typing import NamedTuple

import pytest
from nets import steps

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.features import feats_of, inflection
from lexbeam.transforms.inflection.inflector import Inflector, compiled
from lexbeam.transforms.simplification.documents.placed_texts import PlacedSentence
from lexbeam.transforms.simplification.documents.resolving import ChosenWord, Resolving, chosen_word
from lexbeam.transforms.simplification.rewriting.agreeing_rewriting import Offer, TargetChoice, edited
from lexbeam.transforms.simplification.rewriting.concord import SentenceToken

ABOUT = {"chosen_by": "zipf", "chosen_value": 3.0, "place": 1, "candidates": 4, "score": 2.0, "target_score": None}


def word(identifier, sentence, target, start, shown, before=None, reason=None):
    offers = () if reason else (Offer(shown, before),)
    choice = TargetChoice(start, start + len(target), None, None, offers)
    return ChosenWord("en", sentence, choice, reason, {**ABOUT, "instance_id": identifier})


class Made(NamedTuple):
    text: str
    rows: list


def resolved(text, sentences, words, refusal=lambda _: None):
    """Return a text with its words and its rows; sentences are number, place, instances, and come one by one."""
    resolving = Resolving("a.txt", refusal, lambda _: None)
    rows = []
    for number, first, *names in sentences:
        rows += resolving.add([PlacedSentence(number, first, names)], words)
    return Made(edited(text, resolving.edits), rows)


def test_sentences_follow_each_other():
    first, second = "An arduous task.", "It  was arduous."
    text = f"  {first}\n\n{second}\n"
    at = text.index(second)
    words = {
        "1": word("1", first, "arduous", 3, "hard", "A"),
        "2": word("2", first, "task", 11, "job"),
        "3": word("3", second, "arduous", 8, "arduous", reason="keep_target"),
    }
    made = resolved(text, [(0, 2, "1", "2"), (1, at, "3")], words)
    assert made.text == "  A hard job.\n\nIt  was arduous.\n"
    assert [(row["kind"], row["target"], row["chosen"], row["reason"]) for row in made.rows] == [
        ("beside", "An", "A", None),
        ("word", "arduous", "hard", None),
        ("word", "task", "job", None),
        ("word", "arduous", "arduous", "keep_target"),
    ]
    for row in made.rows:
        assert text[row["start"] : row["end"]] == row["target"]
        assert made.text[row["start_out"] : row["end_out"]] == row["chosen"]
    assert made.text[made.rows[0]["sentence_start"] : made.rows[0]["sentence_end"]] == "A hard job."
    assert made.text[made.rows[3]["sentence_start"] : made.rows[3]["sentence_end"]] == second
    assert made.rows[3]["place"] is None


def test_what_is_refused_stays_with_its_article():
    sentence = "An arduous task."
    words = {"1": word("1", sentence, "arduous", 3, "hard", "A"), "2": word("2", sentence, "task", 11, "job")}
    made = resolved(sentence, [(0, 0, "1", "2")], words, lambda edit: "markup stands there" if edit.beside else None)
    assert made.text == "An arduous job."
    assert [(row["target"], row["changed"], row["reason"], row["detail"]) for row in made.rows] == [
        ("arduous", False, "refused", "markup stands there"),
        ("task", True, None, None),
    ]


def test_work_is_linear_in_the_words_and_the_addresses_of_a_sentence():
    counts = []
    for times in (100, 200):
        sentence = " ".join(["see #An arduous task"] * times)
        starts = range(8, len(sentence), len("see #An arduous task "))
        words = {str(at): word(str(at), sentence, "arduous", start, "hard", "A") for at, start in enumerate(starts)}
        words |= {f"{at}b": word(f"{at}b", sentence, "task", start + 8, "job") for at, start in enumerate(starts)}
        places = [(0, 0, *sorted(words, key=lambda name: words[name].choice.start))]
        made = resolved(sentence, places, words)
        assert made.text == " ".join(["see #An arduous job"] * times)
        assert all(made.text[row["start_out"] : row["end_out"]] == row["chosen"] for row in made.rows)
        counts.append(steps(lambda args=(sentence, places, words): resolved(*args)))
    assert counts[1] < 2.1 * counts[0]


def test_what_changes_beside_a_word_never_stands_in_an_address():
    sentence = "See #An arduous task."
    words = {"1": word("1", sentence, "arduous", 8, "hard", "A"), "2": word("2", sentence, "task", 16, "job")}
    made = resolved(sentence, [(0, 0, "1", "2")], words)
    assert made.text == "See #An arduous job."
    assert made.rows[0]["detail"] == "it stands in addresses, hashtags or @names"


def test_agreement_drop_holds_by_the_tags_of_the_text():
    """The words around are tagged here alone: an adjective that agrees, and might have been a verb."""
    forms = [("NOUN", "morada", "Gender=Fem|Number=Sing"), ("NOUN", "edificio", "Gender=Masc|Number=Sing")]
    forms += [("ADJ", "completa", "Gender=Fem|Number=Sing"), ("ADJ", "completo", "Gender=Masc|Number=Sing")]
    forms += [("VERB", "completa", "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin")]
    lemmas = {"completa": "completo"}
    entries = (
        FormEntry(lemmas.get(form, form), inflection(upos, feats_of(feats)), form) for upos, form, feats in forms
    )
    spanish = Inflector(compiled(Counter(entries), "es"), "es")
    sentence = "una morada completa la noche"
    choice = TargetChoice(4, 10, "NOUN", None, (Offer("edificio", None),))
    words = {"1": ChosenWord("es", sentence, choice, None, {**ABOUT, "instance_id": "1"})}
    places = [(0, 3), (4, 10), (11, 19), (20, 22), (23, 28)]
    tags = ["DET", "NOUN", "ADJ", "DET", "NOUN"]
    tokens = tuple(SentenceToken(*place, upos=tag) for place, tag in zip(places, tags, strict=True))
    made = {}
    for agreement in ("move", "drop"):
        resolving = Resolving("a.txt", lambda _: None, lambda _: spanish, agreement)
        rows = resolving.add([PlacedSentence(0, 0, ("1",), tokens)], words)
        made[agreement] = edited(sentence, resolving.edits), rows[-1]["reason"]
    assert made == {"move": ("un edificio completo la noche", None), "drop": (sentence, "no_agreement")}


def test_a_sentence_that_stands_twice():
    sentence = "A task."
    words = {"1": word("1", sentence, "task", 2, "job")}
    made = resolved(f"{sentence} {sentence}", [(0, 0, "1"), (1, 8, "1")], words)
    assert made.text == "A job. A job."
    assert [row["start_out"] for row in made.rows] == [2, 9]


FATES = ("plain", "changed", "no_candidate", "refused")


@pytest.mark.parametrize("seed", range(60))
def test_texts_of_any_shape(seed):
    draw = random.Random(seed)
    text, expected, sentences, words, refused = "", "", [], {}, set()
    for number in range(draw.randint(0, 6)):
        sentence, out, chosen = "", "", []
        for place in range(draw.randint(1, 6)):
            token = "".join(draw.choices("abçéñ", k=draw.randint(1, 5)))
            gap = draw.choice([" ", "  ", ", "]) if place else ""
            fate = draw.choice(FATES)
            if fate != "plain":
                chosen.append((f"{number} {place} {fate}", token, len(sentence) + len(gap), fate))
            sentence += gap + token
            out += gap + (f"<{place}>" if fate == "changed" else token)
        for identifier, token, start, fate in chosen:
            reason = fate if fate == "no_candidate" else None
            shown = token if reason else f"<{identifier.split()[1]}>"
            words[identifier] = word(identifier, sentence, token, start, shown, reason=reason)
            refused |= {len(text) + start} if fate == "refused" else set()
        if chosen:
            sentences.append((number, len(text), *(identifier for identifier, *_ in chosen)))
        border = draw.choice(["\n\n", " ", "\r\n ", "\t"])
        text, expected = text + sentence + border, expected + out + border
    made = resolved(text, sentences, words, lambda edit: "no" if edit.start in refused else None)
    assert made.text == expected
    assert len(made.rows) == len(words)
    for row in made.rows:
        assert text[row["start"] : row["end"]] == row["target"]
        assert made.text[row["start_out"] : row["end_out"]] == row["chosen"]
        assert row["instance_id"].endswith(row["reason"] or "changed")


def test_what_tables_say_of_an_instance():
    found = {"language": "es", "sentence": "La finca.", "target": "finca", "start": 3, "end": 8}
    found |= {"upos": "NOUN", "feats": None}
    rows = {
        "simplification/instances": [{**found, "chosen_by": "zipf", "chosen_value": 3.2}],
        "simplification/simplifications": [
            {
                "chosen": "terreno",
                "form": "terreno",
                "changed": True,
                "reason": None,
                "score": 2.0,
                "target_score": 1.0,
                "article_change": "La El",
            }
        ],
        "simplification/rankings": [
            {"form": "casa", "is_target": False, "place": 1},
            {"form": "terreno", "is_target": False, "place": 2},
            {"form": "finca", "is_target": True, "place": None},
        ],
    }
    made = chosen_word("1", rows)
    assert made.choice == TargetChoice(3, 8, "NOUN", None, (Offer("terreno", "El"),))
    assert made.target == "finca"
    assert (made.about["place"], made.about["candidates"]) == (2, 2)
