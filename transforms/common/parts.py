"""How many parts a table has, where the corpus decides it: a rule over what is in the table alone.

    parts_for(documents=2_000_000, tokens=900_000_000)      # 64

Neither workers nor earlier runs count, so that the same corpus makes the same files. The number is a power of two,
so that one that is twice as large splits each part in two.
"""

from lexbeam.transforms.common.errors import UsageError, quoted

AUTO = "auto"
MOST_PARTS = 10_000
LEAST_PARTS = 8  # and so the parts of small corpora
_MOST = 8192
# Most of each that a part has, on average. With all three it takes about 200 MB of `sentences`.
ROWS = 1 << 17
TOKENS = 1 << 24
CHARACTERS = 1 << 27


def parts_for(rows: int = 0, tokens: int = 0, characters: int = 0) -> int:
    """Return the least power of two, from 8 to 8192, by which a part has no more than its share.

    Args:
        rows: documents, or rows that are staged for the table.
        tokens: of the sentences.
        characters: of the documents' texts.
    """
    shares = max(-(-rows // ROWS), -(-tokens // TOKENS), -(-characters // CHARACTERS), LEAST_PARTS)
    return min(1 << (shares - 1).bit_length(), _MOST)


def stated_parts(value: str) -> int:
    """Return the number of parts that an option states; 0 where the corpus decides it.

    Raises:
        UsageError: the value is neither `auto` nor a number that a table can have.
    """
    if value == AUTO:
        return 0
    number = int(value) if value.isascii() and value.isdecimal() and len(value) <= len(str(MOST_PARTS)) else 0
    if not 1 <= number <= MOST_PARTS:
        raise UsageError(f"must be {AUTO}, or a number from 1 to {MOST_PARTS}, not {quoted(value)}")
    return number
