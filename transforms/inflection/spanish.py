"""Spanish spelling: sounds before letters, stress before accents, and clitics behind verbs.

Inflection keeps sounds and stress, and spelling follows: `sacar`, `saqué`; `examen`, `exámenes`.
Words are therefore converted to sounds before suffixes are compared, and spelled again afterwards:

- K is c or qu, Z is z or c, G is g or gu, J is g before e and i; `Gu` before e and i is gü;
  i between vowels is y.
- The stressed vowel of nouns and adjectives has an acute (U+0301), written or not.

    >>> encode("saqué"), decode("saKé")
    ('saKé', 'saqué')
    >>> decode(stressed("examen") + "es")
    'exámenes'
    >>> strip_clitics("dándoselo")
    ('dando', ('se', 'lo'))
    >>> attach_clitics("decir", ("se", "lo"))
    'decírselo'
"""

import re
import unicodedata
from collections.abc import Callable

CLITICS = ("me", "te", "se", "nos", "os", "lo", "la", "los", "las", "le", "les")

_ACUTE = "\u0301"
_PLAIN = str.maketrans("áéíóú", "aeiou")
_SHARP = str.maketrans("aeiou", "áéíóú")
_SOUNDS = (
    (re.compile("qu(?=[eiéí])"), "K"),
    (re.compile("c(?=[eiéí])"), "Z"),
    (re.compile("c(?!h)"), "K"),
    (re.compile("z"), "Z"),
    (re.compile("gü(?=[eiéí])"), "Gu"),
    (re.compile("gu(?=[eiéí])"), "\0"),
    (re.compile("g(?=[eiéí])"), "J"),
    (re.compile("g"), "G"),
    (re.compile("\0"), "G"),
)
_LETTERS = (
    (re.compile("K(?=[eiéí])"), "qu"),
    (re.compile("Z(?=[eiéí])"), "c"),
    (re.compile("Gu(?=[eiéí])"), "gü"),
    (re.compile("G(?=[eiéí])"), "gu"),
    (re.compile("J(?=[eiéí])"), "g"),
)
_Y = re.compile("(?<=[aeou])y(?=[aáeéoó])")
_I = re.compile("(?<=[aeou])i(?=[aáeéoó])")
_BARE = str.maketrans({"K": "c", "Z": "z", "G": "g", "J": "j"})
# Strong vowels and weak ones with an accent are nuclei, with the weak ones around them.
# Names of letters, and of persons whose form or article alone shows their sex.
_LA = ("a", "hache", "alfa", "árabe", "árbitra", "ácrata")
_NUCLEUS = re.compile("[iuü]*[aeoáéóíú][iuü]*|[iuü]+")


def encode(word: str) -> str:
    """Return the sounds of a word in lower case, or the word itself where spelling is irregular."""
    sounds = word
    for pattern, sound in _SOUNDS:
        sounds = pattern.sub(sound, sounds)
    return sounds if _spelled(sounds) == word else word


def _spelled(sounds: str) -> str:
    for pattern, letters in _LETTERS:
        sounds = pattern.sub(letters, sounds)
    return sounds.translate(_BARE)


def verb_sounds(word: str) -> str:
    """Return the sounds of a verb form in lower case."""
    sounds = encode(word)
    return sounds if _I.search(sounds) else _Y.sub("i", sounds)


def verb_spelled(sounds: str) -> str:
    """Return the spelling of a verb's sounds.

    >>> verb_spelled(verb_sounds("leer")[:-2] + "ió"), verb_spelled(verb_sounds("apoyar"))
    ('leyó', 'apoyar')
    """
    return decode(_I.sub("y", sounds))


def stressed(word: str) -> str:
    """Return the sounds of a word, with an acute behind its stressed vowel.

    A word whose accent has another purpose (`té`, `sólo`) or that has no vowel stays unmarked.
    """
    sounds = encode(word)
    place = _stress(sounds)
    if place is None:
        return sounds
    bare = sounds.translate(_PLAIN)
    marked = bare[: place + 1] + _ACUTE + bare[place + 1 :]
    return marked if decode(marked) == word else sounds


def decode(sounds: str) -> str:
    """Return the spelling of what `encode` or `stressed` returned, with a suffix changed.

    The accent is written where stress is not on the vowel that would have it without one.
    """
    place = sounds.find(_ACUTE) - 1
    if place < 0:
        return _spelled(sounds)
    bare = sounds.replace(_ACUTE, "")
    if _stress(bare) != place:
        bare = bare[:place] + bare[place].translate(_SHARP) + bare[place + 1 :]
    return _spelled(bare)


