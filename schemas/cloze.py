"""Tables `cloze/pairs` and `cloze/rejects`: passages with summaries of them, and kinds of questions.

Everything that is made of pairs is keyed by hashes of content, and sorted by them.
"""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from lexbeam.schemas.columns import Table, column, entries_of, language, reason, share, upos
from lexbeam.schemas.common_tables import ANSWER_REASONS, REASONS, REJECT_KEY, inputs_table, reject_columns

KINDS = ("imperceptibility", "nonspecificity", "intersection")

# What makes a word abstract, by kind; the intersection needs both.
CRITERIA = {
    "imperceptibility": ("abstractness",),
    "nonspecificity": ("nonspecificity",),
    "intersection": ("abstractness", "nonspecificity"),
}

FLAGS = {
    "several_targets": "the files have several targets for the pair",
    "target_not_found": "the word of a target does not stand where it should",
    "doubled_options": "two options of a target are equal, or differ only by case",
    "mis_decoded": "the text looks as if it had been decoded by the wrong encoding",
    "repeated": "several records of the input give the pair",
    "not_annotated": "the engine failed on the text: it has word forms alone",
}

# Columns by which tables of questions refer to what they are made of.
PAIR_ID = column("pair_id", pa.string(), "the pair, see table cloze/pairs")
ARTICLE_ID = column("article_id", pa.string(), "the passage, see table cloze/pairs")
KIND = column("kind", pa.string(), "what makes the answer abstract", range=", ".join(KINDS))
QUESTION_KEY = (column("question_id", pa.string(), "the summary's word, see table cloze/candidates"), KIND)


def _text(name: str) -> list[pa.Field]:
    return [
        column(name, pa.string(), f"the {name}"),
        column(f"{name}_forms", pa.list_(pa.string()), "its word forms"),
        column(f"{name}_lemmas", pa.list_(pa.string()), "their lemmas; null without annotation", nullable=True),
        upos(f"{name}_upos", "their parts of speech; null without annotation", of_tokens=True),
        column(f"{name}_starts", pa.list_(pa.int32()), "where they start", unit="code points"),
        column(f"{name}_ends", pa.list_(pa.int32()), "where they end", unit="code points"),
        column(f"{name}_sentences", pa.list_(pa.int32()), "the first token of each sentence", range="0 and up"),
    ]


TARGET = pa.struct(
    [
        ("kind", pa.string()),
        ("token", pa.int32()),
        ("form", pa.string()),
        ("options", pa.list_(pa.string())),
        ("label", pa.int32()),
        ("source", pa.string()),
        ("position", pa.string()),
        ("source_id", pa.string()),
    ]
)

PAIRS = Table(
    name="cloze/pairs",
    row="a passage and its summary",
    key=("pair_id",),
    texts=(
        "genre",
        "summary",
        "summary_forms",
        "summary_lemmas",
        "passage",
        "passage_forms",
        "passage_lemmas",
        "targets",
    ),
    columns=[
        column(
            "pair_id",
            pa.string(),
            "16 hexadecimal digits of the passage's hash, as article_id begins, and 16 of the summary's",
        ),
        column(
            "article_id", pa.string(), "hash of the passage, by which folds and splits are drawn; 32 hexadecimal digits"
        ),
        language(),
        column("genre", pa.string(), "genre", nullable=True),
        *_text("summary"),
        *_text("passage"),
        column(
            "targets",
            pa.list_(TARGET),
            "targets that the files have: kind, place among the "
            "summary's tokens (null where it is not found), the word, the options, which of them "
            "is right, and where they come from",
        ),
        column(
            "source", pa.string(), "the file of the first row that has the pair, or the corpus' source of the document"
        ),
        column("position", pa.string(), "line of that row; place of the document in its source"),
        column("source_id", pa.string(), "the id that it has there", nullable=True),
        column("rows", pa.int32(), "records of the input that give the pair", range="1 and up"),
        column("flags", pa.list_(pa.string()), "what is odd about the pair", range=", ".join(FLAGS)),
    ],
)

