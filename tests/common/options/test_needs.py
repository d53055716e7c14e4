"""Options that something chosen needs."""

from dataclasses import dataclass

import pytest

from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.options.fields import check_given, option


@dataclass(frozen=True, kw_only=True)
class Files:
    vectors: str | None = option(None, help="static vectors", metavar="FILE")


def test_what_lacks_is_asked_for_by_what_it_means():
    told = (
        r"^`use` names vectors, which needs `vectors` FILE \(static vectors\): give it, or choose otherwise by `use`$"
    )
    with pytest.raises(UsageError, match=told):
        check_given("vectors", Files(), "`use` names vectors", "use")


def test_what_is_given_or_needs_nothing_passes():
    check_given("vectors", Files(vectors="x.vec"), "x", "use")
    check_given("", Files(), "x", "use")
