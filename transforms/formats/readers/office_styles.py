"""Which text of a word processor's document is not seen: what styles hide, in docx `w:vanish`, in odt `text:display`;
in docx, too, what fields generate, and rows and cells of tables that tracked changes delete.

>>> inherited({"a": (None, True), "b": ("a", None), "c": ("b", False), "d": (None, None)})
{'a': True, 'b': True, 'c': False, 'd': None}
"""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lxml import etree

from lexbeam.transforms.formats.sources.xml_documents import local_name

LEFT_OUT = "left-out"  # the name of an element that is not read

_Name = TypeVar("_Name", bound=Hashable)
FALSE = ("0", "false", "off")
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_HIDE = {"none": True, "true": False}
# Lists that fields make of what the document says elsewhere.
_GENERATED = frozenset({"TOC", "TOA", "INDEX", "BIBLIOGRAPHY"})
_PAGE_NUMBER = "pgNum"  # as Word had it before there were fields
_GALLERY = "Table of Contents"  # also behind `Custom`
# Readings before there was an element for them: a sign above others, in a field that lays out signs.
_RUBY = re.compile(r"\s*eq\b.*?\\o.*?\(\s*\\s\s*\\up[^(]*\([^()]*\)\s*[,;](?P<base>.*)\)\s*", re.IGNORECASE | re.DOTALL)
_DELETED = {"tr": ("{*}trPr/{*}del", "{*}trPr/{*}moveFrom"), "tc": ("{*}tcPr/{*}cellDel",)}
_STYLED = {"span": "text", "a": "text", "p": "paragraph", "h": "paragraph"}  # families of the styles of elements


def value_of(element: etree._Element | None, name: str = "val") -> str:
    """Return an attribute's value, whatever its namespace; empty if there is none."""
    if element is None:
        return ""
    return next((value for key, value in element.attrib.items() if etree.QName(key).localname == name), "")


def inherited(own: Mapping[_Name, tuple[_Name | None, bool | None]]) -> dict[_Name, bool | None]:
    """Return whether each style hides text, or None if it does not say.

    Args:
        own: of each style the one that it is based on, and what it says itself.
    """
    hidden: dict[_Name, bool | None] = {}
    for start in own:
        chain, name = [], start
        while name in own and name not in hidden:
            hidden[name] = None  # where styles are based on each other in a circle, that ends it
            chain.append(name)
            parent = own[name][0]
            if parent is None:
                break
            name = parent
        for name in reversed(chain):
            parent, said = own[name]
            hidden[name] = said if said is not None or parent is None else hidden.get(parent)
    return hidden


def hide_docx(root: etree._Element, styles: etree._Element | None) -> None:
    """Mark the runs of a docx that are hidden as `hidden`.

    A run's own word counts before those of the styles of its paragraph and its characters, of which one
    undoes the other (ECMA-376, 17.7.3). A paragraph's mark may be hidden, too: its text is not, then.

    Args:
        root: the main part, which is changed.
    """
    own: dict[str, tuple[str | None, bool | None]] = {}
    usual = ""
    for style in styles if styles is not None else ():
        if local_name(style) != "style":
            continue
        name = value_of(style, "styleId")
        own[name] = (value_of(style.find("{*}basedOn")) or None, _vanishes(style.find("{*}rPr")))
        if value_of(style, "type") == "paragraph" and value_of(style, "default") not in ("", *FALSE):
            usual = name
    hidden = inherited(own)
    around: list[bool] = []  # of the paragraphs around: whether their styles hide text
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = local_name(element)
        if name == "p" and event == "end":
            around.pop()
        elif name == "p":
            around.append(bool(hidden.get(value_of(element.find("{*}pPr/{*}pStyle")) or usual)))
        elif name == "r" and event == "start":
            properties = element.find("{*}rPr")
            said = _vanishes(properties)
            if said is None:
                style = None if properties is None else properties.find("{*}rStyle")
                said = bool(hidden.get(value_of(style))) != (bool(around) and around[-1])
            if said:
                element.set("hidden", "")


def _vanishes(properties: etree._Element | None) -> bool | None:
    vanish = None if properties is None else properties.find("{*}vanish")
    return None if vanish is None else value_of(vanish) not in FALSE


