"""The report in a real browser: what it draws, says, lets a person do, and does not do."""

import json

import pytest
from hostile_panels import HOSTILE, WORDS

pytestmark = pytest.mark.slow

ROWS = "#panel-2-1"
CHOICE = "#panel-2-2"


def column_of(page, number):
    return page.run(f"[...document.querySelectorAll('{ROWS} tbody tr')].map(r => r.cells[{number}].textContent)")


def sort_state(page):
    return page.run(f"[...document.querySelectorAll('{ROWS} th')].map(h => h.getAttribute('aria-sort'))")


def type_into(page, selector, text):
    page.run(f"document.querySelector('{selector}').focus()")
    page.run("document.activeElement.select()")
    page.send("Input.insertText", text=text)


def test_nothing_fails_and_nothing_is_asked_for(page):
    assert page.errors == []
    assert {address.partition(":")[0] for address in page.requests} == {"file"}
    assert len(set(page.requests)) == 1


def test_the_policy_forbids_the_network_and_other_code(page):
    page.run("fetch('http://localhost:1/').catch(() => { window.refused = true }); 0")
    page.wait("window.refused === true")
    page.run(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 3'})); 0"
    )
    page.run("window.onerror = null; try { window.setTimeout('window.ran = 4', 0) } catch {} 0")
    page.wait("new Promise(done => setTimeout(() => done(true), 50)) && true")
    assert page.run("window.ran") is None
    said = [text for text in page.errors if "Content Security Policy" in text]
    assert said
    page.errors.clear()


def test_charts_are_drawn_as_svg_with_a_text_in_their_place(page):
    drawn = "[...document.querySelectorAll('.chart')].map(c => c.querySelectorAll('svg path').length)"
    assert min(page.run(drawn)) > 2
    labels = page.run("[...document.querySelectorAll('[role=img]')].map(c => c.ariaLabel)")
    assert labels == [
        "Time. Tokens",
        "Sources. Largest",
        "Growth. Words",
        "Cloud. Scores",
        "Bands. Scores",
        "Ways. Words",
        "Series. Lines",
        "Findings. Scores",
        "Five slices. Lines",
        "A way of five. Slices",
    ]
    tree = page.send("Accessibility.getFullAXTree")["nodes"]
    images = [node["name"]["value"] for node in tree if node["role"]["value"] == "image"]
    assert images == labels


def test_the_numbers_of_a_chart_are_a_table_too(page):
    page.run("document.querySelector('#panel-1-1 summary').click()")
    page.wait("document.querySelectorAll('#panel-1-1 tbody tr').length === 3")
    assert page.run("document.querySelector('#panel-1-1 tbody tr').innerText").split() == ["1,800", "1,810", "5", "law"]


def test_a_document_that_holds_a_script_is_text(page):
    assert page.run("window.ran") is None
    assert page.run("document.images.length") == 0
    assert page.run("document.title") == HOSTILE
    assert column_of(page, 0)[3] == HOSTILE
    assert page.run("document.querySelector('.note li').textContent") == HOSTILE
    axis = page.run("document.querySelector('#panel-1-2 svg').textContent")
    assert "<script>" in axis


