"""Tables merged in one order, against sorting all of their rows at once."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.complexity.scorers.scorer_metrics import merged

ROWS = st.lists(st.sampled_from("abcdefgh"), max_size=12, unique=True).map(sorted)


@given(st.lists(ROWS, max_size=5), st.data())
def test_rows_come_in_the_order_of_keys_whatever_the_row_groups(several, data):
    tables, every = [], []
    for number, names in enumerate(several):
        cuts = data.draw(st.lists(st.integers(0, len(names)), max_size=4).map(sorted))
        rows = [{"id": name, "system": f"s{number}"} for name in names]
        every += rows
        schema = pa.schema([("id", pa.string()), ("system", pa.string())])
        borders = zip([0, *cuts], [*cuts, len(rows)], strict=True)
        tables.append([pa.Table.from_pylist(rows[low:high], schema) for low, high in borders])
    found = [row for table in merged(tables, ("id", "system")) for row in table.to_pylist()]
    assert found == sorted(every, key=lambda row: (row["id"], row["system"]))


def test_no_more_than_a_row_group_of_each_is_held():
    read = [0, 0]

    def groups(which):
        for number in range(50):
            read[which] += 1
            yield pa.table({"id": [f"{number:03}"], "system": [str(which)]})

    for seen, table in enumerate(merged([groups(0), groups(1)], ("id", "system"))):
        assert max(read) <= seen + 1
        assert table["system"].to_pylist() == ["0", "1"]
    assert seen == 49
