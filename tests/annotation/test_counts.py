import random

from lexbeam.schemas.rejects import RejectRow
from lexbeam.transforms.annotation.annotate import EXAMPLES_SHOWN, IntakeCounts, sum_counts


def counted(number, reason="malformed"):
    return IntakeCounts(
        inputs={"bytes": number, "records": 2},
        reasons={reason: 1},
        examples=(RejectRow(f"{number:02d}.txt", "", "ingest", reason, "x"),),
        years_taken_in=frozenset({1800 + number}),
        counts={"documents": 1},
        years={1800 + number % 3: 1},
        columns=frozenset({"forms"}),
    )


def test_sums_do_not_depend_on_order_or_grouping():
    parts = [*(counted(number) for number in range(20)), counted(0, "duplicate")]
    whole = sum_counts(parts)
    assert whole.inputs == {"bytes": 190, "records": 42}
    assert whole.reasons == {"malformed": 20, "duplicate": 1}
    # Duplicates are no faults, and are not quoted.
    assert [row.source for row in whole.examples] == [f"{n:02d}.txt" for n in range(EXAMPLES_SHOWN)]
    assert whole.years == {1800: 8, 1801: 7, 1802: 6}
    rng = random.Random(1)
    for _ in range(10):
        rng.shuffle(parts)
        cut = rng.randrange(len(parts))
        assert sum_counts([sum_counts(parts[:cut]), sum_counts([]), sum_counts(parts[cut:])]) == whole
