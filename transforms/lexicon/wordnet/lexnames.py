"""The constants of WordNet's database: parts of speech, lexicographer classes, relations.

Sources: the manual pages lexnames(5WN), wninput(5WN) and wndb(5WN) of WordNet 3.0. Debian ships no
file `lexnames`, hence the names are here.
"""

# Parts of speech in the order in which they are tried and stored, and what their files end with.
PARTS = ("n", "v", "a", "r")
PART_FILES = ("noun", "verb", "adj", "adv")

# Types of synsets: those of parts of speech, and satellites, which lie in data.adj.
SYNSET_TYPES = (*PARTS, "s")

# Universal parts of speech that WordNet has; no other word class is in it.
UPOS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r", "s": "a"}

# What may follow an adjective: it is used only as a predicate (p), only before a noun (a), or only
# right after one (ip).
MARKERS = ("", "p", "a", "ip")

# Classes by their number.
LEXNAMES = (
    "adj.all",
    "adj.pert",
    "adv.all",
    "noun.Tops",
    "noun.act",
    "noun.animal",
    "noun.artifact",
    "noun.attribute",
    "noun.body",
    "noun.cognition",
    "noun.communication",
    "noun.event",
    "noun.feeling",
    "noun.food",
    "noun.group",
    "noun.location",
    "noun.motive",
    "noun.object",
    "noun.person",
    "noun.phenomenon",
    "noun.plant",
    "noun.possession",
    "noun.process",
    "noun.quantity",
    "noun.relation",
    "noun.shape",
    "noun.state",
    "noun.substance",
    "noun.time",
    "verb.body",
    "verb.change",
    "verb.cognition",
    "verb.communication",
    "verb.competition",
    "verb.consumption",
    "verb.contact",
    "verb.creation",
    "verb.emotion",
    "verb.motion",
    "verb.perception",
    "verb.possession",
    "verb.social",
    "verb.stative",
    "verb.weather",
    "adj.ppl",
)

# The number of a class's part of speech in the file `lexnames`.
LEXNAME_PARTS = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}

# Pointer symbols and their meanings. Compiled files hold their places in this table, so new ones are
# added at its end.
RELATIONS = {
    "!": "antonym",
    "@": "hypernym",
    "@i": "instance hypernym",
    "~": "hyponym",
    "~i": "instance hyponym",
    "#m": "member holonym",
    "#s": "substance holonym",
    "#p": "part holonym",
    "%m": "member meronym",
    "%s": "substance meronym",
    "%p": "part meronym",
    "=": "attribute",
    "+": "derivationally related form",
    ";c": "domain of this synset: topic",
    "-c": "member of this domain: topic",
    ";r": "domain of this synset: region",
    "-r": "member of this domain: region",
    ";u": "domain of this synset: usage",
    "-u": "member of this domain: usage",
    "*": "entailment",
    ">": "cause",
    "^": "also see",
    "$": "verb group",
    "&": "similar to",
    "<": "participle of verb",
    "\\": "pertainym (adjective), derived from adjective (adverb)",
}

ANTONYM = ("!",)
SIMILAR = ("&",)
HYPERNYMS = ("@", "@i")
HYPONYMS = ("~", "~i")
# Whose glosses adapted Lesk reads: hypernyms, hyponyms, holonyms, meronyms, similar, also see,
# derivationally related forms.
EXTENDED_GLOSS = (*HYPERNYMS, *HYPONYMS, "#m", "#s", "#p", "%m", "%s", "%p", "&", "^", "+")
