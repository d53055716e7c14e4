"""Hostile files that are no archives: texts, what is no text, XML, JSON, tables, annotation."""

from collections.abc import Callable

import hostile_making as make
from hostile_feeding import Case
from hostile_making import LONG, damaged, tar, tei, zipped
from packages_making import docx, epub, odt, p, page

LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
HEADER = "<!DOCTYPE TEI [%s]>"
SECRET = "/etc/passwd"
GRAVE, BELOW = "\u0300".encode(), "\u0316".encode()
LAST = b'{"text": "three"}\n'
DEBATES = (
    b'{"speeches": [{"text": "one"}, {"by": "two"}, 3]}\n{"speeches": []}\n'
    b'{"date": "1850"}\n{"speeches": {"text": "one"}}\n'
)
FIRST = b'{"text": "one"}\n'
WORD = "{}\t{}\t{}" + "\t_" * 7 + "\n"
SENTENCE = WORD.format(1, "Dogs", "dog") + WORD.format(2, "bark", "bark") + "\n"
LARGE = b"x" * 1000


def _jsonl(middle: bytes) -> bytes:
    return FIRST + middle + b"\n" + LAST


LONG_LINE = "a line of 100 MB between two others"


def _long(before: bytes, after: bytes) -> Callable[[], bytes]:
    return lambda: before + b"x" * LONG + after


PAGE = b"<!DOCTYPE html><html lang=en><head><title>T</title></head><body><p>Text.</p></body></html>"
PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
ELF = b"\x7fELF\x02\x01\x01\x00\x00"
XLSX = [("xl/workbook.xml", b"<workbook/>"), ("[Content_Types].xml", b"<Types/>")]
EVIL = {"word/document.xml": "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"}
BOMB = f"<w:t>{'x' * 100_000}</w:t>" * 300
EBOOK = epub({"1.xhtml": page("<p>Text.</p>")})
EPUB = [("mimetype", b"application/epub+zip"), ("a.xhtml", PAGE)]


def _deep(depth: int) -> bytes:
    return b"<html><body>" + b"<div>" * depth + b"Text."


