"""Words marked as complex: whether they are one word or several."""

from lexbeam.transforms.intake.cwi2018 import kind_of


def test_kinds():
    assert [kind_of(token) for token in ("a", " a ", "a b", "a-b", "a\u00a0b")] == [
        "single",
        "single",
        "mwe",
        "single",
        "mwe",
    ]
