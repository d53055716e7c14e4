"""Candidates of instances: what generators give, in its form, with reasons, votes and ranks."""

from dataclasses import replace

import pytest
from generated import files_of, write_world
from instances_made import instance
from wordnet_making import Synset, write_wordnet

from lexbeam.schemas.simplification import generation_reasons
from lexbeam.transforms.common.errors import UsageError
from lexbeam.transforms.common.store.tables import Part
from lexbeam.transforms.simplification.generation.candidate_generation import (
    GenerateCandidates,
    GenerationTask,
    candidates_of,
)
from lexbeam.transforms.simplification.generation.generator import GenerationOptions, MaskedOptions, WordNetOptions
from lexbeam.transforms.simplification.generation.generators import generation_inputs
from lexbeam.transforms.simplification.records import INSTANCE_COLUMNS, Instance

ANTONYMS = [
    Synset("hot", "a", ["hot"], pointers=[("!", "cold", 1, 1)]),
    Synset("cold", "a", ["cold"], pointers=[("!", "hot", 1, 1)]),
]
DOGS = "Vio los [[perros]] de su vecino."


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    write_world(folder)
    return folder


def record(*fields, **other):
    row = instance(*fields, **other)
    return Instance(*(row[name] for name in INSTANCE_COLUMNS))


def generated_rows(world, instance, files=None, gold=None, **options):
    inputs = generation_inputs({"x": GenerationOptions(**options)}, files_of(world, **(files or {})))
    rows = candidates_of([instance], inputs, gold or {}).to_pylist()
    assert all(row["reason"] is None or row["reason"] in generation_reasons() for row in rows)
    return {row["form"]: row for row in rows}


def ranked(rows):
    with_rank = [row for row in rows.values() if row["rank"]]
    return [row["form"] for row in sorted(with_rank, key=lambda row: row["rank"])]


def lists(world):
    return {"wordlist": (f"frequency={world / 'freq.tsv'}:word=word,value=value",)}


def test_all_senses_of_all_thesauri(world):
    rows = generated_rows(world, record(DOGS, "perro", "NOUN"), lists(world))
    # can: both senses of the first thesaurus, and one of the second; the others by frequency.
    assert [rows[form]["lemma"] for form in ranked(rows)] == ["can", "amigo", "chucho", "sabueso"]
    # The dictionary has it as a verb alone.
    assert (rows["comprar"]["lemma"], rows["comprar"]["reason"]) == ("comprar", "no_form")
    assert (rows["canes"]["votes"], rows["canes"]["thesaurus_score"]) == (3, 3.0)
    assert (rows["canes"]["lemma"], rows["canes"]["inflected"]) == ("can", "dictionary")
    assert (rows["canes"]["feats"], rows["canes"]["sense_id"]) == ("Number=Plur", "perro#1")
    assert rows["amigos"]["sense_id"] == "perro#2"
    assert rows["canes"]["score"] == 1.0
    assert rows["amigos"]["score"] == 0.5
    assert rows["hound"]["reason"] == "placeholder"
    assert rows["4"]["reason"] == "not_a_word"
    assert rows["perros"]["reason"] == "is_target"
    assert rows["chuchos"]["inflected"] == "rules"
    assert all(row["generators"] == 1 and row["vectors_score"] is None for row in rows.values())


def test_without_an_inflector_lemmas_stand_as_they_are(world, caplog):
    rows = generated_rows(world, record(DOGS, "perro", "NOUN"), {"inflector": None})
    assert "in no form of the target" in caplog.text
    assert {"can", "sabueso", "amigo"} <= set(ranked(rows))
    assert rows["can"]["inflected"] is None
    assert rows["can"]["lemma"] == "can"
    # Its lemma is what the target is another form of, and no longer the target.
    assert rows["perro"]["reason"] is None


def test_the_form_dictionary_has_what_the_tagger_has_not(world):
    # A participle, tagged as an adjective that the tagger has no sound lemma of.
    rows = generated_rows(world, record("Está [[cansada]] hoy.", "cansadar", "ADJ"))
    assert set(ranked(rows)) == {"harta", "agotada", "molestada"}
    assert rows["harta"]["lemma"] == "harto"
    assert rows["agotada"]["lemma"] == "agotar"
    assert rows["cansada"]["reason"] == "is_target"


