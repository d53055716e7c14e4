"""Named settings of whole texts, by language: how hard words are found, and how others are chosen for them.

What no language says of its own holds for all. Options are those of the stages, as in a file of settings, and
`zipf_below`. `careful` keeps a word unless its first candidate is the commoner one; `bold` changes whatever it can.
docs/tasks/simplification/results.md has what they reach.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transforms.common.code.registry import Entry, Registry
from transforms.common.errors import UsageError, nearest
from transforms.common.options.fields import from_mapping
from transforms.simplification.settings import STAGES, options_class, settings_of, stage_options

__all__ = ["DEFAULT", "ENGINES", "INFLECTORS", "TEXT_SETTINGS", "TextSetting", "bolder", "setting_of"]

DEFAULT, BOLD = "careful", "bold"
ZIPF_BELOW = "zipf_below"

# What annotates and inflects where nothing is named: what needs no file.
ENGINES = {"en": "builtin:en"}
INFLECTORS = {"en": "lemminflect"}


@dataclass(frozen=True)
class TextSetting(Entry):
    """A setting.

    Attributes:
        options: in every language.
        of_language: what is other in one.
    """

    options: Mapping[str, Any]
    of_language: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, kw_only=True)


TEXT_SETTINGS: Registry[TextSetting] = Registry(
    {
        DEFAULT: TextSetting(
            {
                "zipf_below": 4.0,
                "generators": "thesaurus",
                "filters": ["morphology", "pos"],
                "ranker": "senses",
                "keep_target": "if-more-frequent",
            },
            of_language={
                "en": {
                    "generators": "wordnet",
                    "wordnet_relations": ["synonym"],
                    "filters": ["morphology", "pos", "antonyms", "rare-senses"],
                    "keep_target": "never",
                    "min_simpler": 0.5,
                }
            },
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
    few = setting == DEFAULT and 2 * changed < chosen
    return f"`setting` {BOLD} changes more of them, and makes more mistakes" if few else None


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
