"""Words of Chinese, Japanese and Thai. The gold sentences are the tests' own, cut as Universal Dependencies cuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.annotation.engines import segmenters
from lexbeam.transforms.annotation.engines.engine import annotate_text
from lexbeam.transforms.annotation.engines.known_engines import (
    chosen_entries,
    describe_engine,
    load_engine,
    load_splitter,
)
from lexbeam.transforms.annotation.engines.normalise import parse_rules
from lexbeam.transforms.annotation.engines.segmenters import PIECE, SEGMENTERS
from lexbeam.transforms.common.errors import UsageError

# Words between spaces; an underscore is a space of the text.
GOLD = {
    "zh": [
        "我/PRON 昨天/NOUN 去/VERB 了/AUX 北京/PROPN 。/PUNCT",
        "她/PRON 的/PART 朋友/NOUN 喜欢/VERB 喝/VERB 绿茶/NOUN 和/CCONJ 咖啡/NOUN 。/PUNCT",
        "政府/NOUN 在/ADP 2020/NUM 年/NOUN 公布/VERB 了/AUX 新/ADJ 政策/NOUN 。/PUNCT",
    ],
    "ja": [
        "彼女/PRON は/ADP 昨日/NOUN 東京/PROPN へ/ADP 行っ/VERB た/AUX 。/PUNCT",
        "猫/NOUN が/ADP 庭/NOUN で/ADP 魚/NOUN を/ADP 食べ/VERB て/SCONJ い/AUX ます/AUX 。/PUNCT",
        "新しい/ADJ 本/NOUN は/ADP とても/ADV 面白かっ/ADJ た/AUX 。/PUNCT",
    ],
    "th": [
        "ฉัน/PRON ไป/VERB โรงเรียน/NOUN ทุก/DET วัน/NOUN",
        "แมว/NOUN กิน/VERB ปลา/NOUN ใน/ADP สวน/NOUN",
        "เขา/PRON ชอบ/VERB อ่าน/VERB หนังสือ/NOUN และ/CCONJ ฟัง/VERB เพลง/NOUN",
    ],
}
TEXTS = {
    language: ["".join(token.split("/")[0] for token in line.split()) for line in GOLD[language]] for language in GOLD
}


def gold_of(language):
    """Yield the text of each sentence, with the part of speech of each of its words by their places."""
    for line in GOLD[language]:
        words, place = {}, 0
        for token in line.split():
            form, upos = token.split("/")
            words[place, place + len(form)] = upos
            place += len(form)
        yield "".join(token.split("/")[0] for token in line.split()), words


@pytest.mark.parametrize(("language", "tokens", "tags"), [("zh", 0.9, 0.9), ("ja", 1.0, 1.0), ("th", 0.7, 0.8)])
def test_words_and_parts_of_speech_are_those_of_the_gold(language, tokens, tags):
    engine = load_engine(f"builtin:{language}")
    found = gold = same = tagged = 0
    for text, words in gold_of(language):
        (sentence,) = annotate_text(text, engine)
        places = dict(zip(zip(sentence.starts, sentence.ends, strict=True), sentence.upos, strict=True))
        found += len(places)
        gold += len(words)
        same += len(places.keys() & words.keys())
        tagged += sum(words.get(place) == upos for place, upos in places.items())
    assert 2 * same / (found + gold) >= tokens
    assert tagged / same >= tags


def test_lemmas_are_dictionary_forms_or_the_words():
    (sentence,) = annotate_text("彼女は本を読んでいた。", load_engine("builtin:ja"))
    assert dict(zip(sentence.forms, sentence.lemmas, strict=True))["読ん"] == "読む"
    for language in ("zh", "th"):
        for sentence in annotate_text(TEXTS[language][0], load_engine(f"builtin:{language}")):
            assert sentence.lemmas == sentence.forms


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "他说：“你好！”她笑了。 天黑了（很晚）。", ["他说：“你好！”", "她笑了。", "天黑了（很晚）。"]),
        ("ja", "「本当？」と彼は言った。雨が3.5ミリ降った", ["「本当？」", "と彼は言った。", "雨が3.5ミリ降った"]),
        ("zh", "”他走了。", ["”他走了。"]),
    ],
)
def test_sentences_end_behind_a_mark_and_what_closes_behind_it(language, text, expected):
    sentences = annotate_text(text, load_engine(f"builtin:{language}"))
    assert [text[sentence.starts[0] : sentence.ends[-1]] for sentence in sentences] == expected


def test_thai_sentences_are_told_without_marks():
    text = "เช้าวันนี้ฝนตกหนักมาก ฉันจึงไปทำงานสาย"
    sentences = annotate_text(text, load_engine("builtin:th"))
    assert [text[sentence.starts[0] : sentence.ends[-1]] for sentence in sentences] == text.split()


@pytest.mark.parametrize("language", SEGMENTERS)
@given(
    text=st.text(
        st.sampled_from("我们的北京は東京ค้ากแab 1。，、“」\u3000\u200bé\u0301𠀀😀-%.ｶﾞ㌔ﬁ…"), min_size=1, max_size=40
    )
)
def test_words_put_together_are_the_text(language, text):
    segment = SEGMENTERS[language].load()
    found = segment(text)
    assert "".join(found.words) == text
    assert {len(values) for values in found} == {len(found.words)}


def test_a_text_beyond_what_sudachi_takes_is_cut_behind_sentences():
    sentence = "".join(TEXTS["ja"])
    text = sentence * (60_000 // len(sentence.encode()) + 1)
    segment = SEGMENTERS["ja"].load()
    once = segment(sentence).words
    assert segment(text).words == once * (len(text) // len(sentence))
    assert "".join(segment("あ" * (PIECE + 10)).words) == "あ" * (PIECE + 10)


def test_form_rules_map_what_was_tagged_and_offsets_stay():
    rules = parse_rules("form\t北京\t燕京\nlemma\t去\t往")
    (sentence,) = annotate_text(TEXTS["zh"][0], load_engine("builtin:zh"), normalise=rules)
    assert (sentence.forms[4], sentence.lemmas[4], sentence.upos[4]) == ("燕京", "燕京", "PROPN")
    assert sentence.lemmas[2] == "往"
    assert TEXTS["zh"][0][sentence.starts[4] : sentence.ends[4]] == "北京"


def test_a_splitter_has_the_words_of_the_engine_or_goes_without(monkeypatch):
    text = TEXTS["zh"][0]
    words = annotate_text(text, load_engine("builtin:zh"))[0].forms
    assert annotate_text(text, load_splitter("zh"))[0].forms == words
    monkeypatch.setattr("lexbeam.transforms.common.code.registry.importlib.util.find_spec", lambda name: None)
    load_splitter.cache_clear()
    assert annotate_text(text, load_splitter("zh"))[0].forms == [text[:-1], "。"]
    load_splitter.cache_clear()


@pytest.mark.parametrize("language", SEGMENTERS)
def test_a_missing_package_is_named_with_the_extra(monkeypatch, language):
    monkeypatch.setattr("lexbeam.transforms.common.extras.importlib.util.find_spec", lambda name: None)
    (first, *_) = SEGMENTERS[language].modules
    with pytest.raises(UsageError, match=rf"builtin:{language}' needs the Python package {first}.*{language}"):
        describe_engine(f"builtin:{language}")


def test_versions_are_in_the_fingerprint_and_count_only_where_they_are_used():
    assert "rjieba=" in describe_engine("builtin:zh").fingerprint
    assert "SudachiDict-core=" in describe_engine("builtin:ja").fingerprint
    assert "pythainlp=" in describe_engine("builtin:th").fingerprint
    registry = "lexbeam.transforms.annotation.engines.segmenters:SEGMENTERS"
    assert chosen_entries("builtin:zh")[registry] == ("zh",)
    assert chosen_entries("builtin:en")[registry] == chosen_entries("none")[registry] == ()


def test_thai_leaves_no_folder_in_a_home(monkeypatch, tmp_path):
    import subprocess
    import sys

    code = (
        "from lexbeam.transforms.annotation.engines.segmenters import SEGMENTERS as s\n"
        "print(s['th'].load()('แมวกินปลา').words)"
    )
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run(
        [sys.executable, "-c", code], check=True, env=environment, cwd=segmenters.__file__.split("/transforms/")[0]
    )
    assert list(tmp_path.iterdir()) == []
