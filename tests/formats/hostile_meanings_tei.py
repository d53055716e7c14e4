"""TEI: what is said and what is about it, words that are marked one by one, words that breaks cut."""

from typing import Any

from hostile_meaning import Meaning

_E = {"engine": "builtin:en"}
_TWICE = '<p><w>The </w><w>old </w><w>ship</w><c>.</c></p><p><w lemma="the">The</w><w lemma="ship">ship</w>'


def _tei(fed: str, body: str, read: str, options: dict[str, Any] | None = None) -> Meaning:
    whole = f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body>{body}</body></text></TEI>'
    return Meaning(fed, "a.xml", whole.encode(), read, options or {})


TEI: dict[str, list[Meaning]] = {
    "TEI: what is heard and seen": [
        _tei(
            "A speech with a cough, applause, a nod, a gap, a note of the time",
            "<u><seg>Mr Speaker, I <vocal><desc>coughs</desc></vocal> rise.</seg>"
            "<incident><desc>Applause</desc></incident>"
            '<kinesic><desc>nods</desc></kinesic><gap reason="inaudible"><desc>inaudible</desc></gap>'
            '<note type="time">10:00</note></u><u>He <name>John</name> said.</u>',
            "Mr Speaker , I rise . | He John said .",
            _E,
        ),
        _tei(
            "A pause, a louder voice, writing, laughter",
            '<u><seg>We <pause/>rise. <shift new="loud"/>Now<writing>on the board</writing> '
            "<vocal><desc>Laughter</desc></vocal>again. <kinesic><desc>bell rings</desc></kinesic></seg></u>",
            "We rise. Now again.",
        ),
        _tei("Pauses with no white space", "<u>one<pause/>two<shift/>three<pause/>, four</u>", "one two three, four"),
        _tei("Pieces of a speech in a row", "<u><seg>One.</seg><seg>Two.</seg></u>", "One. Two."),
        _tei(
            "A stage direction, as printed",
            "<sp><speaker>HAMLET</speaker><l>To be<stage>aside</stage>or not</l></sp>",
            "HAMLET⏎⏎To be⏎⏎aside⏎⏎or not",
        ),
        _tei(
            "Words and letters that are missing",
            'one<gap reason="inaudible"/>two w<gap unit="chars"/>rd w<gap extent="1 letter"><desc>•</desc></gap>rd',
            "one two wrd wrd",
        ),
        _tei(
            "Terms of an index, readings of signs, a figure described",
            "<p>A ship<index><term>ships</term></index>. <ruby><rb>漢</rb><rt>かん</rt></ruby></p>"
            "<figure><figDesc>a ship</figDesc></figure>",
            "A ship. 漢",
        ),
    ],
    "TEI: words marked one by one": [
        _tei("With white space in them, and with none", _TWICE + "</p>", "The old ship . | The ship", _E),
        _tei("The same without lemmas", "<p><w>The</w><w>ship</w><w>sails</w><pc>.</pc></p>", "The ship sails .", _E),
        _tei(
            "Signs", "<p><w>He</w><pc>,</pc><w>said</w><pc>(</pc><w>she</w><pc>)</pc><pc>.</pc></p>", "He, said (she)."
        ),
        _tei(
            "`@join`",
            "<p><w>ca</w> <w join=\"left\">n't</w> <w join=\"right\">l'</w> <w>eau</w> <w>a</w><w join='no'>b</w></p>",
            "can't l'eau a b",
        ),
        _tei(
            "Parts of a word, with a line end between them",
            '<p>a <w part="I">Cir<pc force="weak">-</pc></w> <fw>cum</fw><pb/> <lb/><w part="F">cumstance</w></p>',
            "a Circumstance",
        ),
        _tei(
            "A word in words, the outer one laid out",
            '<p><w lemma="x">aux\n  <w norm="à"/>\n  <w norm="les"/>\n</w><pc>,</pc></p>',
            "aux ,",
            _E,
        ),
        _tei(
            "A word of TXM",
            '<p xmlns:txm="http://textometrie.org/1.0"><w><txm:form>Lancelot</txm:form>'
            '<txm:form type="facs">lanc.</txm:form><txm:ana type="#pos">NOMpro</txm:ana></w></p>',
            "Lancelot",
        ),
    ],
    "TEI: readings": [
        _tei(
            "Deletions, and one that is taken back",
            "<p>The <subst><del>old</del><add>new</add></subst> sh<restore><del>i</del></restore>p<del>s</del></p>",
            "The new ship",
        ),
        _tei(
            "Abbreviations",
            "<p>p<am>~</am><ex>er</ex>son <expan><abbr>q<am>3</am></abbr><ex>ue</ex></expan> "
            "<choice><abbr>y<am>t</am></abbr><expan>y<ex>at</ex></expan></choice></p>",
            "person que yat",
        ),
        _tei(
            "Groups of readings, with a lemma and without",
            "<p>a <app><rdgGrp><rdg>ship</rdg><rdg>boat</rdg></rdgGrp></app> "
            "<app><rdgGrp><lem>sails</lem><rdg>sank</rdg></rdgGrp><rdg>sunk</rdg></app></p>",
            "a ship sails",
        ),
    ],
    "TEI: words cut at breaks": [
        _tei(
            "Hyphens of EEBO, with line ends and without",
            '<p>gouern<g ref="char:EOLhyphen"/>ment, gouern<g ref="char:EOLunhyphen"/><lb/>ment</p>',
            "gouernment, gouernment",
        ),
        _tei(
            "A hyphen, `¬` and the hyphen of old prints",
            "<p>The govern-<lb/>ment. The well-<lb/>known man. govern¬<pb/>ment. Dampf⸗<lb/>schiff, Dampf⹀<lb/>er.</p>",
            "The government. The well-known man. government. Dampfschiff, Dampfer.",
        ),
        _tei(
            "A weak sign, a non-breaking hyphen",
            '<p>ver<pc force="weak">-</pc><lb/>gnügt, bös\u2011<lb break="no"/>artig, '
            'Mac<pc force="weak">;</pc><lb/>Leod</p>',
            "vergnügt, bösartig, MacLeod",
        ),
        _tei(
            "A hyphen that belongs to the word",
            '<p>Lotto-<lb break="no"/>Annahmestelle, Dampf⸗<lb/>Schiff, Krönungs⸗<lb/>und Grabstadt</p>',
            "Lotto-Annahmestelle, Dampf⸗Schiff, Krönungs⸗ und Grabstadt",
        ),
        _tei("A break within a marked word", "<p><w>ver<lb/>gnügt</w> <w>ver\n<cb/>gnügt</w></p>", "vergnügt vergnügt"),
        _tei("A break that says so", '<p>four<pb break="yes"/>five ver<gb break="no"/>gnügt</p>', "four five vergnügt"),
    ],
}
