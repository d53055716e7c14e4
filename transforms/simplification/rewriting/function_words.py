"""Words of languages with genders that show what agrees with a noun, and nouns of persons."""

import re

# Languages whose words stand in the order that concord.py describes.
GENDERED = ("es", "pt")


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


# By language: adverbs that stand between words that agree, words for and and or, auxiliaries, copulas.
ADVERBS = {
    "es": _words("más menos muy tan bastante demasiado poco casi ya recién aún todavía también no"),
    "pt": _words("mais menos muito tão bastante demasiado pouco quase já ainda também não"),
}
AND = {"es": _words("y e o u ni"), "pt": _words("e ou nem")}
AUXILIARIES = {"es": _words("haber"), "pt": _words("ter haver")}
COPULAS = {
    "es": _words("ser estar parecer quedar resultar permanecer seguir"),
    "pt": _words("ser estar parecer ficar resultar permanecer continuar"),
}
OF = {"es": _words("de del"), "pt": _words("de do da dos das")}
PREPOSITIONS = {
    "es": OF["es"]
    | _words("a al ante bajo con contra desde durante en entre hacia hasta mediante para por según sin sobre tras"),
    "pt": OF["pt"]
    | _words("a ao à aos às ante até após com contra desde durante em no na nos nas entre para por pelo pela pelos")
    | _words("pelas perante sem sob sobre"),
}
RELATIVE = ("que",)
# Nouns of persons whose other gender is another noun, so that their forms do not tell.
PERSONS = {
    "es": _words(
        "hombre mujer varón hembra padre madre papá mamá rey reina príncipe princesa actor actriz emperador emperatriz "
        "marido yerno nuera caballero dama héroe heroína alcalde alcaldesa duque duquesa conde condesa barón baronesa "
        "sacerdote sacerdotisa poeta poetisa monje monja padrino madrina padrastro madrastra"
    ),
    "pt": _words(
        "homem mulher pai mãe rei rainha príncipe princesa ator atriz imperador imperatriz marido esposa genro nora "
        "cavalheiro dama herói heroína padre freira padrinho madrinha padrasto madrasta"
    ),
}
