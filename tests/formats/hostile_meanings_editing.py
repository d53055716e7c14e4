"""What an editor of texts leaves alone: each *arduous* that it may replace has become *hard*."""

from hostile_meaning import Meaning, edited

_TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text xml:lang="en"><body><p>{}</p></body></text></TEI>'


def _row(fed: str, name: str, source: str) -> Meaning:
    """Return a source in which `*arduous*` may become *hard*, and nothing else."""
    source = source.replace("\\n", "\n")
    given, made = source.replace("*arduous*", "arduous"), source.replace("*arduous*", "hard")
    return Meaning(fed, name, given.encode(), made.replace("\n", "⏎"), {}, edited)


EDITING: dict[str, list[Meaning]] = {
    "Texts that are edited: *hard* stands where *arduous* may be replaced": [
        _row(
            "a script with a script in it", "a.html", "<script>a<!-- <script> </script> arduous --></script>*arduous*"
        ),
        _row(
            "what is not to be translated",
            "a.html",
            "<p translate=no>arduous <b translate=yes>*arduous*</b><p>*arduous*",
        ),
        _row("a class that says so", "a.html", "<p class=notranslate>arduous</p>*arduous*"),
        _row("another language", "a.html", "<html lang=en><p>*arduous* <i lang=la>arduous</i>"),
        _row("a formula", "a.html", r"*arduous* <math><mi>arduous</mi></math> \(arduous\) $arduous$"),
        _row("templates", "a.html", "{{ arduous }} {% arduous %} ${arduous} <% arduous %> *arduous*"),
        _row("prices", "a.txt", "From $5 *arduous* to $6."),
        _row("TOML front matter", "a.md", '+++\ntitle = "arduous"\n+++\n\n*arduous*'),
        _row("JSON front matter", "a.md", '{"title": "arduous"}\n\n*arduous*'),
        _row("shortcodes", "a.md", "{{< arduous >}} {{% arduous\n\narduous %}} *arduous*"),
        _row("names of emoji and pages", "a.md", ":arduous: [[arduous|*arduous*]] *arduous*"),
        _row("names of blocks", "a.md", "::: arduous\n*arduous*\n:::\n\n!!! arduous\n\n> [!arduous] *arduous*"),
        _row(
            "attributes and names of notes",
            "a.md",
            "# *arduous* {#arduous .arduous}\n\n[*arduous*, x]{.arduous}[^arduous]",
        ),
        _row("formulas of several lines", "a.md", "$$\narduous\n+ arduous\n$$\n\n*arduous*"),
        _row("HTML in Markdown", "a.md", "<kbd>arduous</kbd> *arduous*"),
        _row("code and names of elements", "a.xml", _TEI.format("<code>arduous</code> <gi>arduous</gi> *arduous*")),
        _row(
            "foreign words", "a.xml", _TEI.format('<foreign>arduous</foreign> <q xml:lang="la">arduous</q> *arduous*')
        ),
        _row(
            "a word whose attributes would no longer hold",
            "a.xml",
            _TEI.format('<w lemma="arduous">arduous</w> <w>*arduous*</w>'),
        ),
    ]
}
