"""A regressor of complexity for ranking, trained on labelled words other than those evaluated.

FIT    instances and labels of the task complexity, and the folder's own gold -> Regressed

A word's label is the mean over its instances. Words that are targets or substitutes of the folder
that is ranked, by form or lemma and without case, are left out of training, so that no word is
ranked by what people said of itself. Features of a word are its letters, vowel groups, and the
values of the word lists; all of what is predicted depends on the word alone, as its rivals stand
in the same sentence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from transforms.common import files
from transforms.common.artefacts import Artefact, Stage
from transforms.common.errors import LexbeamError
from transforms.common.receipts import File
from transforms.common.sound import checked
from transforms.common.tables import Part, read_rows
from transforms.complexity.scorers import SCORERS
from transforms.complexity.scorers_base import ScorerOptions, Training, clipped
from transforms.lexicon.models.formats import read_safetensors, write_safetensors
from transforms.lexicon.resources import Lexicon

if TYPE_CHECKING:
    from transforms.simplification.rankers import Ranking

__all__ = ["FIT", "FitTask", "Fitting", "Labelled", "Regressed", "Regressor", "excluded_words",
           "features", "labelled_words"]  # fmt: skip

Floats = npt.NDArray[np.float64]

_VOWELS = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüœ]+")
_LEAST = 50  # words with fewer of which nothing is learned
_OPTIONS = ScorerOptions()


class FitTask(NamedTuple):
    """Parts of complexity/instances and labels, and of the folder whose words are left out."""

    instances: tuple[Part, ...]
    labels: tuple[Part, ...]
    own: tuple[Part, ...]
    substitutes: tuple[Part, ...]


class Fitting(NamedTuple):
    """What is learned from: the scorer, and the word lists whose values are features."""

    scorer: str
    lexicon: Lexicon
    lists: tuple[str, ...]


@dataclass(frozen=True)
class Regressed:
    """Receipt of a regressor.

    Attributes:
        file: its arrays.
        scorer: a key of `SCORERS`.
        words: words that it was trained on.
        excluded: labelled words that were left out.
    """

    file: File
    scorer: str
    words: int
    excluded: int


class Labelled(NamedTuple):
    """A labelled word, in lower case: language, mean complexity, instances, its lemmas."""

    word: str
    language: str
    complexity: float
    instances: int
    lemmas: frozenset[str]


class Regressor(NamedTuple):
    """A regressor with the word lists that it looks words up in."""

    fitted: Regressed
    lexicon: Lexicon
    lists: tuple[str, ...]

    def predict(self, words: Sequence[str], languages: Sequence[str], ranking: "Ranking") -> Floats:
        """Return the complexity of words and phrases, 0 to 1."""
        values = features(words, languages, ranking._replace(lexicon=self.lexicon), self.lists)
        own = SCORERS[self.fitted.scorer]
        return clipped(own.predict(_arrays(self.fitted.file), values)) if len(words) else (
            np.zeros(0)
        )  # fmt: skip


@lru_cache(4)
def _arrays(file: File) -> dict[str, npt.NDArray[Any]]:
    with files.open_read(checked(file)) as stream:
        return read_safetensors(stream.read())


def features(
    words: Sequence[str], languages: Sequence[str], ranking: "Ranking", lists: Sequence[str]
) -> Floats:
    """Return the features of words, (words, 4 + lists): nan where a list does not have a word.

    Letters, vowel groups, words of a phrase, letters for each vowel group, log1p of each list's
    value, of a phrase by its rarest word.
    """
    from transforms.simplification.rankers import frequencies

    folded = [word.lower() for word in words]
    letters = np.array([sum(c.isalpha() for c in word) for word in folded], np.float64)
    groups = np.array([len(_VOWELS.findall(word)) for word in folded], np.float64)
    tokens = np.array([word.count(" ") + 1 for word in folded], np.float64)
    columns = [letters, groups, tokens, letters / np.maximum(groups, 1)]
    rarest = ranking._replace(options=_rarest(ranking.options))
    for name in lists:
        values = frequencies(folded, languages, rarest, name)
        known = [np.nan if value is None else np.log1p(max(value, 0.0)) for value in values]
        columns.append(np.array(known, np.float64))
    return np.column_stack(columns)


def _rarest(options: Any) -> Any:
    from dataclasses import replace

    return replace(options, phrases="rarest")


def labelled_words(instances: Sequence[str], labels: Sequence[str]) -> Iterator[Labelled]:
    """Yield labelled single words, by language and word.

    Args:
        instances: paths of parts of complexity/instances.
        labels: paths of parts of complexity/labels; rows of all annotators count.
    """
    complexity = {
        row["instance_id"]: row["complexity"]
        for rows in read_rows(labels, ["instance_id", "group", "complexity"])
        for row in rows.to_pylist()
        if row["group"] == "" and row["complexity"] is not None
    }
    found: dict[tuple[str, str], list[float]] = {}
    lemmas: dict[tuple[str, str], set[str]] = {}
    columns = ["instance_id", "kind", "token", "language", "lemmas", "position"]
    for rows in read_rows(instances, columns):
        for row in rows.to_pylist():
            if row["kind"] != "single" or row["instance_id"] not in complexity:
                continue
            key = row["language"] or "", row["token"].lower()
            found.setdefault(key, []).append(complexity[row["instance_id"]])
            own = lemmas.setdefault(key, set())
            if row["lemmas"] is not None and row["position"] is not None:
                own.add(row["lemmas"][row["position"]].lower())
    for key in sorted(found):
        mean = sum(sorted(found[key])) / len(found[key])
        yield Labelled(key[1], key[0], mean, len(found[key]), frozenset(lemmas[key]))


def excluded_words(instances: Sequence[str], substitutes: Sequence[str]) -> frozenset[str]:
    """Return targets, their lemmas, substitutes and the words of those that are phrases."""
    found: set[str] = set()
    for rows in read_rows(instances, ["target", "lemma"]):
        for row in rows.to_pylist():
            found |= {word.lower() for word in (row["target"], row["lemma"]) if word}
    for rows in read_rows(substitutes, ["substitute"]):
        for text in rows["substitute"].to_pylist():
            found |= {text.lower(), *text.lower().split()}
    return frozenset(found)


def _fit(artefact: Artefact, task: FitTask, fitting: Fitting) -> Regressed:
    """Fit a regressor.

    Raises:
        LexbeamError: too few words are left.
    """
    from transforms.simplification.rankers import Ranking
    from transforms.simplification.ranking_options import RankingOptions

    barred = excluded_words([checked(one) for one in task.own],
                            [checked(one) for one in task.substitutes])  # fmt: skip
    every = list(labelled_words([checked(one) for one in task.instances],
                                [checked(one) for one in task.labels]))  # fmt: skip
    kept = [one for one in every if one.word not in barred and barred.isdisjoint(one.lemmas)]
    if len(kept) < _LEAST:
        raise LexbeamError(
            f"{len(kept)} of {len(every)} labelled words are neither targets nor substitutes here; "
            f"a regressor needs {_LEAST}: name a folder with more in `complexity`"
        )
    ranking = Ranking(RankingOptions(), fitting.lexicon, fitting.lists)
    words, languages = [one.word for one in kept], [one.language for one in kept]
    values = features(words, languages, ranking, fitting.lists)
    names = ["letters", "vowel_groups", "words", "letters_per_group", *fitting.lists]
    labels = np.array([one.complexity for one in kept])
    fitted = SCORERS[fitting.scorer].fit(Training(values, names, labels, words), _OPTIONS)
    with artefact.writing(".safetensors") as stream:
        stream.write(write_safetensors(fitted))
    file = artefact.file(".safetensors")
    return Regressed(file, fitting.scorer, len(kept), len(every) - len(kept))


def _identity(task: FitTask, fitting: Fitting) -> Any:
    return [
        [sorted(part.sha256 for part in parts) for parts in task],
        fitting.scorer, fitting.lexicon.identity(), list(fitting.lists), asdict(_OPTIONS),
    ]  # fmt: skip


def _chosen(_: Any, fitting: Fitting) -> Mapping[str, Any]:
    return {
        "transforms.complexity.scorers:SCORERS": [fitting.scorer],
        **fitting.lexicon.chosen(),
    }


FIT: Stage[FitTask, Fitting, Regressed] = Stage(
    name="simplification/fit", receipt=Regressed, identity=_identity, build=_fit, chosen=_chosen,
    blas=True, unit="regressors",
)  # fmt: skip
