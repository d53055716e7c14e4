import pytest

from lexbeam.transforms.annotation.engines.builtin import languages
from lexbeam.transforms.annotation.language_guessing import LANGUAGES, guess_engine, guess_language
from lexbeam.transforms.common.texts.languages import short_tag

TEXTS = {
    "en": "The old man went down to the sea, and there he saw that his boat was gone.",
    "de": "Der alte Mann ging zum Meer hinunter, und dort sah er, dass sein Boot weg war.",
    "fr": "Le vieil homme descendit vers la mer, et il vit que son bateau n'était plus là.",
    "es": "El viejo bajó hasta el mar, y allí vio que su barco ya no estaba donde lo dejó.",
    "it": "Il vecchio scese fino al mare, e lì vide che la sua barca non era più dove stava.",
    "nl": "De oude man ging naar de zee, en daar zag hij dat zijn boot er niet meer was.",
    "sv": "Den gamle mannen gick ner till havet, och där såg han att hans båt var borta.",
    "pt": "O velho desceu até ao mar, e ali viu que o seu barco já não estava onde o deixou.",
    "ru": "Старик пошёл к морю, и там он увидел, что его лодки уже не было на том месте.",
    "zh": "老人走到海边，看见他的船已经不在那里了，GDP增长3.5%。",
    "ja": "老人は海へ行き、そこで自分の船がもうないことに気づいた。",
    "th": "ชายชราเดินไปที่ทะเลและเห็นว่าเรือของเขาไม่อยู่แล้ว",
    "ko": "노인은 바다로 내려가 배가 사라진 것을 보았다.",
    "la": "Qui cum ad mare venisset, non iam vidit eam, quae ab eo ibi et ante et post erat.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_language_is_known_by_its_commonest_words(language):
    assert guess_language(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "1848 1849", "xq zzt vrr plm", "Ferdinand Magellan Lisboa"])
def test_what_is_no_running_text_has_no_language(text):
    assert guess_language(text) is None


def test_every_language_has_an_engine():
    assert set(LANGUAGES) <= set(languages())
    assert guess_engine("la") == "builtin:la"
    assert guess_engine("zh") == "builtin:zh"
    assert guess_engine("ko") is guess_engine("tlh") is None


def test_the_smallest_installed_model_is_taken(monkeypatch):
    class Point:
        def __init__(self, name):
            self.name = name

    names = ["en_core_web_trf", "en_core_web_md", "en_core_web_sm", "de_core_news_lg", "en_own"]
    monkeypatch.setattr(
        "lexbeam.transforms.annotation.language_guessing.importlib.metadata.entry_points",
        lambda group: [Point(name) for name in names] if group == "spacy_models" else [],
    )
    assert guess_engine("en") == "spacy:en_core_web_sm"
    assert guess_engine("de") == "spacy:de_core_news_lg"
    assert guess_engine("fr") == "builtin:fr"


def test_tags_are_made_short():
    assert [short_tag(tag) for tag in ("eng", "en-GB", "DE_at", "ger", "xyz", "")] == [
        "en",
        "en",
        "de",
        "de",
        "xyz",
        "",
    ]
