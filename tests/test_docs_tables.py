"""Tables of docs that list what a registry has: they name every entry, no other, and what each needs."""

import importlib
import importlib.metadata
import importlib.util
import re
from pathlib import Path

from lexbeam.pipelines.frame.registry import COMMANDS, load, section_of
from lexbeam.transforms.annotation.engines import builtin
from lexbeam.transforms.annotation.engines.segmenters import SEGMENTERS
from lexbeam.transforms.change.scores.measures import MEASURES
from lexbeam.transforms.formats.records.scripts import scripts_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
# By page and first cell of the table: the registry, and names that are no entries of it.
TABLES = {
    ("reference/formats.md", "format"): ("lexbeam.transforms.formats.readers.registry:READERS", ()),
    ("reference/formats.md", "form of dates"): ("lexbeam.transforms.formats.records.date_parsing:DATE_FORMS", ()),
    ("reference/formats.md", "edited format"): ("lexbeam.transforms.formats.spans.spanned:SPANS", ()),
    ("reference/annotation.md", "engine"): ("lexbeam.transforms.annotation.engines.known_engines:ENGINES", ("none",)),
    ("reference/annotation.md", "layer"): ("lexbeam.transforms.formats.records.layers:LAYERS", ()),
    ("reference/encoders.md", "pooling"): ("lexbeam.transforms.lexicon.encoders.span_vectors:POOLINGS", ()),
    ("reference/encoders.md", "scoring"): ("lexbeam.transforms.lexicon.encoders.model_heads:SCORINGS", ()),
    ("reference/resources.md", "rule of case"): ("lexbeam.transforms.lexicon.compiled.word_keys:CASES", ()),
    ("reference/resources.md", "duplicates"): ("lexbeam.transforms.lexicon.compiled.list_options:DUPLICATES", ()),
    ("reference/evaluation.md", "name"): ("lexbeam.transforms.evaluation.metrics:METRICS", ()),
    ("reference/models.md", "format"): ("lexbeam.transforms.learning.models.formats:FORMATS", ()),
    ("reference/people.md", "kind"): ("lexbeam.transforms.people.answers:KINDS", ()),
    ("tasks/change/methods.md", "representation"): (
        "lexbeam.transforms.embeddings.representations:REPRESENTATIONS",
        (),
    ),
    ("tasks/change/methods.md", "name"): ("lexbeam.transforms.embeddings.alignment:ALIGNMENTS", ()),
    ("tasks/change/methods.md", "joint training"): (
        "lexbeam.transforms.embeddings.joint_trainings:JOINT_TRAININGS",
        (),
    ),
    ("tasks/change/methods.md", "threshold"): ("lexbeam.transforms.change.scores.thresholds:THRESHOLDS", ()),
    ("tasks/change/methods.md", "measure"): ("lexbeam.transforms.change.scores.measures:MEASURES", ()),
    ("tasks/complexity/features.md", "group"): ("lexbeam.transforms.complexity.features.groups:GROUPS", ()),
    ("tasks/complexity/score.md", "name"): ("lexbeam.transforms.learning.scorers:SCORERS", ()),
    ("tasks/complexity/load.md", "layout"): ("lexbeam.transforms.complexity.instances.labelled_layouts:LAYOUTS", ()),
    ("tasks/complexity/select.md", "pattern"): ("lexbeam.transforms.complexity.select.patterns:PATTERNS", ()),
    ("tasks/cloze/pairs.md", "layout"): ("lexbeam.transforms.cloze.pairs.pair_layouts:LAYOUTS", ()),
    ("tasks/cloze/answer.md", "system"): (
        "lexbeam.transforms.cloze.answers.trained_systems:SYSTEMS",
        ("multiple-choice",),
    ),
    ("tasks/cloze/options.md", "reader"): ("lexbeam.transforms.cloze.readers.options:READERS", ()),
    ("tasks/cloze/candidates.md", "filter"): ("lexbeam.transforms.cloze.filters.cloze_filters:FILTERS", ()),
    ("tasks/cloze/abstractness.md", "input"): ("lexbeam.transforms.cloze.abstractness.concreteness_inputs:INPUTS", ()),
    ("tasks/cloze/abstractness.md", "estimator"): (
        "lexbeam.transforms.cloze.abstractness.concreteness_estimators:ESTIMATORS",
        (),
    ),
    ("tasks/simplification/generate.md", "generator"): (
        "lexbeam.transforms.simplification.generation.generators:GENERATORS",
        (),
    ),
    ("tasks/simplification/generate.md", "format"): (
        "lexbeam.transforms.lexicon.compiled.thesaurus_formats:READERS",
        (),
    ),
    ("tasks/simplification/generate.md", "rule"): (
        "lexbeam.transforms.simplification.generation.masked_words:RULES",
        (),
    ),
    ("tasks/simplification/inflector.md", "format"): ("lexbeam.transforms.inflection.dictionaries:FORMATS", ()),
    ("tasks/simplification/instances.md", "layout"): (
        "lexbeam.transforms.simplification.instances.instance_rows:READERS",
        ("complexity", "corpus", "documents"),
    ),
    ("tasks/simplification/text.md", "setting"): ("lexbeam.transforms.simplification.settings:TEXT_SETTINGS", ()),
    ("tasks/simplification/rank.md", "filter"): ("lexbeam.transforms.simplification.selection.filters:FILTERS", ()),
    ("tasks/simplification/rank.md", "ranker"): ("lexbeam.transforms.simplification.ranking.rankers:RANKERS", ()),
}


