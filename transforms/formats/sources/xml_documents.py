"""XML parsed as no attacker wants it: nothing is fetched, and an entity stands for plain characters alone.

A stretch of text over 10 MB without an element, or elements over 256 deep, is `too_large`: libxml2 stops there.

A document may be a zip archive, whose members are decompressed within the limits of archives.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from functools import partial
from html.entities import name2codepoint
from types import MappingProxyType
from typing import BinaryIO, cast

from lxml import etree

from lexbeam.transforms.common.texts.encodings import python_name
from lexbeam.transforms.formats.records.base import BadRecord, ReaderOptions, Source
from lexbeam.transforms.formats.sources.streams import Guard, Guarded, read_all

DECLARED_IN_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)")
_HEAD = 1 << 10
_CODE = etree.ErrorTypes
# What is wrong, by libxml2's code: its messages quote the text.
_KINDS = {
    code: name.removeprefix("ERR_").replace("_", " ").lower()
    for name, code in vars(_CODE).items()
    if name.startswith("ERR_")
}


def local_name(element: etree._Element) -> str:
    """Return an element's name without its namespace."""
    tag = element.tag
    return tag[tag.find("}") + 1 :] if isinstance(tag, str) else ""


def parse_xml(
    data: bytes, entities: Mapping[str, str] = MappingProxyType({}), encoding: str | None = None
) -> etree._Element:
    """Return the root of a document of XML, its entities resolved.

    Args:
        entities: the characters that declared entities stand for; any other declaration is refused.
        encoding: of the document; None: as it declares.

    Raises:
        BadRecord: `malformed`, `undecodable`, `unsafe`, `too_large`.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding=encoding or _of_label(data),
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        reason = _reason(error)
        remedy = "; split it into smaller or flatter elements" if reason == "too_large" else ""
        raise BadRecord(reason, f"line {error.lineno}: {_KINDS.get(error.code, 'not XML')}{remedy}") from None
    except (LookupError, ValueError) as error:
        raise BadRecord("undecodable", str(error)) from None
    if root is None:
        raise BadRecord("malformed", "no element in it")
    subset = root.getroottree().docinfo.internalDTD
    if subset is None:  # then nothing could be declared, and lxml has refused what is not
        return root
    for entity in subset.iterentities():
        # What the look at the prologue did not come to, for its encoding or what stands before it.
        if not {entity.name, f"%{entity.name}"} & entities.keys():
            raise BadRecord("unsafe", f"declares the entity {entity.name!r}, which cannot be checked")
    for parent in dict.fromkeys(reference.getparent() for reference in root.iter(etree.Entity)):
        _resolve(parent, entities)
    for element in root.iter():
        for name, value in element.attrib.items():
            element.set(name, value)  # in which lxml has put the entities' characters
    return root


def _of_label(data: bytes) -> str | None:
    """Return the encoding that a document declares by a label that libxml2 may not know; None for any other."""
    declared = DECLARED_IN_XML.match(data[:_HEAD])
    label = declared[1].decode() if declared else ""
    name = python_name(label)
    return None if name == label else name


def _reason(error: etree.XMLSyntaxError) -> str:
    if error.code == _CODE.ERR_ENTITY_LOOP or "amplification" in str(error.msg):
        return "unsafe"
    if error.code == _CODE.ERR_RESOURCE_LIMIT:
        return "too_large"
    bad = (_CODE.ERR_INVALID_ENCODING, _CODE.ERR_UNKNOWN_ENCODING, _CODE.ERR_UNSUPPORTED_ENCODING)
    return "undecodable" if error.code in bad or "encoding" in str(error.msg) else "malformed"


def _resolve(parent: etree._Element, entities: Mapping[str, str]) -> None:
    text, before = [parent.text or ""], None
    for child in list(parent):
        if child.tag is not etree.Entity:
            _set_text(parent, before, text)
            text, before = [child.tail or ""], child
            continue
        value = entities.get(child.name)
        if value is None and child.name in name2codepoint:
            value = chr(name2codepoint[child.name])
        if value is None:
            raise BadRecord("malformed", "an entity that is not declared")
        text += [value, child.tail or ""]
        child.tail = None
        parent.remove(child)
    _set_text(parent, before, text)


def _set_text(parent: etree._Element, before: etree._Element | None, text: list[str]) -> None:
    if before is None:
        parent.text = "".join(text)
    else:
        before.tail = "".join(text)


class Package:
    """A document that is a zip archive."""

    def __init__(self, source: Source, options: ReaderOptions) -> None:
        """Read the archive, whole.

        Raises:
            BadRecord, zipfile.BadZipFile: it cannot be read, or is larger than a record may be.
        """
        data = read_all(source, options)
        self._archive = zipfile.ZipFile(io.BytesIO(data))
        self._guard = Guard(options, lambda: len(data))
        self._options = options

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    @property
    def names(self) -> list[str]:
        """The names of the members."""
        return self._archive.namelist()

    def read(self, name: str) -> bytes:
        """Return a member.

        Raises:
            BadRecord: there is none of this name, or it is encrypted, or expands too much.
        """
        if name not in self:
            raise BadRecord("malformed", f"its archive has no {name!r}")
        info = self._archive.getinfo(name)
        if info.flag_bits & 1:
            raise BadRecord("unreadable", "it is encrypted")
        return read_all(Source(name, partial(self._open, info), name), self._options)

    def _open(self, info: zipfile.ZipInfo) -> BinaryIO:
        return cast(BinaryIO, io.BufferedReader(Guarded(self._archive.open(info), self._guard)))
