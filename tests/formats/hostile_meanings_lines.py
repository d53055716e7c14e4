"""Lines and what ends them; what an encoding is called."""

from hostile_meaning import Meaning

WORD = "\t".join(["{}", "{}", *["_"] * 8])
CONLLU = f"# newdoc\r{WORD}\r{WORD}\r\r".format(1, "Ships", 2, "sail")
PAGE = '<html><head><meta charset="x-sjis"></head><body><p>日本</p></body></html>'

LINES: dict[str, list[Meaning]] = {
    "Line ends": [
        Meaning("CR LF", "a.txt", b"One here.\r\nTwo here.\r\n", "One here. | Two here.", {"format": "lines"}),
        Meaning("CR", "a.txt", b"One here.\rTwo here.\r", "One here. | Two here.", {"format": "lines"}),
        Meaning("a mixture", "a.txt", b"A b.\r\nC.\rD.\nE.", "A b. | C. | D. | E.", {"format": "lines"}),
        Meaning("U+2028", "a.txt", "A b.\u2028C.".encode(), "A b. | C.", {"format": "lines"}),
        Meaning("a table, CR", "a.csv", b'id,text\r1,A b.\r2,"C\rd."\r', "A b. | C⏎d."),
        Meaning("JSON lines, CR", "a.jsonl", b'{"text":"A b."}\r{"text":"C."}\r', "A b. | C."),
        Meaning("JSON lines, U+2028 in a text", "a.jsonl", '{"text":"A\u2028b."}\n'.encode(), "A⏎b."),
        Meaning("CoNLL-U, CR", "a.conllu", CONLLU.encode(), "Ships sail"),
        Meaning(
            "a table, rows ended by U+2028",
            "a.csv",
            "id,text\u20281,A\u2028".encode(),
            "missing_field: no column 'text' in the header; there are id, text 1, A; U+2028 ends no line here, "
            "LF, CR LF and CR do",
        ),
    ],
    "What an encoding is called": [
        Meaning("a label of pages, `x-sjis`", "a.html", PAGE.encode("cp932"), "日本", {"html": "all"}),
        Meaning("a label of pages, as option", "a.txt", "日本".encode("cp932"), "日本", {"encoding": "x-sjis"}),
    ],
}