def test_senses_of_the_targets_part_of_speech(world):
    any_pos = generated_rows(world, record(DOGS, "perro", "NOUN"))
    target_pos = generated_rows(world, record(DOGS, "perro", "NOUN"), sense_pos="target")
    assert {row["lemma"] for row in any_pos.values()} - {row["lemma"] for row in target_pos.values()} == {"comprar"}
    verb = generated_rows(world, record("La [[cansó]].", "cansar", "VERB"), sense_pos="target")
    assert set(ranked(verb)) == {"agotó", "molestó", "se agotó"}


def test_one_sense(world):
    instance = record(DOGS, "perro", "NOUN")
    assert set(ranked(generated_rows(world, instance, senses="first"))) == {"canes", "sabuesos", "chuchos"}
    # `amigo` lies with `hola`, and not with what else is said of dogs.
    greeting = record("Hola, hola, [[perros]]!", "perro", "NOUN")
    vectors = {"vectors": f"vectors_=vectors:{world / 'es.vec'}"}
    best = generated_rows(world, greeting, vectors, senses="best")
    assert set(ranked(best)) == {"canes", "amigos"}
    assert generated_rows(world, greeting, vectors)["canes"]["sense_id"] == "perro#2"
    drawn = {frozenset(ranked(generated_rows(world, instance, senses="random", seed=seed))) for seed in range(12)}
    assert 1 < len(drawn) <= 4
    assert generated_rows(world, instance, senses="random") == generated_rows(world, instance, senses="random")


def test_senses_weighed_by_cosine(world):
    vectors = {"vectors": f"vectors_=vectors:{world / 'es.vec'}"}
    instance = record("Hola, [[perros]]!", "perro", "NOUN")
    rows = generated_rows(world, instance, vectors, sense_votes="cosine")
    # Words of perro#2: can (1, .1), amigo (0, 1), perro (1, 0); with hola (0, 1).
    mean = [2 / 3, 1.1 / 3]
    cosine = mean[1] / (mean[0] ** 2 + mean[1] ** 2) ** 0.5
    assert rows["amigos"]["thesaurus_score"] == pytest.approx((1 + cosine) / 2)
    assert rows["amigos"]["votes"] == 1


def test_what_scores_little_and_what_no_list_has(world):
    instance = record(DOGS, "perro", "NOUN")
    plain = generated_rows(world, instance, lists(world))
    # can has three votes, the others one.
    half = generated_rows(world, instance, lists(world), least_share=0.5)
    assert ranked(half) == ["canes"]
    assert (half["amigos"]["reason"], half["amigos"]["score"]) == ("low_score", None)
    assert half["hound"]["reason"] == "placeholder"
    third = generated_rows(world, instance, lists(world), least_share=0.33)
    assert ranked(third) == ranked(plain)
    tired = record("Está [[cansada]] hoy.", "cansadar", "ADJ")
    plain = generated_rows(world, tired, lists(world))
    known = generated_rows(world, tired, lists(world), unlisted="drop")
    assert ranked(known) == [form for form in ranked(plain) if plain[form]["frequency"] is not None] != ranked(plain)
    reasons = {known[form]["reason"] for form in set(ranked(plain)) - set(ranked(known))}
    assert reasons == {"unlisted"}
    # What all senses have once goes on, however little that is.
    assert ranked(generated_rows(world, tired, least_share=1)) == ranked(generated_rows(world, tired))
    with pytest.raises(UsageError, match="drops what no list has by `unlisted`"):
        generated_rows(world, instance, {"wordlist": ()}, unlisted="drop")


