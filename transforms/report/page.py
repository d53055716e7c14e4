"""The page: panels as one HTML file that needs no network, with the same bytes for the same panels.

What comes from data is in the HTML escaped, or in one block of JSON with `<` escaped. A content
security policy lets run the page's own two scripts alone, by their digests, and load nothing.
"""

import base64
import hashlib
import html
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from lexbeam.transforms.common.errors import LexbeamError
from lexbeam.transforms.common.store import files
from lexbeam.transforms.common.system_errors import reason_of
from lexbeam.transforms.report.charts import bundle
from lexbeam.transforms.report.panels import Chart, Choice, Head, Note, Panel, Rows, UsesPanel

_DIGITS = 6  # significant digits of the numbers in the page

# By this, near the top of a file, a report is known: another one may take its place.
_MARK = '<meta name="generator" content="lexbeam">'
_TOP = 1024  # bytes
_BEGINNING = b"<!DOCTYPE html>"


def render(
    head: Head | str, sections: Mapping[str, Sequence[Panel]], heads: Mapping[str, Head] = MappingProxyType({})
) -> bytes:
    """Return the report as HTML in UTF-8.

    Args:
        head: how the page begins; a text: its heading alone.
        sections: panels by the section that they tell of, in the order that is shown.
        heads: how sections begin; one that has none begins with its name.

    Raises:
        LexbeamError: there are charts, and the extra `report` is not installed.
    """
    data: list[dict[str, Any]] = []
    head = Head(head) if isinstance(head, str) else head
    body = "\n".join(
        _section(number, heads.get(name, Head(name)), panels, data)
        for number, (name, panels) in enumerate(sections.items(), 1)
    )
    contents = " ".join(
        f'<a href="#section-{number}">{html.escape(name)}</a>' for number, name in enumerate(sections, 1)
    )
    code, style = _asset("page.js"), _asset("style.css")
    library = _script(bundle()) if any(panel["kind"] == "chart" for panel in data) else ""
    scripts = [text for text in (library, code) if text]
    page = Template(_asset("page.html")).substitute(
        # Vega sets styles of elements it draws; they reach nothing, for nothing can be loaded.
        policy=f"default-src 'none'; script-src {' '.join(map(_source, scripts))}; "
        "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        mark=_MARK,
        title=html.escape(head.title),
        opening=_opening(head),
        style=style,
        contents=contents,
        sections=body,
        data=_json(data),
        library=f"<script>{library}</script>\n" if library else "",
        code=code,
    )
    return page.encode("utf-8", "replace")  # lone surrogates, which UTF-8 does not have


def write_report(
    path: str,
    head: Head | str,
    sections: Mapping[str, Sequence[Panel]],
    heads: Mapping[str, Head] = MappingProxyType({}),
) -> None:
    """Write the report to `path`, whole or not at all; see `render`.

    Raises:
        LexbeamError: it cannot be written, something other than a report is there, or the extra
            `report` is not installed.
    """
    try:
        _check_place(path)
        content = render(head, sections, heads)
        files.write_bytes(path, content)
    except OSError as error:
        raise LexbeamError(f"the report cannot be written to {path!r}: {reason_of(error)}") from error


def _check_place(path: str) -> None:
    if files.is_local(path):
        if os.path.islink(path):
            raise LexbeamError(f"{path!r} is a link; name a file")
        if os.path.isdir(path):
            raise LexbeamError(f"{path!r} is a folder; name a file in it")
    if not files.exists(path):
        return
    if not is_report(path):
        raise LexbeamError(
            f"{path!r} is there and is not a report of Lexbeam, so it is left as it is: name another file"
        )


def is_report(path: str) -> bool:
    """Return whether a file is a report that Lexbeam wrote."""
    with files.open_read(path) as stream:
        top = stream.read(_TOP)
    return top.startswith(_BEGINNING) and _MARK.encode() in top


def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _script(code: str) -> str:
    """Return code in which a browser finds no end of its script element, nor a comment."""
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", code, flags=re.IGNORECASE)


