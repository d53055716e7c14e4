"""What an entry of a registry needs of the options: checked, and asked for by what the option means."""

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import options_of, value_of


def check_given(need: str, options: object, where: str, choice: str) -> None:
    """Check that the option that something needs is given.

    Args:
        need: the option, as `Entry.needs` has it; empty: nothing is needed.
        options: those that have it.
        where: what needs it, as the message begins: `setting default generates by vectors`.
        choice: the option by which something else is chosen.

    Raises:
        UsageError: it is not given.
    """
    if need and not value_of(options, need):
        raise lacking(need, options, where, choice)


def lacking(need: str, options: object, where: str, choice: str) -> UsageError:
    """Return the error for an option that is not given, with what it means; arguments as of `check_given`."""
    told = options_of(type(options))[need].told
    return UsageError(f"{where}, which needs {told}: give it, or choose otherwise by `{choice}`")