def _stress(sounds: str) -> int | None:
    """Return the place of the stressed vowel, by its accent or else by the rules."""
    for place, letter in enumerate(sounds):
        if letter in "áéíóú":
            return place
    nuclei = list(_NUCLEUS.finditer(sounds))
    if not nuclei:
        return None
    late = len(nuclei) == 1 or sounds[-1] not in "aeiouüns"
    chosen = nuclei[-1 if late else -2]
    strong = [place for place in range(*chosen.span()) if sounds[place] in "aeo"]
    return strong[0] if strong else chosen.end() - 1


def strip_clitics(
    form: str, known: Callable[[str], bool] | None = None, unmarked: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Return a verb form in lower case without the pronouns behind it, and these.

    Only infinitives, gerunds, and imperatives whose accent shows that something follows are divided:
    for others (`ponlas`, `vela`) letters do not decide.

    Args:
        form: the form.
        known: whether there is such a verb form, by which the host of `mételo` is `mete`.
        unmarked: whether others are divided, too, where `known` confirms the host.
    """
    for cut, pronouns in _divisions(form):
        hosts = _hosts(cut, pronouns)
        if unmarked and known is not None:
            hosts += [f"{cut.translate(_PLAIN)}d", cut] if pronouns[0] == "os" else [cut]
        for host in hosts:
            whole = attach_clitics(host, pronouns)
            if whole == form and (known is None or known(host)):
                return host, pronouns
    return form, ()


def _hosts(cut: str, pronouns: tuple[str, ...]) -> list[str]:
    """Return the forms that may stand before pronouns, as they are spelled alone."""
    bare = cut.translate(_PLAIN)
    if bare.endswith(("ando", "iendo", "yendo")):
        return [bare] if bare != cut else []
    if re.search("[aei]r$", bare):
        return [cut if cut.endswith("ír") and bare[-3:-2] in "aeo" else bare]
    if bare == cut:
        return []
    hosts = [bare] if bare[-1] in "aeindz" else []
    return [f"{bare}s", *hosts] if bare.endswith("mo") and pronouns[0] == "nos" else hosts


def _divisions(form: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the ways to divide a form into a host and pronouns, the most pronouns first."""
    divisions: list[tuple[str, tuple[str, ...]]] = []
    pending: list[tuple[str, tuple[str, ...]]] = [(form, ())]
    while pending:
        host, pronouns = pending.pop(0)
        for clitic in CLITICS:
            if host.endswith(clitic) and len(host) > len(clitic) + 1 and len(pronouns) < 3:
                # `nos` ends in `os`: `damos` is not divided before it, and the shorter host goes first.
                pending.append((host[: -len(clitic)], (clitic, *pronouns)))
        if pronouns:
            divisions.append((host, pronouns))
    return sorted(divisions, key=lambda pair: (-len(pair[1]), len(pair[0])))


def attach_clitics(form: str, pronouns: tuple[str, ...]) -> str:
    """Return a verb form in lower case with pronouns behind it; its stress stays in place.

    `vamos` with `nos` is `vámonos`, `sentad` with `os` `sentaos`.
    """
    if not pronouns:
        return form
    if form.endswith("mos") and pronouns[0] in ("nos", "se", "os"):
        form = _shortened(form, form[:-1])
    elif form.endswith("d") and pronouns[0] == "os" and form != "id":
        form = _shortened(form, form[:-1])
        if form.endswith("i"):
            form = form[:-1] + "í"
    place = _stress(encode(form))
    joined = encode(form) + encode("".join(pronouns))
    if place is None:
        return form + "".join(pronouns)
    bare = joined.translate(_PLAIN)
    return decode(bare[: place + 1] + _ACUTE + bare[place + 1 :])


def _shortened(form: str, shorter: str) -> str:
    """Return a form without its last letter, with an accent if the stress would move."""
    place = _stress(encode(form))
    bare = encode(shorter)
    if place is None or place >= len(bare) or any(letter in "áéíóú" for letter in shorter):
        return shorter
    return bare.translate(_PLAIN) if _stress(bare) == place else decode(bare[: place + 1] + _ACUTE + bare[place + 1 :])


def feminine_el(word: str) -> bool:
    """Return whether a feminine noun takes `el`, `un`, `algún` and `ningún` in the singular.

    It does if it begins with a stressed a, also behind an h, but for names of letters and some of persons
    (RAE and ASALE, Diccionario panhispánico de dudas 2005, *el*).

    >>> [feminine_el(word) for word in ("agua", "hacha", "amiga", "harina", "hache", "árabe")]
    [True, True, False, False, False, False]
    """
    plain = unicodedata.normalize("NFC", word.lower())
    bare = plain.removeprefix("h")
    if not bare.startswith(("a", "á")) or plain in _LA or plain == "haz":
        return plain == "haz"
    return _stress(encode(bare)) == 0
