"""Characters that nobody sees, ends of sentences, and words cut at line ends."""

from pathlib import Path
from typing import Any

from hostile_meaning import Meaning, read_as_text

from lexbeam.transforms.formats.records.hyphens import listed_words

BIDI = (
    '{"text": "The king \u05e9\u05dc\u05d5\u05dd."}\n{"text": "The king \u202b\u05e9\u05dc\u05d5\u05dd\u202c\u200f."}\n'
)
VOCALISED = "قرأ الوَلَدُ الدَّرْسَ. ذهب إلى البيتِ. ثم نامَ!\n"
CONLLU = "1\tمی\u200cخواهم\tخواستن\tVERB" + "\t_" * 6 + "\n2\tشب\u200f\tشب\tNOUN" + "\t_" * 6 + "\n\n"
CUT = "The old govern-\nment fell. The govern\u00ac\nment rose. Das Dampf\u2e17\nschiff. The well-\nknown man.\n"
OLD = "A pro=\nvince. Das Dampf\u2e17\nschiff. Die Lotto-\nAnnahme. Krönungs-\nund Grabstadt. A non-\ncompliant man.\n"
TEI_CUT = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><p>Das Dampf-<lb/>schiff. The well-<lb/>known man.</p>"
    "</body></text></TEI>"
)
PAGE = b"<!DOCTYPE html><html><body><p>A govern-<br>ment. The government.</p></body></html>"


def read_with_words(path: Path, options: dict[str, Any]) -> str:
    """Return what `read_as_text` does, with a list of words that tells how those are written that line ends cut."""
    words = listed_words(["government", "province", "Dampfschiff", "noncompliant", "non-compliant", "wellknown"])
    return read_as_text(path, {**options, "words": words})


MARKS: dict[str, list[Meaning]] = {
    "Characters that nobody sees": [
        Meaning(
            "non-joiners of Persian",
            "a.txt",
            "او می\u200cخواهد. کتاب\u200cها\n".encode(),
            "او می\u200cخواهد. کتاب\u200cها",
        ),
        Meaning("a non-joiner in German", "a.txt", "Auf\u200clage\n".encode(), "Auflage"),
        Meaning("U+200B between words", "a.txt", "The price\u200bwas five.\n".encode(), "The price was five."),
        Meaning("U+200B in Khmer", "a.txt", "ខ្ញុំ\u200bសូម\u200bសួរ។\n".encode(), "ខ្ញុំ សូម សួរ។"),
        Meaning("marks of direction", "a.jsonl", BIDI.encode(), "The king שלום. | The king שלום."),
        Meaning("joiners in CoNLL-U", "a.conllu", CONLLU.encode(), "می\u200cخواهم شب"),
    ],
    "Ends of sentences": [
        Meaning(
            "a full stop behind a vowel sign",
            "a.txt",
            VOCALISED.encode(),
            "قرأ الوَلَدُ الدَّرْسَ . | ذهب إلى البيتِ . | ثم نامَ !",
            {"engine": "builtin:ar"},
        ),
        Meaning(
            "a full stop of Armenian",
            "a.txt",
            "Նա եկավ։ Ես գնացի։\n".encode(),
            "Նա եկավ ։ | Ես գնացի ։",
            {"engine": "builtin:hy"},
        ),
    ],
    "Words cut at line ends": [
        Meaning("hyphens, kept and counted", "a.txt", CUT.encode(), CUT.strip().replace("\n", "⏎")),
        Meaning(
            "hyphens",
            "a.txt",
            CUT.encode(),
            "The old government fell. The government rose. Das Dampfschiff. The well-known man.",
            {"hyphens": "join"},
        ),
        Meaning(
            "a break in a page", "a.html", PAGE, "A government. The government.", {"html": "all", "hyphens": "join"}
        ),
        Meaning(
            "hyphens that belong to the word, `=`",
            "a.txt",
            OLD.encode(),
            "A pro=⏎vince. Das Dampfschiff. Die Lotto-Annahme. Krönungs-⏎und Grabstadt. A non-compliant man.",
            {"hyphens": "join"},
        ),
        Meaning(
            "the same with a list that has *province*, and *non-compliant* in both ways",
            "a.txt",
            OLD.encode(),
            "A province. Das Dampfschiff. Die Lotto-Annahme. Krönungs-⏎und Grabstadt. A non-compliant man.",
            {"hyphens": "join"},
            by=read_with_words,
        ),
        Meaning(
            "breaks of TEI, with a list that has *Dampfschiff*, *wellknown*",
            "a.xml",
            TEI_CUT.encode(),
            "Das Dampfschiff. The wellknown man.",
            {"hyphens": "join"},
            by=read_with_words,
        ),
    ],
}
