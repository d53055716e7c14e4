"""Files are handed on once they have settled, until they have landed, and no more at a time than may wait."""

from lexbeam.transforms.formats.ingest.ingestion import InputFile
from lexbeam.transforms.stream.polling import TRACKED, Polling


def file(name, size=1, changed=7):
    return InputFile(name, f"/in/{name}", size, "in", changed)


def names(found):
    return [each.name for each in found]


def polling(apart=10, most=100, again=1000):
    return Polling(apart, most, again)


def test_a_file_is_handed_on_when_two_looks_agree_and_only_then():
    looks = polling()
    assert looks.look([file("a")], 0) == []
    assert names(looks.look([file("a"), file("b")], 10)) == ["a"]
    assert names(looks.look([file("a"), file("b")], 20)) == ["b"]
    assert looks.look([file("a"), file("b")], 30) == []


def test_what_is_handed_on_is_as_it_was_last_seen():
    looks = polling()
    looks.look([file("a", 1)], 0)
    looks.look([file("a", 2)], 10)
    assert looks.look([file("a", 2)], 20) == [file("a", 2)]


def test_one_that_has_not_landed_after_a_time_is_handed_on_again():
    looks = polling(again=100)
    looks.look([file("a")], 0)
    assert names(looks.look([file("a")], 10)) == ["a"]
    assert [bool(looks.look([file("a")], at)) for at in (50, 109, 110, 111)] == [False, False, True, False]


def test_no_more_are_on_their_way_than_may_wait():
    looks, there = polling(most=2), [file(name) for name in "edcba"]
    looks.look(there, 0)
    assert names(looks.look(there, 10)) == ["a", "b"]
    assert looks.look(there, 20) == []
    there = [each for each in there if each.name != "a"]  # it has landed
    assert names(looks.look(there, 30)) == ["c"]
    there = there[:1]  # only e is left
    assert names(looks.look(there, 40)) == ["e"]


def test_files_that_wait_are_watched_in_bounded_number_and_all_get_their_turn():
    looks, left, at, handed = polling(most=3), [file(f"{n:03}") for n in range(100)], 0, []
    while left:
        found = looks.look(left, at)
        assert len(looks._states) <= (1 + TRACKED) * 3
        handed += names(found)
        left = [each for each in left if each not in found]
        at += 10
    assert sorted(handed) == [f"{n:03}" for n in range(100)]


def test_a_file_that_goes_is_forgotten_and_begins_anew():
    looks = polling()
    looks.look([file("a")], 0)
    looks.look([], 10)
    assert looks.look([file("a")], 20) == []
    assert names(looks.look([file("a")], 30)) == ["a"]


def test_one_that_is_changed_on_its_way_is_handed_on_as_it_is_then():
    looks = polling()
    looks.look([file("a", 1)], 0)
    looks.look([file("a", 1)], 10)
    looks.look([file("a", 2)], 20)
    assert looks.look([file("a", 2)], 30) == [file("a", 2)]


def test_a_file_that_was_changed_a_moment_ago_has_no_time_and_waits_until_it_has_one():
    looks = polling()
    young, second = file("a", changed=0), 1_000_000_000
    assert [looks.look([young], at * second) for at in (0, 1, 2)] == [[], [], []]
    assert looks.look([file("a")], 3 * second) == []
    assert looks.look([file("a")], 4 * second) == [file("a")]


def test_on_a_store_without_times_the_size_tells():
    looks, second = polling(again=10**12), 1_000_000_000
    assert [len(looks.look([file("a", changed=0)], at * second)) for at in range(6)] == [0, 0, 0, 0, 1, 0]
