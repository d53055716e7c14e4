"""What every given resource says of a word.

lexbeam lexicon look bank --resources wordnet=wordnet
lexbeam lexicon look bank --pos n --resources zipf=wordfreq:en
"""

from collections.abc import Iterator
from dataclasses import dataclass

from lexbeam.pipelines.frame.command import Action, Command
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import embedded, option
from lexbeam.transforms.formats.records.text_cleaning import clean_field
from lexbeam.transforms.lexicon.resources import HeldResource, LexiconOptions, prepare


@dataclass(frozen=True, kw_only=True)
class LookOptions:
    """Options of `lexbeam lexicon look`."""

    word: str = option(help="the word", metavar="WORD", positional=True)
    pos: str | None = option(None, help="part of speech, as the resources have it")
    lexicon: LexiconOptions = embedded(LexiconOptions)


def _entry_lines(held: HeldResource, word: str, pos: str | None) -> Iterator[str]:
    of = f", {held.language}" if held.language else ""
    yield f"{held.name} ({held.kind}{of})"
    lines = list(held.open().look(word, pos))
    width = max((len(label) for label, _ in lines), default=0)
    yield from (f"  {label:{width}}  {value}" for label, value in lines)
    if not lines:
        yield f"  {word!r} is not there" + (f" as {pos}" if pos else "")


class LexiconLook(Command[LookOptions, None]):
    """`lexbeam lexicon look`."""

    options = LookOptions
    examples = """\
  lexbeam lexicon look bank --resources wordnet=wordnet
  lexbeam lexicon look bank --pos n --resources 'age=aoa.csv:word=Word,value=Rating.Mean'"""

    def action(self, options: LookOptions, action: Action) -> None:
        """Tell what each resource says, in the order in which they are named.

        Raises:
            UsageError: none is named, or one is named wrongly.
            LexbeamError: a resource cannot be read.
        """
        if not options.lexicon.resources:
            raise UsageError("`resources` must be given: NAME=FILE:word=COLUMN,value=COLUMN, or NAME=wordnet, say")
        word = clean_field(options.word)  # as words of texts and of lists are
        for held in prepare(options.lexicon).held:
            for line in _entry_lines(held, word, options.pos):
                action.tell(line)
