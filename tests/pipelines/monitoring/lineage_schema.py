"""A JSON Schema of OpenLineage's events, from the classes of its client, which are generated from the standard's own.

No package holds that schema itself. Of a facet the schema is that of the class that its `_schemaURL` names.
"""

import functools
import importlib
import pkgutil
import typing
from typing import Any

import attr
import jsonschema
from openlineage.client import event_v2, generated
from openlineage.client.generated.base import BaseFacet

PLAIN = {str: "string", int: "integer", bool: "boolean", float: "number"}
FORMATS = {"eventTime": "date-time", "runId": "uuid", "producer": "uri", "schemaURL": "uri"}


def check_lineage(event: dict[str, Any]) -> dict[str, Any]:
    """Check an event of a run, and each facet in it; return the event."""
    checker = jsonschema.FormatChecker()
    jsonschema.Draft202012Validator(_schema(event_v2.RunEvent), format_checker=checker).validate(event)
    for facet in _facets(event):
        kind = _kinds()[facet["_schemaURL"]]
        jsonschema.Draft202012Validator(_schema(kind), format_checker=checker).validate(facet)
    return event


@functools.cache
def _schema(kind: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    top = _of(kind, found, top=True)
    return {**top, "$defs": found}


def _of(kind: Any, found: dict[str, Any], *, top: bool = False) -> dict[str, Any]:
    inner = typing.get_args(kind)
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if typing.get_origin(kind) is list:
        return {"type": "array", "items": _of(inner[0], found)}
    if typing.get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": _of(inner[1], found)}
    if inner:
        return {"anyOf": [_of(one, found) for one in inner if one is not type(None)]}
    if not attr.has(kind):
        return {"enum": [one.value for one in kind]}
    if issubclass(kind, BaseFacet) and not top:  # one of any kind, which is looked at by itself
        return {"type": "object", "required": ["_producer", "_schemaURL"]}
    name = f"{kind.__module__}.{kind.__name__}"
    if name not in found:
        found[name] = {}  # it may hold its like
        hints = typing.get_type_hints(kind)
        fields = attr.fields(kind)
        properties = {field.name: _of(hints[field.name], found) for field in fields}
        for formatted in properties.keys() & FORMATS.keys():
            properties[formatted]["format"] = FORMATS[formatted]
        found[name] = {
            "type": "object",
            "properties": properties,
            # What the client fills in is required by the standard, too.
            "required": [f.name for f in fields if f.default is attr.NOTHING or f.name.strip("_") in FORMATS],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


@functools.cache
def _kinds() -> dict[str, type]:
    """Return the classes of the client by the schemas that they are of."""
    prefix = f"{generated.__name__}."
    modules = [importlib.import_module(each.name) for each in pkgutil.iter_modules(generated.__path__, prefix)]
    kinds = [kind for module in modules for kind in vars(module).values() if hasattr(kind, "_get_schema")]
    return {kind._get_schema(): kind for kind in kinds}


def _facets(value: Any) -> typing.Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for inner in value:
            yield from _facets(inner)
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from inner.values() if name in ("facets", "inputFacets", "outputFacets") else ()
            yield from _facets(inner)
