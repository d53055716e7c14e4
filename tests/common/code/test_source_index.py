"""Modules by their source: what a statement has once it has been read, in whatever order it is asked."""

import ast
import textwrap

from lexbeam.transforms.common.code.source_index import ModuleSource, Statement

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
