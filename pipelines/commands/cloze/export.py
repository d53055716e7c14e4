"""Questions as a file in which people answer them.

lexbeam cloze export cloze --to sheets/questions.tsv
lexbeam cloze export cloze --to sheets/questions.tsv --annotator anna,bob --most 200
"""

from dataclasses import dataclass

from lexbeam.pipelines.commands.options import annotators, order_seed, sheet_path
from lexbeam.pipelines.commands.sheet_files import check_sheets, path_of, write_texts
from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.pipelines.frame.common_options import FolderOptions
from lexbeam.pipelines.frame.inputs import folder_with
from lexbeam.schemas.cloze.pairs import KINDS
from lexbeam.schemas.cloze.questions import QUESTIONS
from lexbeam.transforms.cloze.annotations.sheet import SHEET, SHEET_COLUMNS, asked_rows
from lexbeam.transforms.common.draws.by_content import content_hashes, permutation
from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.common.shown import amount
from lexbeam.transforms.people.writing import sheet_text


@dataclass(frozen=True, kw_only=True)
class ClozeExportOptions(FolderOptions):
    """Options of `lexbeam cloze export`."""

    to: str = sheet_path()
    annotator: tuple[str, ...] = annotators()
    kind: tuple[str, ...] = option((), help="questions of these kinds alone", metavar="KIND", choices=KINDS)
    split: tuple[str, ...] = option((), help="questions of these splits alone", metavar="SPLIT")
    most: int | None = option(None, help="ask so many questions, drawn by `seed`", least=1)
    seed: int = order_seed()


class ClozeExport(Command[ClozeExportOptions, None]):
    """`lexbeam cloze export`."""

    options = ClozeExportOptions
    examples = """\
  lexbeam cloze export cloze --to sheets/questions.tsv
  lexbeam cloze export cloze --to sheets/questions.tsv --annotator anna,bob --most 200
  lexbeam cloze export cloze --to test.tsv --kind nonspecificity --split test"""

    def check(self, options: ClozeExportOptions) -> None:
        check_sheets(options.to, options.annotator)

    def action(self, options: ClozeExportOptions, action: Action) -> None:
        """Write the files; those that are there already are left, if they are the same."""
        snapshot = folder_with(options.path, QUESTIONS.name)
        questions = snapshot.read(QUESTIONS.name, list(SHEET_COLUMNS))
        asked = asked_rows(questions, options.kind, options.split)
        rows = asked.rows
        if not rows.num_rows:
            splits = ", ".join(sorted(set(questions["split"].drop_null().to_pylist())))
            raise LexbeamError(
                f"{options.path!r} has no question to ask about"
                + (f", of {asked.too_long} that a cell can hold" if asked.too_long else "")
                + (f"; it has splits {splits}" if splits else "")
            )
        if options.most is not None:
            keys = content_hashes(rows["question_id"], rows["kind"])
            rows = rows.take(permutation(keys, seed=options.seed, label="cloze/export")[: options.most])
        texts = {
            path_of(options.to, name): sheet_text(SHEET, rows, annotator=name, seed=options.seed)
            for name in options.annotator or ("",)
        }
        write_texts(texts, f"{amount(rows.num_rows, 'questions')} to answer", action.tell)
        if asked.too_long:
            action.tell(f"{asked.too_long} questions are left out: no cell holds their texts")
