"""What an editor of texts leaves alone: documents of protected and free pieces, of which only free words may change."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spanning import FEW, MANY

from lexbeam.transforms.formats.spans.spanned import TextEdit, spanned

WORD = re.compile(r"(?<![a-z])[zq][a-j]{3}(?![a-z])")

# Pieces with a word for each `@`; first what may stand in any text.
CODES = [
    *("{{ @ }} ", "{{@}} ", "{{ a {{b}} @ }} ", "{% @ %} ", "{%- if a -%} x {% @ %} ", "${@} ", "{# @ #} ", "<% @ %> "),
    *("{% raw %} @ {% endraw %} ", "{% highlight py %}\n@\n{% endhighlight %} ", "{{< math >}} @ {{< /math >}} "),
    *("%(@)s ", "{@} ", "#{@} ", "$@$ ", "$a_1 + @$ ", "$$@$$ ", "$$x\n@$$ ", ":@: ", ":wave::@: ", r"\\(@\\) "),
    *("[[@]] ", "[[@|x]] ", '[gallery a="@"] ', "[/@] ", r"\@ ", r"\cite[a]{@} "),
]
FREE = ["@ ", "$5 @ $6 ", "10:30 @ ", "[@] ", "(@) ", "$5 @ US$ ", "a: @: b ", "50% @ % ", "US$ @ ", "[[x|@]] "]
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0" xmlns:i="http://www.w3.org/2005/11/its"><text xml:lang="en"><body><p>x '
NAMES = ("code", "kbd", "samp", "var", "tt", "pre", "textarea", "xmp")
TEI_NAMES = ("code", "gi", "ident", "att", "tag", "val", "eg", "formula", "foreign")
MARKDOWN = (
    [
        *CODES,
        *("`@` ", "<kbd>@</kbd> ", "<b translate=no>*@*</b> ", "\n\n<div class=notranslate>\n\n@\n\n</div>\n\n"),
        *("\n\n::: @\n\n", "\n\n:::@\n\n", "\n\n::: {.@}\n\n", "\n\n:::{@}\n:class: @\n\n", "\n\n!!! @\n\n"),
        *("\n\n> [!@]\n\n", "\n\n# x {#@ .@}\n\n", "[x]{.@} ", "[x](http://@ '@') ", "![@](@) ", "<http://@.org> "),
        *("[^@] ", "\n\n[@]: http://@ '@'\n\n", "\n\n```@\n@\n```\n\n", "\n\nx\n\n    @\n\n", r"\(@\) "),
        *("{{< x a='b\n\n@' >}} ", "\n\n{{< @ >}}\n\n", "<a title='@'>x</a> ", "\n\n$$\n@\n+ @\n$$\n\n"),
        *(
            "\n\n??? @ 'x'\n\n",
            "<i lang=la>@</i> ",
            "\n\n---\na: @\n  - @\n---\n\n",
            "\n\nimport @ from './@'\n\n",
            "x <!-- @ --> ",
            "::@{#x} ",
            ":@[x] ",
            "%%@ x% @%% ",
            "x <?php @ ?> ",
            "\n\n--8<-- '@'\n\n",
        ),
    ],
    [
        *(word.replace("[@]", "[@, x]") for word in FREE),
        *("*@* ", "\n\n# @\n\n", "[@](http://x) ", "\n\n- @\n\n", "\n\n::: x\n@\n:::\n\n", "\n\n> [!x] @\n\n"),
        *("<b>@</b> ", "<code>x</code> @ ", "[^x] @ ", "\n\n:::{x} @\n\n", "<i lang=la>x <b lang=en>@</b></i> "),
    ],
    "\n",
)
# By format: the begin of a document, protected pieces, free ones, the end.
FORMATS = {
    "a.txt": (
        "",
        [*CODES, "\\begin{align}\n@\n\\end{align} ", r"\label{@} ", "{{< a\n\n@ >}} ", r"\(@\) ", r"\[@\] "],
        [*FREE, "@\n\n", "\r\n@\r\n"],
        "",
    ),
    "a.html": (
        "<html lang=en><body><p>x ",
        [
            *(code for code in CODES if "{{<" not in code),
            *(f"<{name}>@</{name}> " for name in NAMES),
            *("<p translate=no>@</p>", "<p translate='NO'>a <b>@</b></p>", "<b class='x notranslate'>@</b> "),
            *("<i lang=la>@</i> ", "<i lang='fr-CA'><b>@</b></i> ", "<code translate=yes>@</code> "),
            *("<span class='math inline'>@</span> ", "<math><mi>@</mi><mtext>@</mtext></math> "),
            *("<script>a;<!-- <script> b </script> @ --></script>", "<script type=math/tex>@</script>", "<!-- @ -->"),
            *("<style>@</style>", "<a title=@ href='#@'>x</a> ", "<!--@--!>", "<svg><title>@</title></svg>"),
            *("<template>@</template>", "<iframe>@</iframe>", "<noscript>@</noscript>", "<b title='>@'>x</b> "),
            "<p><?php if (a > b) { @ } ?></p>",
        ],
        [
            *FREE,
            *("<p>@</p>", "<p translate=no>x<p>@ ", "<div translate=no>x <b translate=yes>@</b></div>", "<!-->@ "),
            *("<!--->@ ", "<i lang=en-GB>@</i> ", "<i lang=la>x <b lang=eng>@</b></i> ", "<script></script>@ "),
            *("<a b=c>@</a> ", "<code></code>@ ", "<b class=translate>@</b> "),
        ],
        "",
    ),
    "a.xml": (
        TEI,
        [
            *(code for code in CODES if "<" not in code),
            *(f"<{name}>@</{name}> " for name in TEI_NAMES),
            *('<q xml:lang="la">@</q> ', '<q xml:lang="fr">a <hi>@</hi></q> ', "<eg><![CDATA[@]]></eg> "),
            *('<egXML xmlns="http://www.tei-c.org/ns/Examples"><p>@</p></egXML> ', '<hi i:translate="no">@</hi> '),
            *('<w lemma="@">@</w> ', '<w norm="@" pos="NOUN">@</w> ', '<hi rend="@">x</hi> ', "<?x @?> "),
            "<!-- @ --> ",
            *("<code>a<!-- x -->@</code> ", '<m baseForm="@">@</m> ', '<w hw="x">@</w> ', '<seg lemma="x">a @</seg> '),
        ],
        [
            *FREE,
            *("<hi>@</hi> ", "<w>@</w> ", '<w pos="NOUN">@</w> ', '<q xml:lang="en-US">@</q> ', "</p><p>@ "),
            *('<q xml:lang="la">x <hi xml:lang="eng">@</hi></q> ', "<term>@</term> ", "<code/>@ "),
        ],
        "</p></body></text></TEI>",
    ),
    "front.txt": ("---\ntitle: zaaa\n\nx: [zaaa]\n---\n", ["{{ @ }}\n"], ["@\n", "---\n@\n---\n"], ""),
    "front.html": ("---\ntitle: zaaa\n---\n<p>x ", ["{{ @ }}\n"], ["@\n", "<p>@\n"], ""),
    "a.xhtml": (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script a="x"/></head><p>x ',
        ["<script>@</script>", "<code>@</code> ", '<i xml:lang="la">@</i> ', "<style/><!-- @ -->"],
        ["@ ", "<script src='x'/>@ ", "<textarea/>@ ", "<title/>@ ", "</p><p>@ "],
        "</p></html>",
    ),
    "a.md": ("x\n\n", *MARKDOWN),
    "yaml.md": ('---\ntitle: "zaaa"\n---\nx\n\n', *MARKDOWN),
    "toml.md": ("+++\r\ntitle = 'zaaa'\r\n\r\n[params]\r\n+++\r\nx\r\n\r\n", *MARKDOWN),
    "json.md": ('{\n "title": "zaaa"\n}\nx\n\n', *MARKDOWN),
}


LINE_ENDS = st.sampled_from(["\n", "\r\n"])


def words(letter):
    """Yield words that begin with a letter, no two alike."""
    for number in itertools.count(1):
        yield letter + f"{number:03}".translate(str.maketrans("0123456789", "abcdefghij"))


def document(name, pieces):
    """Return a document of pieces: protected words begin with `z`, free ones with `q`."""
    begin, _, _, end = FORMATS[name]
    names = {False: words("q"), True: words("z")}
    parts = [begin]
    for held, piece in pieces:
        first, *rest = piece.split("@")
        parts += [first, *(next(names[held]) + part for part in rest)]
    return "".join([*parts, end])


def check(name, pieces, line_end="\n"):
    data = re.sub("\r?\n", line_end, document(name, pieces))
    source = spanned(data.encode(), name, language="en")
    places = [(number, found) for number, block in enumerate(source.blocks) for found in WORD.finditer(block.text)]
    edits = {found[0]: TextEdit(number, *found.span(), "neu") for number, found in places}
    free = {word for word in WORD.findall(data) if word.startswith("q")}
    assert {word for word in edits if word.startswith("q")} == free, data
    allowed = {word for word, edit in edits.items() if source.refusal(edit) is None}
    assert allowed == free, (data, allowed ^ free)
    expected = re.sub("|".join(sorted(free)), "neu", data) if free else data
    assert source.replaced([edits[word] for word in free]) == expected.encode()


def pieces_of(name):
    _, held, free, _ = FORMATS[name]
    either = [st.tuples(st.just(is_held), st.sampled_from(some)) for is_held, some in ((True, held), (False, free))]
    return st.lists(st.one_of(either), min_size=1, max_size=8)


@pytest.mark.parametrize("name", FORMATS)
def test_each_piece_by_itself(name):
    _, held, free, _ = FORMATS[name]
    for piece in held:
        check(name, [(False, "@ "), (True, piece), (False, "@ ")])
    for piece in free:
        check(name, [(False, "@ "), (False, piece), (False, "@ ")])


@pytest.mark.parametrize("name", FORMATS)
def test_of_any_document_only_free_words_change(name):
    @settings(FEW, max_examples=40)
    @given(pieces_of(name), LINE_ENDS)
    def some(pieces, line_end):
        check(name, pieces, line_end)

    some()


@pytest.mark.soak
@pytest.mark.parametrize("name", FORMATS)
def test_of_any_document_only_free_words_change_in_2000(name):
    @MANY
    @given(pieces_of(name), LINE_ENDS)
    def many(pieces, line_end):
        check(name, pieces, line_end)

    many()
