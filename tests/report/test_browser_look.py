"""How the report looks in a real browser: themes, contrast, print, narrow windows."""

import re

import pytest

pytestmark = pytest.mark.slow

ROWS = "#panel-2-1"


def luminance(colour):
    channels = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def computed(page, selector, name):
    return page.run(f"getComputedStyle(document.querySelector('{selector}')).{name}")


TEXTS = ["h1", "h3", ".text", "nav a", "summary", "td", "th button", ".tools p", "select", ".from", "#theme"]


def check_contrast(page):
    """Texts have the 4.5 to 1 of WCAG 2.2 (1.4.3), marks of charts the 3 to 1 of 1.4.11."""
    ground = computed(page, "body", "backgroundColor")
    raised = computed(page, "th", "backgroundColor")
    for selector in TEXTS:
        assert contrast(computed(page, selector, "color"), ground) >= 4.5, selector
    assert contrast(computed(page, "th button", "color"), raised) >= 4.5
    alert = computed(page, ".note.warning", "backgroundColor")
    for selector in (".note.warning", ".note.warning strong"):
        assert contrast(computed(page, selector, "color"), alert) >= 4.5, selector
    assert contrast(computed(page, "#panel-1-1 .role-axis-label text", "fill"), ground) >= 4.5
    assert contrast(computed(page, "#panel-1-1 .role-legend-label text", "fill"), ground) >= 4.5
    for number in range(1, 9):
        page.run(f"document.querySelector('.skip').style.color = 'var(--c{number})'")
        # Marks, and names beside paths: these are text.
        assert contrast(computed(page, ".skip", "color"), ground) >= 4.5, number
    page.run("document.querySelector('.skip').style.color = ''")
    assert contrast(computed(page, "#panel-1-1 .mark-rect path", "fill"), ground) >= 3
    return luminance(ground)


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_both_themes_follow_the_system_and_can_be_read(page, scheme, dark):
    page.emulate(scheme)
    assert (check_contrast(page) < 0.1) == dark


def test_the_button_chooses_a_theme_against_the_system(page):
    label = "document.getElementById('theme').textContent"
    found = {}
    page.emulate("dark")
    for _ in range(3):
        page.run("document.getElementById('theme').click()")
        found[page.run(label)] = check_contrast(page) < 0.1
    assert found == {"Theme: light": False, "Theme: dark": True, "Theme: as the system": True}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_print_is_light_and_leaves_out_what_is_pressed(page, theme):
    page.run(f"document.documentElement.dataset.theme = '{theme}'")
    page.emulate("dark", media="print")
    assert check_contrast(page) > 0.9
    for selector in ("#theme", "header nav", f"{ROWS} .tools"):
        assert computed(page, selector, "display") == "none"
    assert computed(page, f"{ROWS} .scroll", "overflow") == "visible"
    sheet = page.send("Page.printToPDF", printBackground=True)
    assert len(sheet["data"]) > 10_000


def test_a_narrow_window_does_not_scroll_sideways(page):
    page.send("Emulation.setDeviceMetricsOverride", width=360, height=700, deviceScaleFactor=1, mobile=False)
    try:
        page.wait("document.documentElement.scrollWidth <= 360")
    finally:
        page.send("Emulation.clearDeviceMetricsOverride")


@pytest.fixture
def narrow(page):
    """The page in a window of 400 pixels."""
    page.send("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    page.reload()
    yield page
    page.send("Emulation.clearDeviceMetricsOverride")


def boxes(page, panel, marks):
    """Left, right, top and bottom of the texts of a chart, in pixels of the page."""
    texts = f"[...document.querySelectorAll('#panel-3-{panel} svg .{marks} text')].filter(t => t.textContent)"
    return page.run(f"{texts}.map(t => t.getBoundingClientRect()).map(r => [r.left, r.right, r.top, r.bottom])")


def cover(one, other):
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


@pytest.mark.parametrize(("panel", "names"), [(5, 4), (6, 3), (7, 5)])
def test_legends_are_whole_in_a_narrow_window(narrow, panel, names):
    found = boxes(narrow, panel, "role-legend-label")
    assert len(found) == names
    assert all(left >= 0 and right <= 400 for left, right, *_ in found)
    assert not any(cover(one, other) for n, one in enumerate(found) for other in found[:n])
    written = f"[...document.querySelectorAll('#panel-3-{panel} svg .role-legend-label text')].map(t => t.textContent)"
    assert not [text for text in narrow.run(written) if text.endswith("…")]


def test_five_slices_are_written_aslant_in_a_narrow_window_and_level_in_a_wide_one(narrow):
    turned = (
        "[...document.querySelectorAll('#panel-3-6 svg .role-axis-label text')]"
        ".filter(t => /\\d{4}-/.test(t.textContent)).map(t => t.getAttribute('transform').includes('rotate(-40)'))"
    )
    assert narrow.run(turned) == [True] * 5
    assert all(left >= 0 and right <= 400 for left, right, *_ in boxes(narrow, 6, "role-axis-label"))
    narrow.send("Emulation.clearDeviceMetricsOverride")
    narrow.reload()
    assert narrow.run(turned) == [False] * 5


def test_a_square_chart_is_as_wide_as_a_narrow_window(narrow):
    assert narrow.run("document.querySelector('#panel-3-7 svg').getBoundingClientRect().right") <= 400
    size = narrow.run("getComputedStyle(document.querySelector('#panel-3-7 .mark-text text')).fontSize")
    assert size == "12px"
    shown = narrow.run("document.querySelector('#panel-3-7 svg').getBoundingClientRect().width")
    drawn = narrow.run("+document.querySelector('#panel-3-7 svg').getAttribute('width')")
    assert shown == pytest.approx(drawn, abs=1)  # not shrunk, letters and all


def test_labels_lie_within_the_chart_and_are_fewer_in_a_narrow_window(page):
    texts = "[...document.querySelectorAll('#panel-1-4 svg .role-mark.mark-text text')].filter(t => t.textContent)"
    assert page.run(f"{texts}.length") == 6
    edge = page.run("document.querySelector('#panel-1-4 svg').getBoundingClientRect().right")
    last = f"{texts}.find(t => t.textContent === 'word 49').getBoundingClientRect().right"
    assert page.run(last) <= edge
    page.send("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    page.reload()
    try:
        assert page.run(f"{texts}.map(t => t.textContent)") == ["word 0", "word 49"]
        assert page.run(last) <= 400
    finally:
        page.send("Emulation.clearDeviceMetricsOverride")
