"""Words of languages with genders that show what agrees with a noun, and nouns of persons."""

import re

__all__ = ["ADVERBS", "AND", "AUXILIARIES", "COPULAS", "GENDERED", "OF", "PERSONS", "PREPOSITIONS", "RELATIVE"]

# Languages whose words stand in the order that concord.py describes.
GENDERED = ("es", "pt")


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


ADVERBS = _words(
    "más menos muy tan bastante demasiado poco casi ya recién aún todavía también no mais muito tão ainda já não"
)
AND = _words("y e o u ni ou")
AUXILIARIES = _words("haber ter haver")
COPULAS = _words("ser estar parecer quedar resultar permanecer seguir ficar continuar")
OF = _words("de del do da dos das")
PREPOSITIONS = OF | _words(
    "a al ante bajo con contra desde durante en entre hacia hasta mediante para por según sin sobre tras "
    "ao à aos às em no na nos nas pelo pela pelos pelas com sem sob"
)
RELATIVE = _words("que")
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
