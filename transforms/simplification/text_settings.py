"""Named settings of whole texts, by language: how hard words are found, and how others are chosen for them.

What no language says of its own holds for all. Options are those of the stages, as in a file of settings, and
`zipf_below`. The default, `candidates`, changes nothing: a setting that changes words is the default of a language only
where at least `ENOUGH` of its changes fit on sentences that nothing was chosen on, and none does. `list` has the words
of a person's own list, `careful` keeps a word unless its first candidate is the commoner one, `bold` changes whatever
it can. docs/tasks/simplification/results.md has what they reach.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lexbeam.transforms.common.code.registry import Entry, Registry
from lexbeam.transforms.common.errors import UsageError, nearest
from lexbeam.transforms.common.options.fields import from_mapping
from lexbeam.transforms.evaluation.bootstrap import wilson
from lexbeam.transforms.simplification.settings import STAGES, options_class, settings_of, stage_options

DEFAULT, LIST, CAREFUL, BOLD = "candidates", "list", "careful", "bold"
ENOUGH = 0.8  # of the changes of a setting that may be a default
ZIPF_BELOW = "zipf_below"

# What annotates and inflects where nothing is named: what needs no file.
ENGINES = {"en": "builtin:en"}
INFLECTORS = {"en": "lemminflect"}


class Measured(NamedTuple):
    """How often a setting was right on sentences that nothing was chosen on.

    Attributes:
        changed: words that it changed.
        right: of these, those in whose place stands a word that people gave.
        sentences: where the sentences come from.
    """

    changed: int
    right: int
    sentences: str

    def told(self) -> str:
        """Return the figures: `74 of 133 (56 %, 47 to 64)`."""
        low, high = wilson(self.right, self.changed)
        share = self.right / self.changed
        return f"{self.right} of {self.changed} ({100 * share:.0f} %, {100 * low:.0f} to {100 * high:.0f})"


@dataclass(frozen=True)
class TextSetting(Entry):
    """A setting.

    Attributes:
        options: in every language.
        of_language: what is other in one.
        measured: by language, how often it was right.
    """

    options: Mapping[str, Any]
    of_language: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, kw_only=True)
    measured: Mapping[str, Measured] = field(default_factory=dict, kw_only=True)


_TSAR = "TSAR-2022, English"  # its test sentences, of which nothing here was chosen by any
_CAREFUL = {"zipf_below": 4.0, "generators": "thesaurus", "filters": ["morphology", "pos"], "ranker": "senses"}
_CAREFUL_ENGLISH = {
    "generators": "wordnet",
    "wordnet_relations": ["synonym"],
    "filters": ["morphology", "pos", "antonyms", "rare-senses"],
}

TEXT_SETTINGS: Registry[TextSetting] = Registry(
    {
        DEFAULT: TextSetting(
            {**_CAREFUL, "keep_target": "always"},
            of_language={"en": _CAREFUL_ENGLISH},
            doc="hard words are found, with what might replace them, and nothing is changed",
        ),
        LIST: TextSetting(
            {
                "zipf_below": 10.0,
                "generators": "thesaurus",
                "filters": ["morphology"],
                "ranker": "senses",
                "keep_target": "never",
            },
            doc="whatever a `thesaurus` of your own lists is replaced, and nothing else",
        ),
        CAREFUL: TextSetting(
            {**_CAREFUL, "keep_target": "if-more-frequent"},
            of_language={"en": {**_CAREFUL_ENGLISH, "keep_target": "never", "min_simpler": 0.5}},
            measured={"en": Measured(133, 74, _TSAR)},
            doc="a word stays unless another is commoner: fewer changes, fewer mistakes",
        ),
        BOLD: TextSetting(
            {
                "zipf_below": 4.5,
                "generators": "thesaurus",
                "unlisted": "drop",
                "least_share": 0.1,
                "filters": ["morphology"],
                "ranker": "shares",
            },
            of_language={
                "en": {
                    "generators": "wordnet",
                    "wordnet_relations": ["synonym", "hypernym", "similar"],
                    "filters": ["morphology", "rare-senses"],
                }
            },
            measured={"en": Measured(356, 173, _TSAR)},
            doc="what most senses and frequency speak for replaces a word, whether or not it is commoner",
        ),
    },
    what="setting",
)


def bolder(setting: str, changed: int, chosen: int) -> str | None:
    """Return a line for whoever wants more words changed; None where most are, or the setting was another choice.

    >>> bolder("careful", 1, 3)
    '`setting` bold changes more of them, and makes more mistakes'
    >>> bolder("careful", 2, 4), bolder("bold", 0, 3)
    (None, None)
    """
    few = setting == CAREFUL and 2 * changed < chosen
    return f"`setting` {BOLD} changes more of them, and makes more mistakes" if few else None


def precision_told(setting: str, languages: Iterable[str]) -> Iterator[str]:
    """Yield how many of a setting's changes fit, as it was measured; of the default, why it makes none.

    Args:
        setting: an entry of `TEXT_SETTINGS`.
        languages: of the texts, as engines write them.
    """
    if setting == LIST:
        return  # it fits as well as the list
    for language in languages:
        of = {name: entry.measured[language] for name, entry in TEXT_SETTINGS.items() if language in entry.measured}
        if setting == DEFAULT:
            found = "; ".join(f"{name}: {one.told()}, {one.sentences}" for name, one in of.items())
            yield f"`setting` {DEFAULT} changes nothing: " + (
                f"of no other are {100 * ENOUGH:.0f} % of the changes known to fit; people gave, on sentences that "
                f"they were not made on, {found}"
                if found
                else f"how many changes of others fit was not measured on language {language!r}"
            )
        elif setting in of:
            yield (
                f"read each change: of those of `setting` {setting} on sentences that it was not made on, people gave "
                f"{of[setting].told()}, {of[setting].sentences}"
            )
        else:
            yield (
                f"read each change: how many of `setting` {setting} fit was not measured on language {language!r} on "
                "sentences that it was not made on"
            )
    if setting == DEFAULT:
        yield (
            f"to have words changed, bring a list of simpler words of your own, by `setting` {LIST} and `thesaurus` "
            f"FILE, with lines such as commenced,began; or name `setting` {CAREFUL}, and read each change"
        )


def setting_of(name: str, language: str, path: str | None) -> tuple[dict[str, Any], float]:
    """Return the options of each stage by its name, and how frequent a hard word is at most, in Zipf.

    Args:
        name: of the setting.
        language: of the texts, as engines write it: `en`.
        path: a file of settings, in which this is one; None: it is one of `TEXT_SETTINGS`.

    Raises:
        UsageError: there is no such setting.
    """
    if path is None:
        TEXT_SETTINGS.check([name])
        setting = TEXT_SETTINGS[name]
        values = {**setting.options, **setting.of_language.get(language, {})}
        below = values.pop(ZIPF_BELOW)
        return {stage: from_mapping(options_class(stage), stage_options(stage, values)) for stage in STAGES}, below
    made = {}
    for stage in STAGES:
        named = settings_of(stage, options_class(stage)(), path, name)
        if name not in named:
            raise UsageError(
                f"`setting` {name!r} is not in `settings`{nearest(name, named) or f': there are {_listed(named)}'}"
            )
        made[stage] = named[name]
    return made, TEXT_SETTINGS[DEFAULT].options[ZIPF_BELOW]


def _listed(named: Mapping[str, object]) -> str:
    return ", ".join(sorted(named))
