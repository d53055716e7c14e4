"""What is said of models that cannot be kept or loaded."""

from transforms.common.errors import LexbeamError

__all__ = ["Refused", "needs_models"]


class Refused(ValueError):
    """A content that is not kept, or a file that is not loaded: the cause, `it ...`."""


def needs_models(error: ModuleNotFoundError) -> LexbeamError:
    """Return the error for a package of the extra `models` that is missing."""
    package = str(error.name).partition(".")[0]
    return LexbeamError(
        f"trained models need the Python package {package!r}: install the extra `models`, pip install 'lexbeam[models]'"
    )
