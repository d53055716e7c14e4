"""What other packages add to registries counts: their code where a registry is reached, options that they may use."""

from lexbeam.transforms.change.spaces.aligning import AlignOptions
from lexbeam.transforms.common.code.code_identity import code_identity, forget_sources
from lexbeam.transforms.common.store.identity import canonical
from lexbeam.transforms.lexicon.resource_cache import CompileResource

FORMAT = """
from lexbeam.transforms.lexicon.compiled.thesaurus_formats import ThesaurusFormat

def read(*arguments):
    return {value}

TOY = ThesaurusFormat(read, doc="toys")
"""
ALIGNMENT = """
from lexbeam.transforms.embeddings.alignment import Method

def fit(first, second, rcond):
    return None

TOY = Method(fit, doc="toys")
"""
ALIGNMENTS = "lexbeam.transforms.embeddings.alignment:ALIGNMENTS"


def compiled():
    forget_sources()
    return code_identity(CompileResource, chosen={"lexbeam.transforms.lexicon.resource_cache:KINDS": ["thesaurus"]})


def test_code_of_others_counts_where_their_registry_is_reached(outsider, tmp_path):
    before = compiled()
    outsider("lexbeam.thesaurus_formats", "toy = toy_format:TOY", toy_format=FORMAT.format(value=1))
    first = compiled()
    assert first.code != before.code
    assert "toy_format:read" in first.names
    (module,) = tmp_path.rglob("toy_format.py")
    module.write_text(FORMAT.format(value=2))
    assert compiled().code != first.code
    module.write_text(FORMAT.format(value=1))
    assert compiled().code == first.code


def test_an_option_of_some_entries_counts_where_one_of_others_is_chosen(outsider):
    outsider("lexbeam.alignments", "toy = toy_alignment:TOY", toy_alignment=ALIGNMENT)

    def form(rcond, name):
        return canonical(AlignOptions(rcond=rcond), chosen={ALIGNMENTS: [name]})

    assert form(0.1, "op") == form(0.2, "op")
    assert form(0.1, "cca") != form(0.2, "cca")
    assert form(0.1, "toy") != form(0.2, "toy")