def test_neighbours(world):
    vectors = {"vectors": f"vectors_=vectors:{world / 'es.vec'}", "thesaurus": ()}
    rows = generated_rows(world, record(DOGS, "perro", "NOUN"), vectors, generators=("vectors",), neighbours=4)
    assert ranked(rows) == ["can", "perro", "canes"]
    assert rows["4"]["reason"] == "not_a_word"
    assert rows["canes"]["lemma"] == "can"  # the dictionary knows the form
    assert rows["can"]["vectors_score"] == pytest.approx(0.91 / (1.01 * 0.82) ** 0.5)
    assert rows["can"]["votes"] is None
    lemmas = generated_rows(
        world, record(DOGS, "perro", "NOUN"), vectors, generators=("vectors",), neighbours=2, neighbours_of="lemma"
    )
    assert ranked(lemmas) == ["canes"]  # of can; 4 is nothing
    unknown = generated_rows(world, record("Un [[xyz]].", None, None), vectors, generators=("vectors",))
    assert unknown == {}


def test_union_and_intersection(world):
    files = {"vectors": f"vectors_=vectors:{world / 'es.vec'}", **lists(world)}
    both = ("thesaurus", "vectors")
    instance = record(DOGS, "perro", "NOUN")
    union = generated_rows(world, instance, files, generators=both, k=3)
    assert union["canes"]["generators"] == 2
    assert union["canes"]["score"] == pytest.approx(1 + 1 / 3)  # behind can and perro; 4 is no word
    assert ranked(union)[0] == "canes"
    assert len(ranked(union)) == 3
    beyond = [row for row in union.values() if row["reason"] == "beyond_k"]
    assert beyond
    assert all(row["score"] is not None and row["rank"] is None for row in beyond)
    shared = generated_rows(world, instance, files, generators=both, combine="intersection")
    assert ranked(shared) == ["canes"]
    assert shared["amigos"]["reason"] == "one_generator"
    assert shared["amigos"]["score"] is None
    average = generated_rows(world, instance, files, generators=both, order="average")
    assert ranked(average)[0] == "canes"


def test_capitals_and_the_word_before(world):
    rows = generated_rows(world, record("[[Perros]] ladran.", "perro", "NOUN"))
    assert rows["canes"]["shown"] == "Canes"


def test_barred_words_and_antonyms(world, tmp_path):
    rows = generated_rows(world, record(DOGS, "perro", "NOUN"), {"bar": str(world / "barred.txt")})
    assert rows["chuchos"]["reason"] == "barred"
    assert "chuchos" not in ranked(rows)
    write_wordnet(tmp_path, ANTONYMS, index_sense=False)
    files = {
        "wordnet": f"wordnet_=wordnet:{tmp_path}",
        "inflector": None,
        "thesaurus": (f"thesaurus_=thesaurus:{write(tmp_path)}",),
    }
    instance = record("A [[hot]] day.", "hot", "ADJ", language="en")
    assert generated_rows(world, instance, files)["cold"]["reason"] == "barred"
    assert generated_rows(world, instance, files, antonyms="keep")["cold"]["reason"] is None


def write(folder):
    path = folder / "en.dat"
    path.write_text("UTF-8\nhot|1\n-|warm|cold\n")
    return path


def test_protected_words_get_nothing(world):
    files = {"protect": str(world / "protected.txt")}
    assert generated_rows(world, record("La [[cansó]].", "cansar", "VERB"), files) == {}
    assert generated_rows(world, record("La [[cansó]].", None, None), files) == {}  # by the dictionary
    assert generated_rows(world, record("La [[cansó]].", None, None))
    assert generated_rows(world, record("Su [[Perro]] ladra.", "perro", "PROPN")) == {}
    assert generated_rows(world, record("SU [[PERRO]] LADRA.", "perro", None))
    assert generated_rows(world, record("Su [[Perro]] ladra.", "perro", None)) == {}
    assert generated_rows(world, record("Su [[Perro]] ladra.", "perro", "PROPN"), names="replace")


def test_gold_is_what_people_gave(world):
    instance = record(DOGS, "perro", "NOUN")
    rows = generated_rows(
        world, instance, {"thesaurus": ()}, {instance.instance_id: ["gatos", "Canes"]}, generators=("gold",)
    )
    assert {form: (row["gold_score"], row["score"]) for form, row in rows.items()} == {
        "canes": (1.0, 1.0),
        "gatos": (1.0, 1.0),
    }


