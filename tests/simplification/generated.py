"""A small Spanish world: forms, thesauri, vectors and instances, as files and as options."""

import json
from collections import Counter

from lexbeam.transforms.inflection.dictionaries import FormEntry
from lexbeam.transforms.inflection.features import feats_of, inflection
from lexbeam.transforms.inflection.inflector import compiled
from lexbeam.transforms.learning.models.keeping import keep_model_file
from lexbeam.transforms.learning.models.model import Model
from lexbeam.transforms.simplification.generation.generators import GenerationFiles

SING, PLUR = "Gender=Masc|Number=Sing", "Gender=Masc|Number=Plur"
PART = "Gender=Fem|Number=Sing|VerbForm=Part"
THIRD = "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"
FORMS = [
    *(
        (lemma, "NOUN", feats, lemma + end)
        for lemma in ("perro", "can", "sabueso", "animal", "gato", "amigo")
        for feats, end in ((SING, ""), (PLUR, "es" if lemma[-1] in "nl" else "s"))
    ),
    *(
        (f"{stem}ar", "VERB", feats, f"{stem}{end}")
        for stem in ("cans", "agot", "molest", "compr")
        for feats, end in ((THIRD, "ó"), (PART, "ada"), ("VerbForm=Inf", "ar"))
    ),
    ("cansado", "ADJ", "Gender=Fem|Number=Sing", "cansada"),
    ("cansado", "ADJ", SING, "cansado"),
    ("harto", "ADJ", SING, "harto"),
    ("harto", "ADJ", "Gender=Fem|Number=Sing", "harta"),
]

MYTHES = """UTF-8
perro|2
-|can|sabueso|chucho
-|can|amigo|Perro
cansar|1
-|agotar|molestar|agotarse
animal|1
-|bestia doméstica|gato
"""
TAB = (
    "# Wordnet\tspa\n"
    "1-n\tspa:lemma\tperro\n1-n\tspa:lemma\tcan\n1-n\tspa:lemma\t`hound\n1-n\tspa:lemma\t4\n"
    "2-v\tspa:lemma\tperro\n2-v\tspa:lemma\tcomprar\n"
    "3-a\tspa:lemma\tcansado\n3-a\tspa:lemma\tharto\n"
)
VECTORS = {
    "perro": (1, 0),
    "perros": (0.9, 0.1),
    "can": (1, 0.1),
    "canes": (0.8, 0.2),
    "gatos": (0.7, 0.7),
    "4": (0.9, 0),
    "amigo": (0, 1),
    "hola": (0, 1),
    "harto": (-1, 0),
}
FREQUENCIES = {"canes": 5, "sabuesos": 1, "amigos": 9, "gatos": 7, "chuchos": 2, "perros": 99}


def keep_inflector(path, forms=FORMS, language="es"):
    """Write an inflector as `lexbeam simplify train-inflector` does."""
    entries = Counter(FormEntry(lemma, inflection(upos, feats_of(feats)), form) for lemma, upos, feats, form in forms)
    model = Model(
        kind="inflector",
        task="simplification",
        format="safetensors",
        seed=0,
        data="made",
        content=compiled(entries, language),
        options={"language": language},
    )
    keep_model_file(str(path), model)


def write_world(folder):
    """Write all files; return the words that name them to `lexbeam simplify generate`."""
    keep_inflector(folder / "es.inflector")
    (folder / "th.dat").write_text(MYTHES, "utf-8")
    (folder / "spa.tab").write_text(TAB, "utf-8")
    lines = [f"{word} {' '.join(map(str, numbers))}" for word, numbers in VECTORS.items()]
    (folder / "es.vec").write_text(f"{len(lines)} 2\n" + "\n".join(lines) + "\n", "utf-8")
    rows = "".join(f"{word}\t{value}\n" for word, value in FREQUENCIES.items())
    (folder / "freq.tsv").write_text("word\tvalue\n" + rows, "utf-8")
    (folder / "barred.txt").write_text("Chucho\n\n", "utf-8")
    (folder / "protected.txt").write_text("cansar\n", "utf-8")
    (folder / "settings.yaml").write_text(
        json.dumps({"one": {"senses": "first"}, "two": {"generators": "thesaurus,vectors", "k": 2}})
    )
    return [
        "--thesaurus",
        str(folder / "th.dat"),
        str(folder / "spa.tab"),
        "--vectors",
        str(folder / "es.vec"),
        "--inflector",
        str(folder / "es.inflector"),
        "--wordlist",
        f"frequency={folder / 'freq.tsv'}:word=word,value=value",
        "--cache",
        str(folder / "cache"),
    ]


def files_of(folder, **other):
    """Return the same as options, without word lists that are not asked for."""
    paths = {
        "thesaurus": tuple(f"thesaurus_=thesaurus:{folder / n}" for n in ("th.dat", "spa.tab")),
        "inflector": str(folder / "es.inflector"),
        "cache": str(folder / "cache"),
        **other,
    }
    return GenerationFiles(**{name: value for name, value in paths.items() if value is not None})
