"""Tables side by side: each instance comes once, with its rows of each table."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from simplified import CANDIDATES, INSTANCES, SELECTIONS, candidates, id_of, instance, parts_of
from simplified import selections as selected

from transforms.simplification.records import instance_rows, tasks_of

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