TEXTS: dict[str, list[Case]] = {
    "Text and encodings": [
        Case("no bytes", "a.txt", b"", "empty"),
        Case("white space only", "a.txt", b" \r\n\t\n\xc2\xa0\n", "empty"),
        Case("a byte order mark, CRLF", "a.txt", b"\xef\xbb\xbfOne.\r\n\r\nTwo.\r\n", "document"),
        Case("one Latin-1 byte", "a.txt", b"A caf\xe9.", "undecodable"),
        Case("Latin-1, declared", "a.txt", b"A caf\xe9.", "document", {"encoding": "latin-1"}),
        Case("UTF-16 with its byte order mark", "a.txt", "A café.".encode("utf-16"), "document"),
        Case("UTF-16 without", "a.txt", "A café.".encode("utf-16-le"), "undecodable"),
        Case("UTF-32 with its byte order mark", "a.txt", "A café.".encode("utf-32"), "document"),
        Case("UTF-32 with the mark, cut within a character", "a.txt", "A café.".encode("utf-32")[:-1], "undecodable"),
        Case("UTF-16, declared", "a.txt", "A café.".encode("utf-16"), "document", {"encoding": "utf-16"}),
        Case(
            "UTF-16 cut within a character",
            "a.txt",
            "A café.".encode("utf-16")[:-1],
            "undecodable",
            {"encoding": "utf-16"},
        ),
        Case(
            "JSON lines in UTF-16",
            "a.jsonl",
            (FIRST + LAST).decode().encode("utf-16"),
            "1: document; 2: document",
            {"encoding": "utf-16"},
        ),
        Case(
            "JSON lines in UTF-16 with its byte order mark",
            "a.jsonl",
            (FIRST + LAST).decode().encode("utf-16"),
            "1: document; 2: document",
        ),
        Case(
            "a UTF-8 line, a Windows one and one that is neither",
            "a.txt",
            b"caf\xc3\xa9\ncaf\xe9\n\xe9\x81\n",
            "3: undecodable; document",
            {"format": "lines", "encoding": "utf-8,cp1252"},
        ),
        Case(
            "a Windows text with two encodings to try",
            "a.txt",
            b"It\x92s a caf\xe9.",
            "document",
            {"encoding": "utf-8,cp1252"},
        ),
        Case("a text that is in neither", "a.txt", b"caf\xe9 \x81", "undecodable", {"encoding": "utf-8,cp1252"}),
        Case("half a surrogate pair, written as UTF-8", "a.txt", b"a\xed\xa0\x80b", "undecodable"),
        Case("a NUL byte", "a.txt", b"One\x00 two.", "control"),
        Case("a NUL byte, to be dropped", "a.txt", b"One\x00 two.", "document", {"control": "drop"}),
        Case("control characters that do no harm", "a.txt", b"One\x07 two.\x1a", "document"),
        Case("31 combining marks on a letter", "a.txt", b"a" + GRAVE * 31, "too_many_marks"),
        Case("30 combining marks on a letter, 30 on the next", "a.txt", (b"a" + GRAVE * 30) * 2, "document"),
        Case("31, to be broken", "a.txt", b"a" + GRAVE * 31, "document", {"marks": "break"}),
        Case(
            "Chinese for an English engine", "a.txt", "我们昨天去了北京。".encode(), "script", {"engine": "builtin:en"}
        ),
        Case("a text without spaces", "a.txt", b"a" * 1000, "unsegmented", {"engine": "builtin:en"}),
        Case("10 MB of marks, of two kinds in turn", "a.txt", lambda: (GRAVE + BELOW) * 2_500_000, "too_many_marks"),
        Case("the same, to be broken", "a.txt", lambda: (GRAVE + BELOW) * 2_500_000, "document", {"marks": "break"}),
        Case("one line of 100 MB, with no engine (with one it is `unsegmented`)", "a.txt", _long(b"", b""), "document"),
        Case("a text over the limit", "a.txt", LARGE, "too_large", {"max_record_bytes": 999}),
    ],
    "What is no text": [
        Case("a page", "a.txt", PAGE, "html"),
        Case("a page, named as TEI", "a.xml", b"<html><body><p>Text.</p></body></html>", "html"),
        Case("a page, as plain text", "a.txt", PAGE, "html", {"format": "text"}),
        Case("a page in UTF-16", "a.html", PAGE.decode().encode("utf-16"), "html"),
        Case("a page, where pages are read", "a.html", PAGE, "document", {"html": "main"}),
        Case(
            "a page without text", "a.html", b"<html><body><script>x</script></body></html>", "empty", {"html": "all"}
        ),
        Case("a page, its elements 1,000 deep", "a.html", _deep(1000), "too_large", {"html": "main"}),
        Case("the same, where all is read", "a.html", _deep(1000), "document", {"html": "all"}),
        Case("a page, its elements 100,000 deep", "a.html", _deep(100_000), "too_large", {"html": "all"}),
        Case(
            "a page, a tag of 100,000 attributes (quadratic)",
            "a.html",
            b"<html><p" + b" a" * 100_000 + b">Text.</p>",
            "too_large",
            {"html": "all"},
        ),
        Case(
            "a page, entities of entities",
            "a.html",
            b"<!DOCTYPE html [<!ENTITY a 'haha'><!ENTITY b '&a;&a;'>]><p>Text.&b;</p>",
            "document",
            {"html": "all"},
        ),
        Case("Markdown of nothing but code and pictures", "a.md", b"![a](b)\n\n    code\n", "empty"),
        Case("Markdown with 100,000 brackets that open", "a.md", 100_000 * b"[" + b"Text.", "document"),
        Case("Markdown, its quotes 20,000 deep", "a.md", 20_000 * b"> " + b"Text.", "document"),
        Case("a text about tags", "a.txt", b"<html> is a tag.", "document"),
        Case("a PDF", "a.pdf", PDF, "pdf"),
        Case("a PDF, as lines", "a.txt", PDF, "pdf", {"format": "lines"}),
        Case("a picture", "a.txt", PNG, "image"),
        Case("a drawing", "a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><text>A</text></svg>', "image"),
        Case("a Word document", "a.docx", docx(p("<w:t>Text.</w:t>")), "document"),
        Case("a Word document, as text", "a.docx", docx(p("<w:t>Text.</w:t>")), "office", {"format": "text"}),
        Case("a Word document, cut short", "a.docx", docx(p("<w:t>Text.</w:t>"))[:-30], "malformed"),
        Case("a Word document with an external entity", "a.docx", docx("", **EVIL), "unsafe"),
        Case("a Word document that expands a thousand times", "a.docx", docx(p(BOMB)), "unsafe"),
        Case("a sheet of Excel", "a.xlsx", zipped(*XLSX), "office"),
        Case("a Word document of before 2007", "a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "office"),
        Case("a document in RTF", "a.txt", b"{\\rtf1\\ansi Text.}", "office"),
        Case("an OpenDocument text", "a.odt", odt("<text:p>Text.</text:p>"), "document"),
        Case("an e-book", "a.epub", epub({"1.xhtml": page("<p>Text.</p>")}), "document"),
        Case("an e-book without its chapters", "a.epub", epub({}, '<itemref idref="1"/>'), "empty"),
        Case("an e-book without its package", "a.epub", zipped(*EPUB), "malformed"),
        Case("a program, with no suffix", "a", ELF, "executable"),
        Case("sound", "a.mp3", b"ID3\x03\x00\x00\x00\x00", "binary"),
        Case("bytes of nothing known, with no suffix", "a", b"\x00\x01\x02", "binary"),
        Case(
            "these, in a tar archive",
            "a.tar",
            tar(("a", PAGE), ("b", PDF), ("c", PNG), ("d", zipped(*XLSX)), ("e", b"Text."), ("f", EBOOK)),
            "a: html; b: pdf; c: image; d: office; e: document; f: document",
        ),
        Case(
            "these, in a zip archive",
            "a.zip",
            zipped(("a", PAGE), ("b", PDF), ("c", PNG), ("d", zipped(*XLSX)), ("e", b"Text."), ("f", EBOOK)),
            "a: html; b: pdf; c: image; d: office; e: document; f: document",
        ),
    ],
    "XML": [
        Case("cut short", "a.xml", tei()[:-20], "malformed"),
        Case(
            "a byte that is not of the declared encoding",
            "a.xml",
            tei("caf\xe9").decode().encode("latin-1"),
            "undecodable",
        ),
        Case(
            "an encoding that nobody knows",
            "a.xml",
            tei(prologue='<?xml version="1.0" encoding="utf-99"?>'),
            "undecodable",
        ),
        Case(
            "an external entity, a file",
            "a.xml",
            tei("&x;", HEADER % f'<!ENTITY x SYSTEM "file://{SECRET}">'),
            "unsafe",
        ),
        Case(
            "an external entity, an address",
            "a.xml",
            tei("&x;", HEADER % '<!ENTITY x SYSTEM "http://localhost/x">'),
            "unsafe",
        ),
        Case(
            "an external parameter entity",
            "a.xml",
            tei("", HEADER % f'<!ENTITY % x SYSTEM "file://{SECRET}"> %x;'),
            "unsafe",
        ),
        Case(
            "a parameter entity that declares another",
            "a.xml",
            tei("&y;", HEADER % "<!ENTITY % x \"<!ENTITY y 'z'>\"> %x;"),
            "unsafe",
        ),
        Case(
            "entities of entities (billion laughs)",
            "a.xml",
            tei("&a9;", HEADER % ('<!ENTITY a0 "ha">' + LAUGHS)),
            "unsafe",
        ),
        Case(
            "billion laughs in an attribute",
            "a.xml",
            tei('<hi rend="&a9;">x</hi>', HEADER % ('<!ENTITY a0 "ha">' + LAUGHS)),
            "unsafe",
        ),
        Case(
            "one long entity, 10,000 times (quadratic)",
            "a.xml",
            tei("&a;" * 10_000, HEADER % f'<!ENTITY a "{"a" * 10_000}">'),
            "unsafe",
        ),
        Case("an entity of plain characters", "a.xml", tei("&dash;", HEADER % '<!ENTITY dash "&#8212;">'), "document"),
        Case(
            "an external DTD: never fetched",
            "a.xml",
            tei(prologue='<!DOCTYPE TEI SYSTEM "http://localhost/tei.dtd">'),
            "document",
        ),
        Case(
            "an external DTD, and an entity that only it declares",
            "a.xml",
            tei("&x;", '<!DOCTYPE TEI SYSTEM "http://localhost/tei.dtd">'),
            "malformed",
        ),
        Case(
            "XInclude of a file: never fetched",
            "a.xml",
            tei(f'a <xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{SECRET}" parse="text"/> b'),
            "document",
        ),
        Case("elements 1,000 deep", "a.xml", tei("<hi>" * 1000 + "x" + "</hi>" * 1000), "too_large"),
        Case("a NUL byte", "a.xml", tei("a\x00b"), "control"),
        Case("a NUL byte, to be dropped", "a.xml", tei("a\x00b"), "document", {"control": "drop"}),
        Case(
            "a word of 31 combining marks, some of them behind a soft hyphen",
            "a.xml",
            tei("a" + "\u0300" * 20 + "\u00ad" + "\u0300" * 11),
            "too_many_marks",
        ),
        Case("not TEI", "a.xml", b"<article><p>Text.</p></article>", "malformed"),
        Case("no text in the body", "a.xml", tei(" "), "empty"),
        Case(
            "a `<teiCorpus>`, one `<TEI>` without text",
            "a.xml",
            b"<teiCorpus>" + tei() + tei("") + tei() + b"</teiCorpus>",
            "1: document; 2: empty; 3: document",
        ),
    ],
    "JSON": [
        Case("a broken line", "a.jsonl", _jsonl(b'{"text": "tw'), "1: document; 2: malformed; 3: document"),
        Case("a line that is not an object", "a.jsonl", _jsonl(b"[1, 2]"), "1: document; 2: malformed; 3: document"),
        Case(
            "a line with a Latin-1 byte",
            "a.jsonl",
            _jsonl(b'{"text": "caf\xe9"}'),
            "1: document; 2: undecodable; 3: document",
        ),
        Case(
            "half a surrogate pair", "a.jsonl", _jsonl(b'{"text": "a\\ud800b"}'), "1: document; 2: control; 3: document"
        ),
        Case("a NUL byte in a line", "a.jsonl", _jsonl(b'{"text": "a\x00b"}'), "1: document; 2: control; 3: document"),
        Case("a NUL, escaped", "a.jsonl", _jsonl(b'{"text": "a\\u0000b"}'), "1: document; 2: control; 3: document"),
        Case(
            "all three, to be dropped",
            "a.jsonl",
            b'{"text": "a\\ud800b"}\n{"text": "a\x00b"}\n{"text": "a\\u0000b"}\n',
            "1: document; 2: document; 3: document",
            {"control": "drop"},
        ),
        Case(
            "31 combining marks in a text; in a title they are broken",
            "a.jsonl",
            _jsonl(b'{"text": "a' + GRAVE * 31 + b'"}\n{"text": "a", "title": "a' + GRAVE * 31 + b'"}'),
            "1: document; 2: too_many_marks; 3: document; 4: document",
        ),
        Case(
            "100,000 arrays within each other",
            "a.jsonl",
            _jsonl(b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
            "1: document; 2: malformed; 3: document",
        ),
        Case(
            "a number of 5,000 digits",
            "a.jsonl",
            _jsonl(b'{"text": "a", "n": 1' + b"0" * 4999 + b"}"),
            "1: document; 2: malformed; 3: document",
        ),
        Case(
            "no text, a null text, an empty one",
            "a.jsonl",
            b'{"title": "a"}\n{"text": null}\n{"text": " "}\n',
            "1: missing_field; 2: missing_field; 3: empty",
        ),
        Case(LONG_LINE, "a.jsonl", _long(FIRST, b"\n" + LAST), "1: document; 2: too_large; 3: document"),
        Case("an array, an element of it a number", "a.json", b'[{"text": "one"}, 2]', "1: document; 2: malformed"),
        Case("an array, cut short", "a.json", b'[{"text": "one"}, {"te', "malformed"),
        Case("100,000 arrays within each other", "a.json", b"[" * 100_000, "malformed"),
        Case(
            "debates, the text of each in an array",
            "a.jsonl",
            DEBATES,
            "1: document; 2: empty; 3: missing_field; 4: missing_field",
            {"text_field": "speeches[].text"},
        ),
        Case(
            "debates, each element of an array a record",
            "a.jsonl",
            DEBATES,
            "1:1: document; 1:2: missing_field; 1:3: malformed; 2: empty; 3: missing_field; 4: malformed",
            {"records": "speeches[]"},
        ),
    ],
    "Tables": [
        Case(
            "rows with too few and too many columns",
            "a.csv",
            b"id,text,n\n1,one\n2,two,2\n3,three,3,4\n",
            "2: malformed; 3: document; 4: malformed",
        ),
        Case(
            "a quote that is never closed",
            "a.csv",
            b'id,text\n1,"one\n2,two\n3,"three"\n',
            "2: malformed; 3: document; 4: document",
        ),
        Case(
            "the same, where quotes mean nothing",
            "a.csv",
            b'id,text\n1,"one\n2,two\n',
            "2: document; 3: document",
            {"quoting": False},
        ),
        Case("characters after a closing quote", "a.csv", b'id,text\n1,"one"s\n2,two\n', "2: malformed; 3: document"),
        Case(
            "two columns separated by tabs, a quote closed two rows below",
            "a.tsv",
            b'text\tn\n"one\t1\ntwo\t2\nthree."\t3\n',
            "2: malformed; 3: document; 4: document",
        ),
        Case(
            "the same, by commas",
            "a.csv",
            b'text,n\n"one,1\ntwo, too,2\nthree.",3\n',
            "2: malformed; 3: malformed; 4: document",
        ),
        Case(
            "the same, of one column", "a.tsv", b'text\n"one\ntwo\nthree."\n', "2: malformed; 3: document; 4: document"
        ),
        Case(
            "cells of several lines, as RFC 4180 has them",
            "a.csv",
            b'text,n\n"one, 1\n2, three.",3\n"one\n\ntwo",2\n',
            "2: document; 4: document",
        ),
        Case("a Latin-1 byte in a row", "a.csv", b"id,text\n1,caf\xe9\n2,two\n", "2: undecodable; 3: document"),
        Case("a NUL byte in a cell", "a.csv", b"id,text\n1,a\x00b\n2,two\n", "2: control; 3: document"),
        Case("an empty cell", "a.csv", b"id,text\n1,\n2,two\n", "2: empty; 3: document"),
        Case("a header without the column", "a.csv", b"id,body\n1,one\n2,two\n", "missing_field"),
        Case("a header alone", "a.csv", b"id,text\n", "empty"),
        Case(LONG_LINE, "a.tsv", _long(b"text\none\n", b"\nthree\n"), "2: document; 3: too_large; 4: document"),
        Case(
            "a Latin-1 byte within quotes, cells of several lines after it",
            "a.csv",
            b'id,text\n1,"a\ncaf\xe9"\n2,"b\nc"\n3,"d\ne"\n',
            "2: malformed; 3: undecodable; 4: document; 6: document",
        ),
        Case(
            "a table in UTF-16, cut within a character, a quote open",
            "a.csv",
            'text,n\n"one,1\ntwo,2\nthree,3\n'.encode("utf-16")[:-1],
            "2: malformed; 3: document; undecodable",
        ),
        Case("Parquet, a page damaged", "a.parquet", damaged(make.parquet(text=["one", "two"]), 10), "malformed"),
        Case("Parquet, cut short", "a.parquet", make.parquet(text=["one", "two"])[:-10], "malformed"),
        Case("Parquet, a null text", "a.parquet", make.parquet(text=["one", None]), "1: document; 2: missing_field"),
        Case(
            "Parquet of 300 bytes, a value of 90 KB in 20,000 rows",
            "a.parquet",
            lambda: make.parquet(text=["x" * 90_000] * 20_000),
            "unsafe",
        ),
        Case("Parquet without rows", "a.parquet", make.parquet(text=[]), "empty"),
    ],
    "Annotated text": [
        Case(
            "CoNLL-U, a sentence with too few columns",
            "a.conllu",
            (SENTENCE + "1\tCats\n\n" + SENTENCE).encode(),
            "4: malformed; document",
        ),
        Case(
            "CoNLL-U, words out of order",
            "a.conllu",
            (SENTENCE + WORD.format(2, "Cats", "cat") + "\n").encode(),
            "4: malformed; document",
        ),
        Case(
            "CoNLL-U, a range without its words",
            "a.conllu",
            (WORD.format("1-2", "du", "_") + WORD.format(1, "de", "de") + "\n" + SENTENCE).encode(),
            "1: malformed; document",
        ),
        Case("CoNLL-U, a Latin-1 byte", "a.conllu", SENTENCE.encode() + b"1\tcaf\xe9\n\n", "4: undecodable; document"),
        Case("CoNLL-U, every sentence broken", "a.conllu", b"1\tCats\n\n2\tDogs\n", "1: malformed; 3: malformed"),
        Case("CoNLL-U, no sentence", "a.conllu", b"# newdoc id = a\n", "1: empty"),
        Case(
            "CoNLL-U, a `# newdoc` without a sentence between others",
            "a.conllu",
            f"# newdoc\n{SENTENCE}# newdoc\n\n# newdoc\n{SENTENCE}".encode(),
            "1: document; 5: empty; 7: document",
        ),
        Case(
            "CoNLL-U, a line of 100 MB",
            "a.conllu",
            _long(SENTENCE.encode(), b"\n\n" + SENTENCE.encode()),
            "4: too_large; document",
        ),
        Case(
            "lines, one with a Latin-1 byte",
            "a.txt",
            b"one\ncaf\xe9\nthree\n",
            "2: undecodable; document",
            {"format": "lines"},
        ),
        Case(
            "lines, one with a NUL byte", "a.txt", b"one\nt\x00wo\nthree\n", "2: control; document", {"format": "lines"}
        ),
        Case(
            "lines, one with 31 combining marks",
            "a.txt",
            b"one\ntwo" + GRAVE * 31 + b"\nthree\n",
            "2: too_many_marks; document",
            {"format": "lines"},
        ),
        Case(
            "CoNLL-U, a NUL byte in a word",
            "a.conllu",
            (SENTENCE + WORD.format(1, "C\x00ats", "cat") + "\n").encode(),
            "4: control; document",
        ),
        Case(
            "CoNLL-U, a word with 31 combining marks",
            "a.conllu",
            SENTENCE.encode() + WORD.format(1, "a" + "\u0300" * 31, "a").encode() + b"\n",
            "4: too_many_marks; document",
        ),
        Case(
            "lines, " + LONG_LINE, "a.txt", _long(b"one\n", b"\nthree\n"), "2: too_large; document", {"format": "lines"}
        ),
    ],
}
