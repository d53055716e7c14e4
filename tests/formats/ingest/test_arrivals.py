"""What has come since files were taken up: told by looks alone, in bounded memory, whatever the order of files."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.formats.ingest import file_changes as module
from lexbeam.transforms.formats.ingest.file_changes import Arrivals
from lexbeam.transforms.formats.ingest.ingestion import InputFile

APART = 10


def file(name, size=1, changed=1):
    return "corpus", InputFile(name, f"/in/{name}", size, "in", changed)


def summary(seen):
    return seen.coming, seen.settled, seen.gone


def test_a_file_settles_at_the_second_look_and_is_known_once_taken():
    arrivals = Arrivals(APART)
    assert summary(arrivals.look([file("a")], 0)) == (1, 0, 0)
    seen = arrivals.look([file("a"), file("b")], 10)
    assert summary(seen) == (2, 1, 0)
    assert not seen.rests
    seen = arrivals.look([file("b"), file("a")], 20)
    assert summary(seen) == (2, 2, 0)
    assert seen.rests
    arrivals.take(seen)
    seen = arrivals.look([file("a"), file("b")], 30)
    assert not seen.differs
    assert summary(arrivals.look([file("a")], 40)) == (0, 0, 1)


def test_what_changes_while_it_is_taken_up_comes_again():
    arrivals = Arrivals(APART)
    seen = arrivals.look([file("a", 1), file("b")], 0)
    arrivals.take(seen)
    assert summary(arrivals.look([file("a", 2), file("b")], 10)) == (1, 0, 1)
    assert summary(arrivals.look([file("a", 2, 5), file("b")], 20)) == (1, 0, 1)
    assert summary(arrivals.look([file("a", 2, 5), file("b")], 30)) == (1, 1, 1)


def test_a_file_of_two_sections_comes_to_both():
    arrivals = Arrivals(APART)
    both = [file("a"), ("complexity.load", file("a")[1])]
    arrivals.take(arrivals.look(both[:1], 0))
    assert summary(arrivals.look(both, 10)) == (1, 0, 0)


@given(
    st.lists(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 3)), max_size=12), st.sets(st.integers(0, 11))
)
def test_looks_are_those_of_plain_sets(looks, taken_after):
    arrivals, taken, first = Arrivals(APART), set(), {}
    for number, sizes in enumerate(looks):
        now = set(sizes.items())
        first = {state: first.get(state, number) for state in now - taken}
        seen = arrivals.look([file(*state) for state in sizes.items()], number * APART)
        assert summary(seen) == (len(now - taken), sum(at < number for at in first.values()), len(taken - now))
        if number in taken_after:
            arrivals.take(seen)
            taken, first = now, {}


def test_many_files_wait_for_those_before_them_and_take_little_memory(monkeypatch):
    monkeypatch.setattr(module, "FOLLOWED", 100)
    names = [file(f"{n:06}") for n in range(20_000)]
    arrivals = Arrivals(APART)
    assert summary(arrivals.look(names, 0)) == (20_000, 0, 0)
    seen = arrivals.look(names, 10)
    assert summary(seen) == (20_000, 100, 0)
    arrivals.take(seen)
    for turn in range(3):
        arrivals.look(names, 20 + turn)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for turn in range(3):
        seen = arrivals.look(names, 30 + turn)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert not seen.differs
    assert grown < 9 * len(names)  # one look's keys, in place of those of the look before