PAIR_REASONS = {
    **{
        name: REASONS[name]
        for name in (
            "undecodable",
            "malformed",
            "unsafe",
            "empty",
            "unreadable",
            "too_large",
            "too_many_marks",
            "control",
            "script",
            "unsegmented",
            "forgotten",
            "changed_while_read",
            "html",
            "pdf",
            "image",
            "office",
            "executable",
            "binary",
        )
    },
    "missing_field": "a field that must be there is not",
    "empty_summary": "the summary is empty",
    "empty_passage": "the passage is empty",
    "short_summary": "the summary has fewer words than asked for",
    "long_summary": "the summary has more words than asked for",
    "short_passage": "the passage has fewer words than asked for",
    "long_passage": "the passage has more words than asked for",
    "placeholder": "the text has `@placeholder` already, or a question has none or several",
    "bad_label": "the label names none of the options, or an empty one",
    "annotated": "the document comes annotated: a corpus can be made of it, and pairs of that",
    "no_text": "the corpus has the annotation of the document without its text",
}

PAIR_REJECTS = Table(
    name="cloze/rejects",
    row="a record of the input that gave no pair",
    key=REJECT_KEY,
    texts=("detail",),
    columns=reject_columns("pairs", PAIR_REASONS),
)

PAIR_INPUTS = inputs_table("cloze/inputs", ("taken", "its records that gave a pair"), PAIR_REJECTS.name)


def _verdicts(filters: Mapping[str, str]) -> Iterable[pa.Field]:
    for name, doc in filters.items():
        yield column(
            f"{name}_value",
            pa.float64(),
            f"{name}: what is compared with the threshold, or how "
            "many words offend; null where it is not evaluated or abstains",
            nullable=True,
        )
        yield column(
            f"{name}_match",
            pa.string(),
            f"{name}: the sense, the part of speech, why it is never abstract, or the first word that offends",
            nullable=True,
        )
        yield column(
            f"{name}_passed",
            pa.bool_(),
            f"{name}: whether {doc}; null where it is not evaluated or abstains",
            nullable=True,
        )


def _candidates() -> list[pa.Field]:
    filters = entries_of("lexbeam.transforms.cloze.filters.cloze_filters:FILTERS")
    return [
        column(
            "question_id",
            pa.string(),
            "16 hexadecimal digits of the passage's hash, as article_id begins, and 16 of that of pair and token",
        ),
        KIND,
        PAIR_ID,
        ARTICLE_ID,
        column("sentence", pa.int32(), "sentence of the summary", range="0 and up"),
        column("token", pa.int32(), "place among the summary's tokens", range="0 and up"),
        column("form", pa.string(), "the word as it stands"),
        column("lemma", pa.string(), "its lemma", nullable=True),
        column("upos", pa.string(), "its part of speech", nullable=True),
        column("target", pa.bool_(), "whether the input has it as a target of this kind"),
        *_verdicts(filters),
        column("passed", pa.bool_(), "whether it passes all filters that were evaluated"),
        reason("the first filter, in order, that rejects it; null where none does", filters),
    ]


CANDIDATES = Table(
    name="cloze/candidates",
    row="a word of a summary, asked for a kind",
    key=("question_id", "kind"),
    texts=("form", "lemma", "*_match"),
    columns=_candidates,
)


PREDICTIONS = Table(
    name="cloze/predictions",
    row="a word that a reader puts in the place of a candidate",
    key=("question_id", "kind", "reader", "rank"),
    texts=("word",),
    columns=[
        *QUESTION_KEY,
        column("reader", pa.string(), "the reader"),
        column("fold", pa.int32(), "the fold that it was held out in", range="0 and up"),
        column("rank", pa.int32(), "place among the reader's words", range="1 and up"),
        column("word", pa.string(), "the word"),
        column("log_prob", pa.float64(), "natural logarithm of its probability", range="0 and below"),
    ],
)

