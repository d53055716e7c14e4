"""Modules by their source: what a statement has once it has been read, in whatever order it is asked."""

import ast
import textwrap

from lexbeam.transforms.common.code.source_index import ModuleSource, Statement, find

MODULE = textwrap.dedent(
    """
    LIMIT = 3

    def run(x: "Model", times=LIMIT):
        import json
        return [json.dumps(helper.scale(y)) for y in x] * times

    class Model:
        width: int = 4

        def size(self):
            return self.width + LIMIT
    """
)


def _statements() -> dict[str, Statement]:
    source = ModuleSource("pkg.module", ast.parse(MODULE), is_package=False)
    return {name: statement for name, (statement,) in source.bindings.items()}


def test_digest_and_references_do_not_depend_on_which_is_asked_first() -> None:
    tree = ast.parse(MODULE)
    for place, name in enumerate(("LIMIT", "run", "Model")):
        first, second = (Statement(tree_of.body[place], "pkg") for tree_of in (ast.parse(MODULE), tree))
        digest = first.digest
        references = second.references
        assert (digest, first.references) == (second.digest, references)
        assert references.chains or name == "LIMIT"


def test_bodies_of_definitions_are_let_go_once_there_is_a_digest() -> None:
    statements = _statements()
    before = {name: statement.digest for name, statement in statements.items()}
    sizes = {name: len(list(ast.walk(statement.node))) for name, statement in statements.items()}
    whole = {statement.names[0]: len(list(ast.walk(statement.node))) for statement in _statements().values()}
    assert sizes["LIMIT"] == whole["LIMIT"]  # its value may still be read
    assert sizes["Model"] == 1
    assert sizes["run"] < whole["run"] / 2
    assert before == {name: statement.digest for name, statement in statements.items()}


def test_what_a_step_chooses_and_is_called_is_none_of_its_code() -> None:
    step = """
    class Count(Step[Task, File]):
        name = "words/count"
        {words}

        def make(self, artefact, task):
            return task.size
    """

    def source(words: str) -> ModuleSource:
        text = textwrap.dedent(step.format(words=words.replace("\n", "\n        ")))
        return ModuleSource("pkg.module", ast.parse(text), is_package=False)

    plain = source("pass")
    for words in ('noun = "counts"\npass', "pass\n\ndef chosen(self, task):\n    return ENTRIES"):
        told = source(words)
        assert [each.digest for each in told.statements] == [each.digest for each in plain.statements]
        assert "ENTRIES" not in {chain[0] for each in told.statements for chain in each.references.chains}
    assert "ENTRIES" in told.used  # or an import of it would seem to be there for what it does
    assert source("blas = True").statements[0].digest != plain.statements[0].digest


def test_a_folder_without_init_in_a_package_that_is_not_imported_is_no_module(tmp_path, monkeypatch) -> None:
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    (tmp_path / "outer" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert find("outer.inner.code") is None
