"""Form dictionaries compiled into one file, with rules for words that are not in them.

docs/tasks/simplification/inflector.md says what is read, and how forms are made.
"""

from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.inflection.models import InflectorOptions, train_inflector
from lexbeam.transforms.learning.models.keeping import keep_model_file


class SimplifyTrainInflector(Command[InflectorOptions, None]):
    """`lexbeam simplify train-inflector`."""

    options = InflectorOptions
    examples = """\
  lexbeam simplify train-inflector spanish.txt --language es --out models/es.inflector
  lexbeam simplify train-inflector spa.tsv --format unimorph --language es --out es.inflector"""

    def check(self, options: InflectorOptions) -> None:
        if not (options.language.isascii() and options.language.isalpha()):
            raise UsageError(f"`language` is {options.language!r}: give a code of letters, such as es")

    def action(self, options: InflectorOptions, action: Action) -> None:
        """Compile the dictionaries, learn rules and write the file.

        Raises:
            UsageError: a format cannot be told.
            LexbeamError: a file cannot be read, or the model's place is taken.
        """
        trained = train_inflector(options)
        digest = keep_model_file(options.out, trained.model, overwrite=options.overwrite)
        for name, read in trained.read.items():
            left = ", ".join(f"{n:,} {why}" for why, n in sorted(read.skipped.items()))
            action.tell(f"{name}: {read.format}, {len(read.entries):,} forms" + (f"; left out: {left}" if left else ""))
        action.tell(f"{trained.forms:,} forms in {files.shown(options.out)}, model {digest[:12]}")
