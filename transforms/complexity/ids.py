"""Ids of instances: hashes of what an instance is, whatever file or corpus order it comes from."""

from transforms.common.fingerprints import digest

__all__ = ["instance_id"]


def instance_id(
    kind: str,
    genre: str | None,
    sentence: str | None,
    token: str,
    start: int | None,
    source_id: str | None,
) -> str:
    """Return the id of an instance, 32 hexadecimal digits.

    Args:
        kind: one of `schemas.complexity.KINDS`.
        genre: its genre, if it has one.
        sentence: the text of its sentence, if it has one.
        token: the target as it stands.
        start: where the target starts in the sentence, in code points, if it is found.
        source_id: the source's own id of it, if it has one.
    """
    return digest([kind, genre, sentence, token, start, source_id])
