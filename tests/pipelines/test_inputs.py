"""Corpora of what a command has named."""

from pipelines.command import Given, Inputs
from pipelines.inputs import corpora_of
from transforms.common.receipts import ArtefactPath
from transforms.common.tables import Part


def part(table, folder):
    return Part(table, 0, ArtefactPath(f"{folder}/{table}"), 1, 2, "ab")


def test_tables_of_one_section_are_one_corpus_in_the_order_named():
    one, two = {"engine": 1}, {"engine": 1}  # equal, and yet two
    inputs = Inputs(
        (
            Given("sentences", (part("sentences", "b"),), "corpus", two, False),
            Given("documents", (part("documents", "a"),), "corpus", one, True),
            Given("sentences", (part("sentences", "a"),), "corpus", one, True),
        )
    )
    second, first = corpora_of(inputs)
    assert first.parts == {t: (part(t, "a"),) for t in ("documents", "sentences")}
    assert second.parts == {"sentences": (part("sentences", "b"),)}
    assert (first.own, second.own, second.section) == (True, False, two)
