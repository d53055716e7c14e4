"""Tables side by side: each instance comes once, with its rows of each table."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from nets import ends
from simplified import CANDIDATES, INSTANCES, SELECTIONS, candidates, id_of, instance, parts_of
from simplified import selections as selected

from lexbeam.transforms.simplification.records import Instance, instance_rows, tasks_of

numbers = st.lists(st.integers(1, 40), unique=True, max_size=12)
forms = st.lists(st.sampled_from("abcdef"), unique=True, max_size=4)


@given(
    numbers, st.dictionaries(st.integers(1, 40), forms), st.dictionaries(st.integers(1, 40), forms), st.integers(1, 3)
)
def test_rows_stand_beside_their_instance(present, generated, remaining, parts):
    rows = [instance(number, "arduo") for number in present]
    for number in present:
        rows += candidates(number, "a", generated.get(number, []))
        rows += selected(number, "a", dict.fromkeys(remaining.get(number, []), 1.0))
    with tempfile.TemporaryDirectory() as folder:
        made = parts_of(Path(folder) / "t", rows, parts)
        others = {name: made[name] for name in (CANDIDATES.name, SELECTIONS.name) if name in made}
        columns = {name: ["form"] for name in others}
        joined = [
            group
            for _, task in tasks_of(made.get(INSTANCES.name, []), others)
            for group in instance_rows(task, columns)
        ]
    assert sorted(group.instance.instance_id for group in joined) == sorted(map(id_of, present))
    for group in joined:
        number = int(group.instance.instance_id, 16)
        for name, given_ in ((CANDIDATES.name, generated), (SELECTIONS.name, remaining)):
            forms = sorted(row["form"] for row in group.rows.get(name, []))
            assert forms == sorted(given_.get(number, []))


def before(left, target="word"):
    """The word before a target, and the text up to it with another word there."""
    made = Instance("1", "en", left + target, target, len(left), len(left) + len(target), None, None, None)
    return made.before, made.left("X")


def test_the_word_before_a_target():
    assert before("the old ") == ("old", "the X ")
    assert before("don't ") == ("don't", "X ")
    assert before("La «bella» casa (¡") == ("casa", "La «bella» X (¡")
    assert before("una  “(") == ("una", "X “(")
    for left in ("", "old-", "old, ", "1 ", "“"):
        assert before(left) == (None, left)
    assert before("vitamin A ")[0] is None
    assert before("A ")[0] == "A"
    assert before("a" * 198 + " ")[0] == "a" * 198
    assert before(", " + "a" * 199 + " ")[0] == "a" * 199
    assert before("a" * 200 + " ")[0] is None  # no word is that long


def test_a_sentence_of_any_length_takes_no_time():
    for left in ("a" * 200_000, "a" * 200_000 + " ", "a-" * 100_000, "a " + " " * 200_000, "(" * 200_000):
        with ends(10):  # 20,000 letters took 10 s, and with the square of them
            assert before(left)[0] is None
