"""Links between pages, notebooks among them, and mentions of pages in code and messages, lead somewhere."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("benchmarks", "docs", "examples", "lexbeam", "pipelines", "runner_configs", "schemas", "tests", "transforms")
ENDS = (".ipynb", ".md", ".py", ".yaml")
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for paths in (ROOT.glob("*"), *((ROOT / name).rglob("*") for name in FOLDERS))
    for path in paths
    if path.name.endswith(ENDS)
)
PAGES = [name for name in FILES if name.endswith((".ipynb", ".md"))]
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
MENTION = re.compile(r"\bdocs/[\w/-]+\.(?:ipynb|md)\b")


def told(page: str) -> str:
    """Return a page as Markdown: of a notebook its cells of text."""
    text = (ROOT / page).read_text("utf-8")
    if not page.endswith(".ipynb"):
        return text
    return "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")


def prose(page: str) -> str:
    """Return a page without its blocks of code."""
    text = re.sub(r"^```.*?^```$", "", told(page), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^ {4,}\S.*$", "", text, flags=re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", told(str(page.relative_to(ROOT))), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_links_of_a_page_lead_to_files_and_headings(page):
    broken = []
    for target, anchor in LINK.findall(prose(page)):
        if "://" in target:
            continue
        path = (ROOT / page).parent / target if target else ROOT / page
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(f"{target}#{anchor}")
    assert broken == []


def test_pages_that_code_and_messages_mention_are_there():
    broken = []
    for name in FILES:
        found = MENTION.findall((ROOT / name).read_text("utf-8"))
        broken += [f"{name}: {page}" for page in found if not (ROOT / page).is_file()]
    assert broken == []


def test_every_page_is_on_the_map():
    pages = {name.removeprefix("docs/") for name in PAGES if name.startswith("docs/")}
    linked = {target for target, _ in LINK.findall(prose("docs/README.md"))}
    assert pages - linked - {"README.md"} == set()
