"""Options of rewriting, for `lexbeam simplify rewrite` and whole texts."""

from dataclasses import dataclass

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import option
from lexbeam.transforms.simplification.rewriting.choices import AGREEMENT


@dataclass(frozen=True, kw_only=True)
class RewritingOptions:
    """How sentences are rewritten."""

    agreement: str = option(
        "move",
        help="where a noun has another gender or number than the target: move what agrees with it, or drop the "
        "candidate unless only the determiner before it changes; needs `inflector`",
        choices=AGREEMENT,
    )


def check_rewriting(options: RewritingOptions, inflector: str | None) -> None:
    """Check that rewriting has what it needs.

    Raises:
        UsageError: there is no inflector where one is needed.
    """
    if options.agreement != "move" and inflector is None:
        raise UsageError(
            f"`agreement` {options.agreement} needs `inflector`, which knows genders: name one, or leave it out"
        )
