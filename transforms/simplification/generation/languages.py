"""Languages of instances that no resource serves: told before anything is generated, with what to bring."""

import logging
from collections.abc import Collection, Mapping, Sequence

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.lexicon.resources import WORDNET, Lexicon
from lexbeam.transforms.simplification.generation.generators import GENERATORS
from lexbeam.transforms.simplification.resources import VECTORS

log = logging.getLogger("lexbeam")


def check_languages(
    languages: Collection[str], generators: Mapping[str, Sequence[str]], lexicon: Lexicon, thesauri: Sequence[str]
) -> None:
    """Check that the generators of each setting have a resource for the languages of the instances; warn of others.

    Args:
        languages: of the instances.
        generators: those that a setting uses, by its name.
        lexicon: all resources.
        thesauri: what the thesauri are called there.

    Raises:
        UsageError: a setting has none for any of them, so that nothing would be generated.
    """
    of_need = {"thesaurus": thesauri, "wordnet": (WORDNET.name,), "vectors": (VECTORS.name,)}
    for setting, used in sorted(generators.items()):
        needs = [GENERATORS[name].needs for name in used]
        names = {name for need in needs for name in of_need.get(need, ())}
        if any(need not in of_need for need in needs):
            continue  # such as a language model, which says nothing of its language
        served = {held.language for held in lexicon.held if held.name in names}
        lacking = [language for language in sorted(languages) if not served & {language, None}]
        if not lacking:
            continue
        told = (
            f"setting {setting} generates by {', '.join(used)}, whose files are of {_listed(served)}, and instances "
            f"are of {', '.join(lacking)}"
        )
        if len(lacking) == len(set(languages)):
            raise UsageError(f"{told}: {_remedy(lacking[0])}")
        log.warning("%s: those get no candidates; %s", told, _remedy(lacking[0]))


def _listed(languages: Collection[str | None]) -> str:
    return ", ".join(sorted(language for language in languages if language)) or "no language"


def _remedy(language: str) -> str:
    short = language.partition("-")[0]
    return (
        f"bring a thesaurus of {language} by `thesaurus` FILE (LibreOffice's th_{short}_*.dat, of Debian's packages "
        f"mythes-{short}*) or a wordnet of it by `wordnet` FILE.tab:language={language}; "
        "docs/tasks/simplification/languages/ has sources"
    )
