"""What the tests of the report share: a page of every kind of panel, open in a browser."""

import pytest
from chromium import find_chromium, open_page
from hostile_panels import HOSTILE, charts, chosen, tables

from lexbeam.transforms.report.page import write_report


@pytest.fixture(scope="session")
def opened(tmp_path_factory):
    """The page as a browser has drawn it."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("needs Chromium: none of its names is on the PATH")
    folder = tmp_path_factory.mktemp("report")
    path = folder / "report.html"
    write_report(str(path), HOSTILE, {"corpus": charts(), "change": tables(), "chosen": chosen()})
    with open_page(chromium, folder / "profile", path) as page:
        yield page


@pytest.fixture
def page(opened):
    """The page, loaded anew, in light colours."""
    opened.emulate("light")
    opened.reload()
    return opened