@dataclass
class _Field:
    start: int  # so many elements of runs there were before it, of the fields around it
    code: str = ""  # what it is to do
    shown: bool = False  # whether what it shows has begun


def drop_generated(root: etree._Element) -> None:
    """Rename what is not read to `LEFT_OUT`: lists of contents and their like, and deleted rows and cells.

    Fields with the number of the page become `w:pgNum`, which is one.

    Args:
        root: the main part of a docx, which is changed.
    """
    for element in list(root.iter("{*}fldSimple", "{*}docPartGallery", "{*}tr", "{*}tc")):
        name = local_name(element)
        if name == "docPartGallery":
            above = next(element.iterancestors("{*}sdt"), None)
            if above is not None and value_of(element).endswith(_GALLERY):
                above.tag = LEFT_OUT
        elif name == "fldSimple":
            if _is_generated(value_of(element, "instr")):
                element.tag = LEFT_OUT
            elif _is_page(value_of(element, "instr")):
                element.clear()
                element.tag = _PAGE_NUMBER
        elif any(element.find(mark) is not None for mark in _DELETED[name]):
            element.tag = LEFT_OUT
    if next(root.iter("{*}fldChar"), None) is not None:
        _drop_fields(root)


def _drop_fields(root: etree._Element) -> None:
    fields: list[_Field] = []
    held: list[etree._Element] = []  # by the runs within fields, those that are left out aside
    for element in root.iter(etree.Element):
        name, parent = local_name(element), element.getparent()
        if name == "fldChar":
            kind = value_of(element, "fldCharType")
            if kind == "begin":
                fields.append(_Field(len(held)))
            elif fields:
                _go_on(fields, held, element, is_end=kind == "end")
        elif name == "instrText" and fields and not fields[-1].shown:
            fields[-1].code += element.text or ""
        elif fields and parent is not None and local_name(parent) == "r":
            held.append(element)


def _go_on(fields: list[_Field], held: list[etree._Element], mark: etree._Element, *, is_end: bool) -> None:
    """Go on in the innermost field, at the mark that parts its code from what it shows, or at its end."""
    field = fields[-1]
    if not field.shown or (is_end and (_is_generated(field.code) or _is_page(field.code))):
        for element in held[field.start :]:
            element.tag = LEFT_OUT
        del held[field.start :]
    if is_end and not field.shown and (ruby := _RUBY.fullmatch(field.code)):
        mark.tag, mark.text = "t", ruby["base"]
    elif is_end and _is_page(field.code):
        mark.tag = _PAGE_NUMBER
    field.shown = True
    if is_end:
        fields.pop()
        if not fields:
            held.clear()


def _is_generated(code: str) -> bool:
    return not _GENERATED.isdisjoint(code.upper().split()[:1])


def _is_page(code: str) -> bool:
    return code.upper().split()[:1] == ["PAGE"]


def hide_odt(content: etree._Element, styles: etree._Element | None) -> None:
    """Mark what the styles and sections of an odt hide, as a page's `style` and `hidden` would, and titles of drawings.

    Args:
        content: the document's content, which is changed.
        styles: its named styles; the automatic ones there are those of headers and footers.
    """
    named = () if styles is None else styles.iterfind("{*}styles/{*}style")
    own: dict[tuple[str, str], tuple[tuple[str, str] | None, bool | None]] = {}
    for style in (*named, *content.iterfind("{*}automatic-styles/{*}style")):
        family, parent = value_of(style, "family"), value_of(style, "parent-style-name")
        said = _HIDE.get(value_of(style.find("{*}text-properties"), "display"))
        own[family, value_of(style, "name")] = ((family, parent) if parent else None, said)
    hidden = inherited(own)
    for element in content.iter(etree.Element):
        name = local_name(element)
        if name in _STYLED:
            said = hidden.get((_STYLED[name], value_of(element, "style-name")))
            if said is not None:
                element.set("style", f"visibility: {'hidden' if said else 'visible'}")
        elif name == "section":
            display = value_of(element, "display")
            if display == "none" or (display == "condition" and value_of(element, "is-hidden") == "true"):
                element.set("hidden", "")
        elif element.tag in (f"{_SVG}title", f"{_SVG}desc"):  # of a drawing, for who cannot see it
            element.set("hidden", "")