def rows_of(page, first):
    """Return the rows of the first table of a page whose head begins with a cell."""
    text = (DOCS / page).read_text("utf-8")
    found = re.search(rf"^ *\| {first} \|.*\n *\|[-| ]+\|\n((?: *\|.*\n)+)", text, re.MULTILINE)
    assert found, f"{page} has no table of {first}"
    return found[1].splitlines()


def test_tables_name_every_entry_and_what_it_needs():
    wrong = []
    for (page, first), (registry, others) in TABLES.items():
        module, _, name = registry.partition(":")
        entries = getattr(importlib.import_module(module), name)
        named = {}
        for row in rows_of(page, first):
            for word in re.findall(r"`([^`]+)`", row.split("|")[1]):
                named[word if word in entries else word.partition(":")[0]] = row
        wrong += [f"{page}: {entry} is not in the table of {registry}" for entry in entries if entry not in named]
        wrong += [
            f"{page}: {word} is not in {registry}" for word in named if word not in entries and word not in others
        ]
        needs = {entry: getattr(entries[entry], "needs", "") for entry in named if entry in entries}
        wrong += [
            f"{page}: the row of {entry} does not say that it needs --{need}"
            for entry, need in needs.items()
            if isinstance(need, str) and need and f"`--{need}`" not in named[entry]
        ]
    assert wrong == []


def test_the_table_of_views_names_every_view_with_its_sections():
    documented = {}
    for row in rows_of("reference/commands.md", "view"):
        names, sections = (re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:3])
        documented |= dict.fromkeys(names, sorted(sections))
    views = {}
    for words in COMMANDS.ours():
        for name in load(words).views.ours():
            views.setdefault(name, []).append(section_of(words))
    assert documented == {name: sorted(sections) for name, sections in views.items()}


def test_the_table_of_measures_has_their_ranges():
    rows = [[cell.strip(" `") for cell in row.split("|")[1:3]] for row in rows_of("tasks/change/methods.md", "measure")]
    assert rows == [[name, measure.range] for name, measure in MEASURES.items()]


def test_the_table_of_languages_says_what_the_built_in_engine_has():
    found = {}
    for row in rows_of("reference/annotation.md", "languages of `builtin`"):
        codes, scripts, words, _, upos = (cell.strip() for cell in row.strip(" |").split("|"))
        for code in re.findall(r"`(\w+)`", codes):
            found[code] = (tuple(scripts.split(", ")), words.startswith("rules for any"), upos != "none")
    expected = {}
    for code in builtin.languages():
        general = code not in SEGMENTERS and importlib.util.find_spec(f"spacy.lang.{code}") is None
        expected[code] = (scripts_of(code), general, builtin.prepare(code)[0].has_upos)
    assert found == expected


def test_the_table_of_extras_names_all_that_packaging_has():
    rows = [row.split("|")[1].strip(" `") for row in rows_of("reference/commands.md", "extra")]
    assert sorted(rows) == sorted(set(importlib.metadata.metadata("lexbeam").get_all("Provides-Extra")) - {"dev"})


def test_every_registry_of_entries_has_doc_lines_and_a_group_of_its_own():
    """A doc line, which help shows, is one plain line and no sentence."""
    registries = [COMMANDS, *(load(words).views for words in COMMANDS.ours() if load(words).views)]
    for registry, _ in TABLES.values():
        module, _, name = registry.partition(":")
        registries.append(getattr(importlib.import_module(module), name))
    groups, wrong = {}, []
    for registry in registries:
        if registry.group:  # else no package of others adds to it
            assert groups.setdefault(registry.group, registry) is registry
        wrong += [
            f"{registry.group}: {entry}: {value.doc!r}"
            for entry, value in registry.items()
            if not value.doc or "\n" in value.doc or value.doc.endswith(".")
        ]
    assert wrong == []