def test_settings_that_ask_the_same_share_it(world, monkeypatch):
    from lexbeam.transforms.simplification.generation import candidate_generation as generating
    from lexbeam.transforms.simplification.generation.generators import GENERATORS

    calls = []
    plain = GENERATORS["thesaurus"]

    def propose(instances, context):
        calls.append(len(instances))
        return plain.propose(instances, context)

    monkeypatch.setitem(generating.GENERATORS, "thesaurus", replace(plain, propose=propose))
    settings = {"a": GenerationOptions(), "b": GenerationOptions(k=1), "c": GenerationOptions(seed=2)}
    instances = [record(DOGS, "perro", "NOUN"), record("La [[cansó]].", "cansar", "VERB")]
    rows = candidates_of(instances, generation_inputs(settings, files_of(world)), {}).to_pylist()
    assert calls == [2, 2]
    keys = [(row["instance_id"], row["setting"], row["form"]) for row in rows]
    assert keys == sorted(set(keys))
    assert {row["rank"] for row in rows if row["setting"] == "b"} == {1, None}


@pytest.mark.parametrize(
    ("options", "files", "message"),
    [
        ({}, {"thesaurus": ()}, "`thesaurus`"),
        ({"generators": ("vectors",)}, {}, "`vectors`"),
        ({"senses": "best"}, {}, "`vectors`"),
        ({"sense_votes": "cosine"}, {}, "`vectors`"),
        ({"order": "frequency"}, {}, "`wordlist`"),
    ],
)
def test_what_a_setting_needs(world, options, files, message):
    with pytest.raises(UsageError, match=f"setting x .*{message}"):
        generated_rows(world, record(DOGS, "perro", "NOUN"), files, **options)


def test_options_of_generators_that_are_not_used_decide_nothing(world):
    def decided(**options):
        inputs = generation_inputs(
            {"x": GenerationOptions(**options)}, files_of(world, vectors=f"vectors_=vectors:{world / 'es.vec'}")
        )
        return GenerateCandidates(inputs).identity(GenerationTask(Part("t", 0, "p", 1, 1, "sha")))

    plain = decided()
    assert plain == decided(
        neighbours=3, masked=MaskedOptions(masked_top=3), seed=7, wordnet=WordNetOptions(wordnet_senses="all")
    )
    assert plain != decided(senses="first")
    assert decided(senses="random") != decided(senses="random", seed=7)
    both = ("thesaurus", "vectors")
    assert decided(generators=both) != decided(generators=both, neighbours=3)
    evidence = {"generators": ("gold",), "evidence": ("thesaurus",)}
    assert decided(**evidence) != decided(**evidence, senses="first")


def test_the_word_before_has_no_brackets(world):
    for before in ("el", "(el", "¿el", "«El", "“el"):
        instance = record(f"Vi {before} [[perro]].", "perro", "NOUN")
        assert instance.before == before.lstrip("(¿«“")
    for before in ("el,", "(", "4", "el 4", "-"):
        assert record(f"Vi {before} [[perro]].", "perro", "NOUN").before is None
    assert record("mother-in-law [[sat]].", "sit", "VERB").before == "mother-in-law"
    for marks in ("«", '"', "(", "¿¡", "([“"):
        instance = record(f"Vi el  {marks}[[perro]].", "perro", "NOUN")
        assert (instance.before, instance.left("la")) == ("el", f"Vi la {marks}")


@pytest.mark.parametrize(
    ("marked", "before"),
    [
        ("vitamin A [[lack]]", None),
        ("A [[lack]] of it", "A"),
        ('He said: "A [[lack]] of it"', "A"),
        ("a vitamin a [[lack]]", "a"),
        ("THE A [[LACK]]", "A"),
        ("Life of A [[Lack]]", "A"),
    ],
)
def test_a_capital_behind_a_word_is_a_letter(marked, before):
    assert record(marked, language="en").before == before
