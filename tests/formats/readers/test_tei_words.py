"""Words and signs that are marked one by one are tokens, whatever finds these; `@join` and `@part` are heeded."""

from hypothesis import given
from hypothesis import strategies as st
from nets import ends
from reading import entries, summary

TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>{}</body></text></TEI>'


def text(content):
    (found,) = summary(TEI.format(content).encode(), "tei")
    return found


def annotated(content):
    (record,) = entries(TEI.format(content).encode(), "tei")
    for sentence in record.sentences:
        spans = zip(sentence.starts, sentence.ends, strict=True)
        assert [record.text[a:b] for a, b in spans] == sentence.forms
    return record


MARKED = {
    "<w>The</w><w>ship</w>": "The ship",
    "<w>The</w><hi><w>old</w></hi><pb/><w>ship</w><lb/><w>sails</w>": "The old ship sails",
    "<w>The </w><w> old </w><w>ship</w><c>.</c>": "The old ship.",
    "<w>said</w><pc>“</pc><w>yes</w><pc>,</pc><pc>”</pc><w>he</w><pc>.</pc><w>No</w>": "said “yes,” he. No",
    "<w>a</w><pc>-</pc><w>b</w><pc>(</pc><w>c</w><pc>)</pc><pc>!</pc>": "a - b (c)!",
    "<w>我</w><w>爱</w><w>北京</w><pc>。</pc>": "我 爱 北京。",
    '<w>do</w>\n<w join="left">not</w>': "donot",
    '<w join="right">l\' </w><w>eau</w> <w join="both"> x </w> <w>y</w>': "l'eauxy",
    '<w>a</w><pc join="no">.</pc><w join="overlap">b</w>': "a . b",
    '<w>Lotto</w><pc force="weak">-</pc><w>Annahme</w>': "Lotto-Annahme",
    '<w>Krönungs</w><pc force="weak">-</pc> <w>und</w>': "Krönungs- und",
    '<w>a</w><pc force="strong">-</pc><lb/><w>b</w>': "a - b",
    'self<pc force="strong">-</pc><lb/>same, selfsame': "self- same, selfsame",
    '<w part="I">gou</w><lb/><w part="M">ern-</w><fw>no</fw><pb/><w part="F">ment</w>': "gouernment",
    '<w part="I">te</w><emph><w part="F">st</w></emph><w>next</w>': "test next",
    '<w part="I">de</w> <w>next</w> <w part="F">st</w> <w part="Y">p</w>': "de next st p",
    '<w>ver</w><pc>-</pc><lb break="no"/><w>gnügt</w>': "vergnügt",
    'ver<pc>-</pc><lb break="no"/>gnügt, ver<pc>-</pc>\n<lb/>gnügt': "vergnügt, vergnügt",
    "<w>ver<lb/>gnügt</w> <w>well-\n<lb/>known</w>": "vergnügt well-known",
    "<w>gov<pause/>ern<gap/>ment</w>": "government",
    "<w>\n <m>un</m>\n <m>happy</m>\n</w> <w><w>New</w> <w>York</w></w>": "unhappy New York",
    "<w><choice><orig>vp</orig><reg>up</reg></choice></w><w><choice><sic>a</sic><corr/></choice>b</w>": "up b",
    "ver<pc force='weak'>-</pc><lb/>“no”": "ver “no”",
}


def test_what_stands_between_marked_words():
    wrong = {content: found for content, wanted in MARKED.items() if (found := text(f"<p>{content}</p>")) != wanted}
    assert not wrong


FORMS = st.sampled_from(["The", "ship", "l'", "été", "我", "e\u0301t", "1790", "co-op", "und"])
GAPS = st.sampled_from(["", "", " ", "\n  ", "<lb/>", "<pb/>", "<pause/>", "<note>no</note>", "<!-- no -->"])
AROUND = st.sampled_from([("", ""), ("<hi>", "</hi>"), ("<name><seg>", "</seg></name>")])


@given(st.lists(st.tuples(FORMS, AROUND, GAPS), min_size=1), st.booleans())
def test_no_two_words_become_one_unless_the_source_says_so(words, lemmas):
    attribute = ' lemma="x"' if lemmas else ""
    content = "".join(f"{a}<w{attribute}>{form}</w>{b}{gap}" for form, (a, b), gap in words)
    forms = [form.replace("e\u0301", "é") for form, _, _ in words]
    if lemmas:
        (sentence,) = annotated(f"<p>{content}</p>").sentences
        assert sentence.forms == forms
    assert text(f"<p>{content}</p>").split() == forms


@given(st.lists(st.tuples(st.sampled_from(["a", "bc", "é"]), st.sampled_from(["", " "]), st.booleans()), min_size=1))
def test_joined_words_have_no_white_space_between_them(words):
    made = [f"<w lemma='x' join='{'left' if join else 'no'}'>{word}</w>{gap}" for word, gap, join in words]
    expected = "".join(word if join else " " + word for word, _, join in words).strip()
    record = annotated(f"<p>{''.join(made)}</p>")
    assert record.text == expected
    assert [form for sentence in record.sentences for form in sentence.forms] == [word for word, _, _ in words]


def test_parts_of_a_word_are_one_token_with_the_values_of_the_first():
    content = '<w part="I" lemma="government" pos="NOUN">gouern-</w>\n<lb/><w part="F" lemma="no" pos="X">ment</w>'
    (sentence,) = annotated(f'<p>{content} <w lemma="fall" pos="VERB">fell</w></p>').sentences
    assert (sentence.forms, sentence.lemmas) == (["gouernment", "fell"], ["government", "fall"])
    assert sentence.upos == ["NOUN", "VERB"]


def test_a_word_without_a_part_of_speech_takes_none_from_the_others():
    """Contractions in parliaments' corpora: the outer word has the form, the inner ones the annotation."""
    inner = '<w norm="à" lemma="à" msd="UPosTag=ADP"/>\n<w norm="les" lemma="le" msd="UPosTag=DET"/>'
    content = f'<s><w>aux\n{inner}\n</w> <w lemma="mer" msd="UPosTag=NOUN" join="right">mers</w><pc>.</pc></s>'
    (sentence,) = annotated(f"<p>{content}</p>").sentences
    assert sentence.forms == ["aux", "mers", "."]
    assert sentence.upos == ["X", "NOUN", "PUNCT"]


def test_words_of_txm_have_their_first_form_and_its_annotation():
    ana = '<t:ana type="#frlemma">être</t:ana><t:ana type="#frpos">VER</t:ana>'
    word = f'<w>\n <t:form>est</t:form>\n <t:form type="facs">ẽ</t:form>\n {ana}</w>'
    (record,) = entries(TEI.format(f'<p xmlns:t="http://textometrie.org/1.0">{word}\n{word}</p>').encode(), "tei")
    assert record.text == "est est"
    assert record.sentences[0].lemmas == ["être", "être"]


def test_marks_in_a_row_take_no_time_of_their_own():
    number = 50_000
    contents = [
        "<w>a</w>" + '<lb break="no"/>' * number + "x",
        '<w part="M">a</w>' * number,
        '<w join="both">a</w> ' * number,
        "<w>a</w>" + "<pc>-</pc>" * number + "<lb/>",
        'a<pc force="weak">-</pc>' * number,
        "a" + "<pause/>" * number + "b",
    ]
    for content in contents:
        with ends():
            assert text(f"<p>{content}</p>")
