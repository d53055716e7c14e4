import pytest

from lexbeam.schemas.corpus_tables import UPOS
from lexbeam.transforms.annotation.engines.hanta import model_file
from lexbeam.transforms.annotation.engines.segmenters import TAG_MAPS, tag_map


def tag_inventory(language):
    """Every tag that the model can give to a word."""
    from HanTa.HanoverTagger import END, UNKNOWN, HanoverTagger

    model = HanoverTagger(model_file(language))
    numbers = {tag for following in model.LP_trans_word.values() for tag in following}
    numbers |= {tag for tags in model.cache.values() for tag, _ in tags}
    numbers |= {UNKNOWN, *model.LP_wtag}
    return {model.int2tag[number] for number in numbers - {END}}


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(TAG_MAPS))
def test_every_tag_that_the_model_can_give_is_mapped(language):
    tags = tag_inventory(language)
    assert len(tags) > 50
    assert {tag_map(language)(tag) for tag in tags} <= set(UPOS)


@pytest.mark.parametrize(
    ("language", "tag", "upos"),
    [
        ("en", "NN1", "NOUN"),
        ("en", "NP0", "PROPN"),
        ("en", "AJC", "ADJ"),
        ("en", "VVD", "VERB"),
        ("en", "VBZ", "AUX"),
        ("en", "VM0", "AUX"),
        ("en", "TO0", "PART"),
        ("en", "PRF", "ADP"),
        ("en", "CJT", "SCONJ"),
        ("en", "CRD", "NUM"),
        ("en", "ORD", "ADJ"),
        ("en", "PUQ", "PUNCT"),
        ("de", "ADJ(D)", "ADJ"),
        ("de", "VV(PP)", "VERB"),
        ("de", "VM(FIN)", "AUX"),
        ("de", "NE", "PROPN"),
        ("de", "NNI", "NOUN"),
        ("de", "PPOSAT", "DET"),
        ("de", "$.", "PUNCT"),
        ("nl", "N(soort,mv,basis)", "NOUN"),
        ("nl", "N(eigen,mv,basis)", "PROPN"),
        ("nl", "VG(onder)", "SCONJ"),
        ("nl", "VG(neven)", "CCONJ"),
        ("nl", "TW(rang,nom,mv-n)", "ADJ"),
        ("nl", "VNW(aanw,det,stan,prenom,met-e,rest)", "DET"),
        ("nl", "VNW(vb,adv-pron,obl,vol,3o,getal)", "ADV"),
        ("nl", "VNW(bez,det,stan,vol,1,ev,prenom,zonder,agr)", "PRON"),
        ("nl", "WW(pv,verl,ev)", "VERB"),
        ("nl", "SPEC(symb)", "SYM"),
    ],
)
def test_tags_have_the_universal_tag_of_the_treebanks(language, tag, upos):
    assert tag_map(language)(tag) == upos
