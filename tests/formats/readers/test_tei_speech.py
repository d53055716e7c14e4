"""What is heard and seen is no speech, and parts words; what only carries words is text."""

from hypothesis import given
from hypothesis import strategies as st
from reading import summary

TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>{}</body></text></TEI>'
SOUNDS = [
    *("<pause/>", "<pause dur='PT2S'/>", '<shift feature="loud" new="f"/>', "<vocal/>", '<vocal desc="laugh"/>'),
    *(
        f"<{name}><desc>no</desc></{name}>"
        for name in ("vocal", "incident", "kinesic", "event", "gap", "pause", "shift")
    ),
    *("<writing>no <hi>no</hi></writing>", "<writing><p>no</p></writing>", '<note type="time">10:00</note>'),
    *("<desc>no</desc>", "<stage>no</stage>", "<space/>", "<gap reason='inaudible'/>", '<event desc="no"/>'),
]


def text(content):
    found = summary(TEI.format(content).encode(), "tei")
    assert len(found) == 1
    return found[0]


GAPS = st.lists(st.sampled_from([*SOUNDS, " ", "\n"]), min_size=1, max_size=3).map("".join)
WORDS = st.sampled_from(["Mr", "Speaker,", "I", "rise.", "été", "<hi>Now</hi>", "<name>John</name>"])


@given(st.lists(st.tuples(WORDS, GAPS), min_size=1), st.sampled_from(["{}", "<seg>{}</seg>", "<seg>{}</seg><seg/>"]))
def test_what_is_said_is_read_word_by_word(words, around):
    said = [word.replace("<hi>Now</hi>", "Now").replace("<name>John</name>", "John") for word, _ in words]
    assert text(f"<u>{around.format(''.join(map(''.join, words)))}</u>").split() == said


READ = {
    "<u>one<pause/>, two<vocal/>.</u>": "one, two.",
    "<u><seg>A.</seg><seg>B.</seg></u><incident><desc>no</desc></incident><u>C</u>": "A. B.\n\nC",
    "<div><head>H</head><kinesic><desc>no</desc></kinesic><note>no</note><u>A</u></div>": "H\n\nA",
    "<sp><speaker>A</speaker><l>To be<stage>aside</stage>or</l></sp>": "A\n\nTo be\n\naside\n\nor",
    "<sp><p>He<sound>bell</sound>came<camera>far</camera></p><tech>t</tech><view>v</view></sp>": "He\n\nbell\n\n"
    "came\n\nfar\n\nt\n\nv",
    "<p>one<gap/>two, w<gap unit='character'/>rd, a<gap extent='2 Letters'/>b</p>": "one two, wrd, ab",
    "<p>arma<caesura/>virum a<space/>b</p>": "arma virum a b",
    "<p>ship<index><term>no</term></index>s<metamark>no</metamark><interp>no</interp></p>": "ships",
    "<u>a</u><spanGrp type='pos'><span>no</span></spanGrp><fs><f><string>no</string></f></fs>": "a",
    "<p><ruby><rb>漢</rb><rt>no</rt></ruby></p><figure><head>F</head><figDesc>no</figDesc></figure>": "漢\n\nF",
    "<listPlace><place><placeName>X</placeName><desc>a town</desc></place></listPlace>": "X\n\na town",
    "<listEvent><event><label>War</label><desc>long</desc></event></listEvent>": "War\n\nlong",
    "<castList><castItem><role>H</role><roleDesc>prince</roleDesc></castItem></castList>": "H prince",
    "<entry><form><orth>ship</orth><pron>x</pron></form><sense><def>a</def><def>b</def></sense></entry>": "ship x a b",
    "<p><choice><am>~</am><ex>en</ex></choice></p>": "en",
    '<p>x<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:annotation>no</m:annotation></m:math></p>': "x",
}


def test_what_is_text_and_what_is_about_it():
    wrong = {content: found for content, wanted in READ.items() if (found := text(content)) != wanted}
    assert not wrong
