# Written by `make api` from the registry of commands: edits are lost.
"""The views of the published sections as methods."""

import os
from collections.abc import Sequence
from typing import Literal

import pyarrow as pa

from lexbeam._asking import ask as _ask
from lexbeam._asking import tell as _tell
from transforms.common.snapshots import Snapshot

__all__ = ["Views"]


class Views:
    """Questions to published tables."""

    snapshot: Snapshot

    def top(
        self,
        top: int | str = 20,
        *,
        alignment: str | None = None,
        measure: str | None = None,
        pair: str | None = None,
        targets: bool = False,
        pos: str
        | Sequence[
            Literal[
                "ADJ",
                "ADP",
                "ADV",
                "AUX",
                "CCONJ",
                "DET",
                "INTJ",
                "NOUN",
                "NUM",
                "PART",
                "PRON",
                "PROPN",
                "PUNCT",
                "SCONJ",
                "SYM",
                "VERB",
                "X",
                "all",
            ]
        ] = (),
    ) -> pa.Table:
        """The words of each pair of slices whose usage differs most.

        Args:
            top: the words of each pair of slices whose usage differs most (at least 1).
            alignment: by this alignment; the first if not given.
            measure: by this measure; the first if not given.
            pair: only this pair of slices, by their names.
            targets: the targets alone: all of them, those without a score with the reason.
            pos: words that mostly are one of these universal parts of speech, or `all`; if not
                given, as the run was asked for.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "change",
            "top",
            {"top": top, "alignment": alignment, "measure": measure, "pair": pair, "targets": targets, "pos": pos},
        )

    def tell_top(
        self,
        top: int | str = 20,
        *,
        alignment: str | None = None,
        measure: str | None = None,
        pair: str | None = None,
        targets: bool = False,
        pos: str
        | Sequence[
            Literal[
                "ADJ",
                "ADP",
                "ADV",
                "AUX",
                "CCONJ",
                "DET",
                "INTJ",
                "NOUN",
                "NUM",
                "PART",
                "PRON",
                "PROPN",
                "PUNCT",
                "SCONJ",
                "SYM",
                "VERB",
                "X",
                "all",
            ]
        ] = (),
    ) -> list[str]:
        """The words of each pair of slices whose usage differs most.

        Args:
            top: the words of each pair of slices whose usage differs most (at least 1).
            alignment: by this alignment; the first if not given.
            measure: by this measure; the first if not given.
            pair: only this pair of slices, by their names.
            targets: the targets alone: all of them, those without a score with the reason.
            pos: words that mostly are one of these universal parts of speech, or `all`; if not
                given, as the run was asked for.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "change",
            "top",
            {"top": top, "alignment": alignment, "measure": measure, "pair": pair, "targets": targets, "pos": pos},
        )

    def word(
        self,
        word: str | Sequence[str],
        *,
        slice: str | None = None,
        examples: int | str = 10,
        order: Literal["typical", "random", "date"] = "typical",
        seed: int | str = 0,
        corpus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    ) -> pa.Table:
        """Scores, neighbours and uses of words.

        Args:
            word: look at these words.
            slice: only this slice.
            examples: uses of a word in each slice (at least 0, at most 1000).
            order: which uses: the most typical, at random, or the earliest.
            seed: which uses are drawn.
            corpus: corpus folders to take uses from, if not those that the tables were made from.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "change",
            "word",
            {"word": word, "slice": slice, "examples": examples, "order": order, "seed": seed, "corpus": corpus},
        )

    def tell_word(
        self,
        word: str | Sequence[str],
        *,
        slice: str | None = None,
        examples: int | str = 10,
        order: Literal["typical", "random", "date"] = "typical",
        seed: int | str = 0,
        corpus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    ) -> list[str]:
        """Scores, neighbours and uses of words.

        Args:
            word: look at these words.
            slice: only this slice.
            examples: uses of a word in each slice (at least 0, at most 1000).
            order: which uses: the most typical, at random, or the earliest.
            seed: which uses are drawn.
            corpus: corpus folders to take uses from, if not those that the tables were made from.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "change",
            "word",
            {"word": word, "slice": slice, "examples": examples, "order": order, "seed": seed, "corpus": corpus},
        )

    def words(
        self,
        words: str | os.PathLike[str],
        *,
        slice: str | None = None,
        examples: int | str = 10,
        order: Literal["typical", "random", "date"] = "typical",
        seed: int | str = 0,
        corpus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    ) -> pa.Table:
        """Scores, neighbours and uses of the words of a file.

        Args:
            words: look at the words of this file, one a line.
            slice: only this slice.
            examples: uses of a word in each slice (at least 0, at most 1000).
            order: which uses: the most typical, at random, or the earliest.
            seed: which uses are drawn.
            corpus: corpus folders to take uses from, if not those that the tables were made from.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "change",
            "words",
            {"words": words, "slice": slice, "examples": examples, "order": order, "seed": seed, "corpus": corpus},
        )

    def tell_words(
        self,
        words: str | os.PathLike[str],
        *,
        slice: str | None = None,
        examples: int | str = 10,
        order: Literal["typical", "random", "date"] = "typical",
        seed: int | str = 0,
        corpus: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    ) -> list[str]:
        """Scores, neighbours and uses of the words of a file.

        Args:
            words: look at the words of this file, one a line.
            slice: only this slice.
            examples: uses of a word in each slice (at least 0, at most 1000).
            order: which uses: the most typical, at random, or the earliest.
            seed: which uses are drawn.
            corpus: corpus folders to take uses from, if not those that the tables were made from.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "change",
            "words",
            {"words": words, "slice": slice, "examples": examples, "order": order, "seed": seed, "corpus": corpus},
        )

    def series(self, series: str | Sequence[str]) -> pa.Table:
        """How the usage of words moves over three or more slices, and where it turns.

        Args:
            series: how the usage of these words moves over three or more slices.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(self.snapshot, "change", "series", {"series": series})

    def tell_series(self, series: str | Sequence[str]) -> list[str]:
        """How the usage of words moves over three or more slices, and where it turns.

        Args:
            series: how the usage of these words moves over three or more slices.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(self.snapshot, "change", "series", {"series": series})

    def neighbours(
        self, neighbours: str, *, slice: str | None = None, training_seed: int | str | None = None, n: int | str = 10
    ) -> pa.Table:
        """The neighbours of a word in every slice.

        Args:
            neighbours: list the neighbours of this word.
            slice: only this slice.
            training_seed: by the vectors of this seed; else by the mean cosine over all seeds.
            n: neighbours in each slice (at least 1).

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "change",
            "neighbours",
            {"neighbours": neighbours, "slice": slice, "training_seed": training_seed, "n": n},
        )

    def hardest(
        self, hardest: int | str = 20, *, kind: Literal["single", "mwe"] | None = None, genre: str | None = None
    ) -> pa.Table:
        """The most complex instances, in context.

        Args:
            hardest: the most complex instances, in context (at least 1).
            kind: of this kind.
            genre: of this genre.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            ("complexity.select", "complexity.load"),
            "hardest",
            {"hardest": hardest, "kind": kind, "genre": genre},
        )

    def tell_hardest(
        self, hardest: int | str = 20, *, kind: Literal["single", "mwe"] | None = None, genre: str | None = None
    ) -> list[str]:
        """The most complex instances, in context.

        Args:
            hardest: the most complex instances, in context (at least 1).
            kind: of this kind.
            genre: of this genre.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            ("complexity.select", "complexity.load"),
            "hardest",
            {"hardest": hardest, "kind": kind, "genre": genre},
        )

    def features(self, features: str | Sequence[str], *, groups: str | Sequence[str] = ()) -> pa.Table:
        """The features of targets.

        Args:
            features: the features of targets, whatever their capitals, or of instances by their
                ids.
            groups: of these groups alone.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(self.snapshot, "complexity.features", "features", {"features": features, "groups": groups})

    def tell_features(self, features: str | Sequence[str], *, groups: str | Sequence[str] = ()) -> list[str]:
        """The features of targets.

        Args:
            features: the features of targets, whatever their capitals, or of instances by their
                ids.
            groups: of these groups alone.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(self.snapshot, "complexity.features", "features", {"features": features, "groups": groups})

    def worst(
        self,
        worst: int | str = 20,
        *,
        scorer: str | None = None,
        kind: Literal["single", "mwe"] | None = None,
        genre: str | None = None,
    ) -> pa.Table:
        """The instances that a scorer is most wrong about, in context.

        Args:
            worst: the instances that a scorer is most wrong about (at least 1).
            scorer: of this scorer, as table complexity/predictions names it; the first by name if
                not given.
            kind: of this kind.
            genre: of this genre.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot, "complexity.score", "worst", {"worst": worst, "scorer": scorer, "kind": kind, "genre": genre}
        )

    def tell_worst(
        self,
        worst: int | str = 20,
        *,
        scorer: str | None = None,
        kind: Literal["single", "mwe"] | None = None,
        genre: str | None = None,
    ) -> list[str]:
        """The instances that a scorer is most wrong about, in context.

        Args:
            worst: the instances that a scorer is most wrong about (at least 1).
            scorer: of this scorer, as table complexity/predictions names it; the first by name if
                not given.
            kind: of this kind.
            genre: of this genre.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot, "complexity.score", "worst", {"worst": worst, "scorer": scorer, "kind": kind, "genre": genre}
        )

    def questions(
        self,
        questions: int | str = 10,
        *,
        question_kind: Literal["imperceptibility", "nonspecificity", "intersection"] | None = None,
        question_split: str | None = None,
        passage_words: int | str = 80,
    ) -> pa.Table:
        """Questions as a reader sees them, and what readers answered.

        Args:
            questions: questions as a reader sees them, the first by id (at least 1).
            question_kind: of this kind.
            question_split: of this split.
            passage_words: words of a passage that are shown; 0: all (at least 0).

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "cloze.questions",
            "questions",
            {
                "questions": questions,
                "question_kind": question_kind,
                "question_split": question_split,
                "passage_words": passage_words,
            },
        )

    def tell_questions(
        self,
        questions: int | str = 10,
        *,
        question_kind: Literal["imperceptibility", "nonspecificity", "intersection"] | None = None,
        question_split: str | None = None,
        passage_words: int | str = 80,
    ) -> list[str]:
        """Questions as a reader sees them, and what readers answered.

        Args:
            questions: questions as a reader sees them, the first by id (at least 1).
            question_kind: of this kind.
            question_split: of this split.
            passage_words: words of a passage that are shown; 0: all (at least 0).

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "cloze.questions",
            "questions",
            {
                "questions": questions,
                "question_kind": question_kind,
                "question_split": question_split,
                "passage_words": passage_words,
            },
        )

    def instances(
        self,
        instances: int | str = 20,
        *,
        of: str | Sequence[str] = (),
        judgment: Literal["simplifiable", "not_simplifiable", "dubious"] | None = None,
        flag: Literal[
            "several",
            "within_word",
            "other_case",
            "wrong_place",
            "empty_cell",
            "target_in_gold",
            "ranks_dropped",
            "several_tokens",
            "within_token",
        ]
        | None = None,
    ) -> pa.Table:
        """Words to simplify, in their sentences, with people's substitutes.

        Args:
            instances: words to simplify, in their sentences, the first by id (at least 1).
            of: of these targets alone, whatever their capitals.
            judgment: those that people judge so.
            flag: those that have this flag.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "simplify.instances",
            "instances",
            {"instances": instances, "of": of, "judgment": judgment, "flag": flag},
        )

    def tell_instances(
        self,
        instances: int | str = 20,
        *,
        of: str | Sequence[str] = (),
        judgment: Literal["simplifiable", "not_simplifiable", "dubious"] | None = None,
        flag: Literal[
            "several",
            "within_word",
            "other_case",
            "wrong_place",
            "empty_cell",
            "target_in_gold",
            "ranks_dropped",
            "several_tokens",
            "within_token",
        ]
        | None = None,
    ) -> list[str]:
        """Words to simplify, in their sentences, with people's substitutes.

        Args:
            instances: words to simplify, in their sentences, the first by id (at least 1).
            of: of these targets alone, whatever their capitals.
            judgment: those that people judge so.
            flag: those that have this flag.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "simplify.instances",
            "instances",
            {"instances": instances, "of": of, "judgment": judgment, "flag": flag},
        )

    def candidates(
        self, candidates: str | Sequence[str], *, of_setting: str | None = None, kept: bool = False
    ) -> pa.Table:
        """Candidates of chosen words, stage by stage.

        Args:
            candidates: the candidates of targets, whatever their capitals, or of instances by their
                ids, stage by stage.
            of_setting: of this setting.
            kept: those alone that generation lets through.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "simplify.generate",
            "candidates",
            {"candidates": candidates, "of_setting": of_setting, "kept": kept},
        )

    def tell_candidates(
        self, candidates: str | Sequence[str], *, of_setting: str | None = None, kept: bool = False
    ) -> list[str]:
        """Candidates of chosen words, stage by stage.

        Args:
            candidates: the candidates of targets, whatever their capitals, or of instances by their
                ids, stage by stage.
            of_setting: of this setting.
            kept: those alone that generation lets through.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "simplify.generate",
            "candidates",
            {"candidates": candidates, "of_setting": of_setting, "kept": kept},
        )

    def stages(
        self, stages: str | Sequence[str], *, stages_setting: str | None = None, stages_most: int | str = 5
    ) -> pa.Table:
        """Candidates stage by stage, with their rank in gold.

        Args:
            stages: candidates stage by stage, of targets, whatever their capitals, or of instances
                by their ids.
            stages_setting: of this setting.
            stages_most: of so many instances, the first by id (at least 1).

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(
            self.snapshot,
            "evaluate.simplify",
            "stages",
            {"stages": stages, "stages_setting": stages_setting, "stages_most": stages_most},
        )

    def tell_stages(
        self, stages: str | Sequence[str], *, stages_setting: str | None = None, stages_most: int | str = 5
    ) -> list[str]:
        """Candidates stage by stage, with their rank in gold.

        Args:
            stages: candidates stage by stage, of targets, whatever their capitals, or of instances
                by their ids.
            stages_setting: of this setting.
            stages_most: of so many instances, the first by id (at least 1).

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(
            self.snapshot,
            "evaluate.simplify",
            "stages",
            {"stages": stages, "stages_setting": stages_setting, "stages_most": stages_most},
        )

    def funnel(self, funnel: str) -> pa.Table:
        """What is lost at each stage, by reason.

        Args:
            funnel: what is lost at each stage of this setting, by reason; all: of each.

        Returns:
            The answer as rows.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _ask(self.snapshot, "evaluate.simplify", "funnel", {"funnel": funnel})

    def tell_funnel(self, funnel: str) -> list[str]:
        """What is lost at each stage, by reason.

        Args:
            funnel: what is lost at each stage of this setting, by reason; all: of each.

        Returns:
            The answer as lines for a person.

        Raises:
            UsageError: an option is wrong, or missing.
            LexbeamError: it failed, for the reason told.
        """
        return _tell(self.snapshot, "evaluate.simplify", "funnel", {"funnel": funnel})