# Why a word that a reader named is no option.
OPTION_REASONS = {
    "answer": "it is the answer, or has its form or lemma",
    "synonym": "it is a synonym of the answer in some sense",
    "similar": "its vector is too similar to that of the answer or of a synonym",
    "in_passage": "it stands in the passage, and `options_in_passage` is `reject`",
    "same": "another option has its form or lemma, and comes first",
    "form": "it has no form like the answer's",
    "surplus": "there are enough options before it",
}

OPTIONS = Table(
    name="cloze/options",
    row="a word that was considered as an option of a question",
    key=("question_id", "kind", "place"),
    texts=("word", "named"),
    columns=[
        *QUESTION_KEY,
        column(
            "place", pa.int32(), "0 for the answer; the others in the order in which they are chosen", range="0 and up"
        ),
        column("word", pa.string(), "the option, inflected like the answer if that was asked for"),
        column("named", pa.string(), "the word as readers named it"),
        column("origin", pa.string(), "where it comes from", range="answer, readers, frequency"),
        column("readers", pa.list_(pa.string()), "readers that name it, sorted"),
        column("ranks", pa.list_(pa.int32()), "its rank with each of them", range="1 and up"),
        column("score", pa.float64(), "sum of reciprocal ranks", range="0 and up"),
        column("list_size", pa.int32(), "length of the readers' lists that it was found in", nullable=True),
        column("kept", pa.bool_(), "whether the question has it"),
        reason("why the question does not have it", OPTION_REASONS),
    ],
)


# Why a candidate is no question, in the order in which reasons are given.
QUESTION_REASONS = {
    "not_asked": "options were made for other words: targets of the files",
    "not_passed": "options were made for it as a target of the files, but a filter rejects it",
    "placeholder": "`@placeholder` stands in the summary or the passage already",
    "part_of_word": "it is a part of a longer word of the summary, or not its text as it stands",
    "doubled_options": "two of the five options are equal, or differ only by case",
    "too_few_options": "readers give fewer than four options that may stand beside the answer",
    "not_best": "the summary has a better candidate, and one question a summary is asked for",
}

QUESTIONS = Table(
    name="cloze/questions",
    row="a question, or a candidate that passed and is none",
    key=("question_id", "kind"),
    texts=("article", "question", "options", "answer"),
    columns=[
        *QUESTION_KEY,
        PAIR_ID,
        ARTICLE_ID,
        language(),
        column("article", pa.string(), "the passage", nullable=True),
        column("question", pa.string(), "the summary with @placeholder", nullable=True),
        column("options", pa.list_(pa.string()), "the five options in their order", nullable=True),
        column("label", pa.int32(), "which of them is the answer", range="0 to 4", nullable=True),
        column("answer", pa.string(), "the answer"),
        column("upos", pa.string(), "its part of speech", nullable=True),
        share("concreteness", "how concrete it is, where the kind depends on it", nullable=True),
        column(
            "depth",
            pa.float64(),
            "depth of its sense in WordNet, where the kind depends on it",
            unit="edges",
            nullable=True,
        ),
        column("origin", pa.string(), "where its options come from", range="readers, frequency", nullable=True),
        column("split", pa.string(), "train, dev or test, or as `shares` names them", nullable=True),
        column("kept", pa.bool_(), "whether it is a question"),
        reason("why it is no question", QUESTION_REASONS),
    ],
)

ANNOTATION_REASONS = {
    "low_approval": "the annotator's approval rate is too low",
    "no_approval": "nobody says the annotator's approval rate, and such answers are dropped",
    "low_accuracy": "the annotator answers too few questions rightly",
    "no_evidence": "it does not quote both passage and summary, and answers must, one by one",
    "easy_but_wrong": "it calls the question easy and is wrong, and such answers are dropped",
}

