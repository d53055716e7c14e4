import pytest

from transforms.cloze.pairs.mis_decoding import looks_mis_decoded

# Words with signs that no ASCII holds, as people write them.
RIGHT = [
    "£600",
    "5 °C",
    "½",
    "naïve café",
    "CAFÉ »Au lait«",
    "„Spaß“",
    "EÄ–2",
    "Ünal's Ö…",
    "São",
    "“Quoted” – and dashed — …",
    "10 €",
    "Привет, мир",
    "Ελλάδα",
    "日本語",
    "ÄÖÜ",
    "Ð and Þ",
    "MANHÃ.",
    "â la carte",
    "Ångström",
    "«né»…",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_is_not_flagged_and_what_utf_8_becomes_by_other_encodings_is(text):
    assert not looks_mis_decoded(text)
    for encoding in ("latin-1", "cp1252"):
        wrong = text.encode().decode(encoding, "replace")
        assert looks_mis_decoded(f"It says {wrong} here")


@pytest.mark.parametrize("text", ["Â£600", "caf\u00c3\u00a9", "donâ€™t", "â‚¬5", "Â\xa0", "a\ufffd"])
def test_the_commonest_are_found_alone(text):
    assert looks_mis_decoded(text)
    assert not looks_mis_decoded(text.encode("ascii", "ignore").decode())