def _source(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _section(number: int, head: Head, panels: Sequence[Panel], data: list[dict[str, Any]]) -> str:
    parts = [f'<section id="section-{number}" aria-labelledby="heading-{number}">']
    parts += [f'<h2 id="heading-{number}">{html.escape(head.title)}</h2>', _opening(head)]
    for place, panel in enumerate(panels, 1):
        parts.append(_panel(f"panel-{number}-{place}", panel, data))
    return "\n".join([*filter(None, parts), "</section>"])


def _opening(head: Head) -> str:
    parts = [f'<p class="text">{_as_html(head.text)}</p>'] if head.text else []
    parts += [f'<div class="note"><p>{_as_html(note)}</p></div>' for note in head.notes]
    facts = "".join(f"<div><dt>{html.escape(name)}</dt><dd>{_as_html(value)}</dd></div>" for name, value in head.facts)
    return "\n".join([*parts, *([f'<dl class="facts">{facts}</dl>'] if facts else [])])


def _as_html(text: str) -> str:
    """Return a text as HTML, with what is in backquotes as code."""
    return _CODE.sub(r"<code>\1</code>", html.escape(text))


_CODE = re.compile(r"`([^`\n]+)`")


def _panel(place: str, panel: Panel, data: list[dict[str, Any]]) -> str:
    title, text = html.escape(panel.title), _as_html(panel.text)
    if isinstance(panel, Note):
        items = "".join(f"<li>{_as_html(item)}</li>" for item in panel.items)
        kind, word = ("note warning", "<strong>Warning.</strong> ") if panel.warning else ("note", "")
        inner = f"<p>{word}{text}</p>" + (f"<ul>{items}</ul>" if items else "")
        return f'<h3>{title}</h3>\n<div class="{kind}">{inner}</div>'
    data.append(_data(place, panel))
    inner = f'<p class="text">{text}</p><div id="{place}"></div>'
    if isinstance(panel, Chart):
        inner = f'<figure><figcaption class="text">{text}</figcaption><div id="{place}"></div></figure>'
    return f"<h3>{title}</h3>\n{inner}"


def _data(place: str, panel: Chart | Rows | Choice | UsesPanel) -> dict[str, Any]:
    columns = [_column(field, panel.rows.column(number)) for number, field in enumerate(panel.rows.schema)]
    common = {"id": place, "title": panel.title, "columns": columns}
    if isinstance(panel, Chart):
        drawn = {"text": _CODE.sub(r"\1", panel.text), "spec": dict(panel.spec), "key": panel.key}
        return {**common, "kind": "chart", **drawn}
    if isinstance(panel, Choice):
        asked = {"key": panel.key, "across": panel.across, "listed": panel.listed}
        return {**common, "kind": "choice", **asked}
    if isinstance(panel, UsesPanel):
        return {**common, "kind": "uses", "key": panel.key, "across": panel.across}
    return {**common, "kind": "rows"}


def _column(field: pa.Field, values: pa.ChunkedArray) -> dict[str, Any]:
    metadata = field.metadata or {}
    column: dict[str, Any] = {"name": field.name, "kind": _kind(field.type)}
    for key in ("doc", "unit"):
        if key.encode() in metadata:
            column[key] = _CODE.sub(r"\1", metadata[key.encode()].decode())
    plain = [_plain(value) for value in values.to_pylist()]
    distinct = list(dict.fromkeys(value for value in plain if value is not None))
    if column["kind"] == "text" and 2 * len(distinct) < len(plain):
        place = {value: number for number, value in enumerate(distinct)}
        return {**column, "distinct": distinct, "values": [None if value is None else place[value] for value in plain]}
    return {**column, "values": plain}


def _kind(type: pa.DataType) -> str:
    if pa.types.is_boolean(type):
        return "flag"
    if pa.types.is_integer(type):
        return "integer"
    return "float" if pa.types.is_floating(type) else "text"


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else str(value)