ANNOTATIONS = Table(
    name="cloze/annotations",
    row="a person's answer to a question",
    key=("question_id", "kind", "annotator_id"),
    texts=("span_passage", "span_summary", "explained"),
    columns=[
        *QUESTION_KEY,
        column("annotator_id", pa.string(), "who answered"),
        column(
            "answer",
            pa.int32(),
            "the option chosen; null where the annotator could not decide",
            range="0 to 4",
            nullable=True,
        ),
        column("correct", pa.bool_(), "whether the option chosen is the answer"),
        column("difficulty", pa.string(), "how hard it was", nullable=True),
        column("span_passage", pa.string(), "evidence in the passage", nullable=True),
        column("span_summary", pa.string(), "evidence in the summary", nullable=True),
        column("explained", pa.string(), "the annotator's own explanation", nullable=True),
        share("approval_rate", "approval rate of the annotator", nullable=True),
        column("kept", pa.bool_(), "whether it counts"),
        reason("why it does not count", ANNOTATION_REASONS),
        column("source", pa.string(), "the file"),
        column("position", pa.string(), "its line; empty for a sheet, where ids name the row"),
    ],
)

# Why a question is dropped, in the order in which reasons are given.
VERDICT_REASONS = {
    "not_annotated": "nobody answered it",
    "too_few": "too few answers count",
    "low_accuracy": "too few of the answers that count are right",
    "no_evidence": "too few answers quote evidence in both passage and summary",
    "easy_but_wrong": "somebody calls it easy and answers it wrongly",
}

VERDICTS = Table(
    name="cloze/verdicts",
    row="what people's answers say of a question",
    key=("question_id", "kind"),
    columns=[
        *QUESTION_KEY,
        column("answers", pa.int32(), "answers that count", range="0 and up"),
        column("right", pa.int32(), "right answers among them", range="0 and up"),
        share("accuracy", "share of right answers among them", nullable=True),
        column("evidence", pa.int32(), "answers among them that quote both passage and summary", range="0 and up"),
        column("easy", pa.int32(), "answers among them that call it easy", range="0 and up"),
        column("easy_wrong", pa.int32(), "wrong answers among these", range="0 and up"),
        column(
            "majority",
            pa.int32(),
            "the option chosen most often; null where there is none, or a tie",
            range="0 to 4",
            nullable=True,
        ),
        share("majority_share", "share of the most frequent answer", nullable=True),
        column("kept", pa.bool_(), "whether the question is kept"),
        reason("why the question is not kept", VERDICT_REASONS),
    ],
)

ANNOTATION_REJECT_REASONS = {
    **ANSWER_REASONS,
    **{name: REASONS[name] for name in ("missing_field", "malformed")},
    "several_kinds": "the word is a question for several kinds, and nothing says which is meant",
}

ANNOTATION_REJECTS = Table(
    name="cloze/annotation_rejects",
    row="a row of a file of annotations that gave none",
    key=REJECT_KEY,
    texts=("detail",),
    columns=reject_columns("answers", ANNOTATION_REJECT_REASONS),
)


# Why a question is put to no reading system.
ASKED_REASONS = {
    "not_kept": "it is no question, see table cloze/questions",
    "no_place": "the word of the target does not stand where it should",
    "not_five": "it has more or fewer than five options",
    "repeated": "another target of the kind has the same place in the summary, and comes first",
}

ANSWERS = Table(
    name="cloze/answers",
    row="what a reading system answers to a question",
    key=("question_id", "kind", "system", "trained_on"),
    columns=[
        *QUESTION_KEY,
        column("system", pa.string(), "the reading system"),
        column(
            "trained_on",
            pa.string(),
            "kind of questions that the system was trained on; null where it came trained",
            range=", ".join(KINDS),
            nullable=True,
        ),
        column(
            "fold",
            pa.int32(),
            "the fold in which the question was held out; null without folds",
            range="0 and up",
            nullable=True,
        ),
        column(
            "probabilities",
            pa.list_(pa.float64()),
            "probabilities of the five options, in order; null where the question is too long for the system",
            range="0 to 1",
            nullable=True,
        ),
        column(
            "chosen",
            pa.int32(),
            "the most probable option; of equally probable ones the first",
            range="0 to 4",
            nullable=True,
        ),
    ],
)