def test_pointing_at_a_bar_tells_its_values_as_text(page):
    page.run("document.querySelector('#panel-1-2').scrollIntoView({behavior: 'instant'})")
    place = page.run(
        "(() => { const r = document.querySelector('#panel-1-2 .mark-rect path')"
        ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()"
    )
    page.send("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    page.wait("!document.querySelector('.tip').hidden")
    assert page.run("document.querySelector('.tip').textContent") == f"source: {HOSTILE}\ntokens: 5"
    assert page.run("window.ran") is None


def test_a_header_sorts_and_says_so(page):
    assert sort_state(page) == [None] * 4
    page.run(f"document.querySelectorAll('{ROWS} th button')[1].click()")
    assert sort_state(page) == [None, "descending", None, None]
    found = [float(text) for text in column_of(page, 1)]
    assert found == sorted((round(n / 7, 3) for n in range(WORDS)), reverse=True)[:100]
    page.run(f"document.querySelectorAll('{ROWS} th button')[1].click()")
    assert sort_state(page) == [None, "ascending", None, None]
    assert float(column_of(page, 1)[0]) == 0
    page.run(f"document.querySelectorAll('{ROWS} th button')[0].click()")
    assert sort_state(page) == ["ascending", None, None, None]
    words = column_of(page, 0)
    assert words.index("word 9") < words.index("word 10")  # numbers in words by their size


def test_what_has_no_value_comes_last_in_both_directions(page):
    for _ in range(2):
        page.run(f"document.querySelectorAll('{ROWS} th button')[2].click()")
        for _ in range(2):
            page.run(f"document.querySelector('{ROWS} .tools button').click()")
        assert column_of(page, 2)[-1] == ""
        assert len(column_of(page, 2)) == WORDS


def test_search_filters_and_says_how_many(page):
    type_into(page, f"{ROWS} input", "WORD 24")
    assert sorted(column_of(page, 0)) == sorted(["word 24", *(f"word {n}" for n in range(240, 250))])
    status = f"document.querySelector('{ROWS} [role=status]').textContent"
    assert page.run(status) == "11 of 250 rows"
    type_into(page, f"{ROWS} input", "nothing is called so")
    assert page.run(status) == "0 of 250 rows"
    type_into(page, f"{ROWS} input", "<script>")
    assert column_of(page, 0) == [HOSTILE]


def test_long_tables_show_their_head_and_more_on_demand(page):
    assert len(column_of(page, 0)) == 100
    page.run(f"document.querySelector('{ROWS} .tools button').click()")
    assert len(column_of(page, 0)) == WORDS
    assert page.run(f"document.querySelector('{ROWS} .tools button').hidden")


def shown_tables(page):
    return page.run(
        f"[...document.querySelectorAll('{CHOICE} .side > div')].map(d => [d.querySelector('h4')"
        ".textContent, ...[...d.querySelectorAll('tbody td')].map(c => c.textContent)])"
    )


def test_choosing_a_word_shows_its_neighbours_in_each_slice(page):
    assert shown_tables(page) == [["sea, old", "ship", "sail"], ["sea, new", "beach"]]
    type_into(page, f"{CHOICE} input", HOSTILE)
    assert shown_tables(page) == [[f"{HOSTILE}, old", HOSTILE], [f"{HOSTILE}, new", "none"]]
    assert page.run("window.ran") is None
    type_into(page, f"{CHOICE} input", "whale")
    page.press("Enter", "\r")
    status = page.run(f"document.querySelector('{CHOICE} [role=status]').textContent")
    assert status.startswith("none is called so; there are 2")


def select(page, panel, value):
    page.run(f"document.querySelector('#panel-3-{panel} select').value = {json.dumps(value)}")
    page.run(f"document.querySelector('#panel-3-{panel} select').dispatchEvent(new Event('change'))")


def texts_of(page, panel, marks="text"):
    return page.run(f"[...document.querySelectorAll('#panel-3-{panel} svg .{marks} text')].map(t => t.textContent)")


def test_a_chart_of_a_chosen_thing_draws_its_rows_alone(page):
    # In the order of the rows, whether or not a row has a band.
    labels = [text for text in texts_of(page, 1, "role-axis-label") if not text[0].isdecimal()]
    assert [text[:3] for text in labels] == ["sea", HOSTILE[:3], "c"]
    assert page.run("document.querySelectorAll('#panel-3-1 .mark-rect path').length") >= 2
    select(page, 1, "b to c")
    page.wait(
        "[...document.querySelectorAll('#panel-3-1 svg .role-axis-label text')]"
        ".map(t => t.textContent).filter(t => /^\\D/.test(t)).join() === 'd'"
    )
    assert page.errors == []


def test_a_word_that_is_chosen_is_chosen_in_every_panel(page):
    written = texts_of(page, 2, "role-mark.mark-text")
    assert sorted(written) == sorted(["ship", HOSTILE, "old", "new"])
    select(page, 3, HOSTILE)
    page.wait("document.querySelector('#panel-3-2 select').value === " + json.dumps(HOSTILE))
    page.wait("[...document.querySelectorAll('#panel-3-2 svg .mark-text text')].some(t => t.textContent === 'b')")
    assert page.run("document.querySelector('#panel-3-4 mark').textContent") == HOSTILE
    names = [text for text in texts_of(page, 3, "role-axis-label") if text in "123"]
    assert names == ["1", "2", "3"]  # in the order of the rows, with or without a distance
    dashed = page.run("document.querySelectorAll('#panel-3-3 .mark-line path[stroke-dasharray]').length")
    assert dashed == 1  # where the band behind the line ends
    assert shown_tables(page) == [[f"{HOSTILE}, old", HOSTILE], [f"{HOSTILE}, new", "none"]]
    assert page.run("window.ran") is None
    assert page.errors == []


def test_uses_are_lines_by_slice_with_the_word_marked(page):
    heads = "[...document.querySelectorAll('#panel-3-4 h4')].map(h => h.textContent)"
    assert page.run(heads) == ["sea, old", "sea, new"]
    lines = "[...document.querySelectorAll('#panel-3-4 tr')].map(r => [...r.cells].map(c => c.textContent))"
    assert page.run(lines) == [["by the", "sea", f"{HOSTILE} (Ann, 1801)"], [HOSTILE, "Sea", f"is ({HOSTILE})"]]
    marked = "[...document.querySelectorAll('#panel-3-4 mark')].map(m => m.textContent)"
    assert page.run(marked) == ["sea", "Sea"]


def test_a_word_leads_to_its_uses_in_every_panel(page):
    link = "[...document.querySelectorAll('#panel-2-1 td a')].map(a => [a.textContent, a.getAttribute('href')])"
    (only,) = page.run(link)  # of all words of the table uses are quoted of one alone
    assert only == [HOSTILE, "#panel-3-4"]
    page.run("document.querySelector('#panel-2-1 td a').click()")
    assert page.run("location.hash") == "#panel-3-4"
    assert page.run("document.querySelector('#panel-3-4 select').value") == HOSTILE
    page.wait("document.querySelector('#panel-3-2 select').value === " + json.dumps(HOSTILE))
    assert page.run("window.ran") is None
    assert page.errors == []


def test_the_keyboard_is_enough(page):
    page.press("Tab")
    assert page.run("document.activeElement.className") == "skip"
    seen = []
    for _ in range(60):
        page.press("Tab")
        seen.append(page.run("document.activeElement.id || document.activeElement.textContent"))
        if seen[-1] == "score":
            break
    assert seen[0] == "theme"
    assert seen[-1] == "score"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.run(outline) == "solid"
    page.press("Enter", "\r")
    assert sort_state(page)[1] == "descending"
    page.press(" ", " ")
    assert sort_state(page)[1] == "ascending"
    assert page.run("document.activeElement.textContent") == "score"
