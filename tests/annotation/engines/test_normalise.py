import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexbeam.transforms.annotation.engines.normalise import parse_rules, read_rules
from lexbeam.transforms.common.errors import UsageError

FILE = """level\tfrom\tto
# old print
form-char\tſ\ts
form-char\tu\tv
form-char\tv\tu

form\tvp\tup
lemma\tliberi\tliber
lemma-char\tj\ti
"""


def test_whole_forms_go_before_characters_and_are_tried_again_after_them():
    rules = parse_rules("form-char\tſ\ts\nform\thaſt\tHAST\nform\tsaith\tsays")
    assert [rules.form(form) for form in ("haſt", "ſaith", "ſo", "x")] == ["HAST", "says", "so", "x"]


def test_character_rules_swap_and_the_longest_comes_first():
    rules = parse_rules("form-char\tu\tv\nform-char\tv\tu\nform-char\tvv\tw")
    assert rules.form("uvvvu") == "vwuv"


def test_a_form_never_becomes_empty():
    rules = parse_rules("form-char\t-\t")
    assert (rules.form("a-b"), rules.form("-")) == ("ab", "-")


def test_a_file_is_read_with_heading_comments_and_bom(tmp_path):
    path = tmp_path / "rules.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode())
    rules = read_rules(str(path))
    assert (rules.form("vp"), rules.form("ſvm")) == ("up", "sum")
    assert (rules.lemma("liberi"), rules.lemma("jus")) == ("liber", "ius")
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_the_order_and_the_comments_of_a_file_do_not_count():
    rules = parse_rules("form\ta\tb\nform\tc\td")
    assert parse_rules("# note\nform\tc\td\nform\ta\tb") == rules
    assert parse_rules("lemma\ta\tb\nlemma\tc\td") != rules


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("form a b", "1 columns"),
        ("from\ta\tb", "did you mean 'form'"),
        ("form\t\tb", "'from' is empty"),
        ("form\ta\t", "'to' is empty"),
        ("form\ta b\tc", "whitespace"),
        ("form\tx\tz", "already|earlier line"),
    ],
)
def test_a_wrong_line_is_named(line, message):
    with pytest.raises(UsageError, match=rf"rules, line 2: .*({message})"):
        parse_rules(f"form\tx\ty\n{line}\n")


def test_files_that_cannot_be_read_are_named(tmp_path):
    path = tmp_path / "rules.tsv"
    path.write_bytes(b"form\t\xff\ta")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_rules(str(path))
    with pytest.raises(UsageError, match="cannot be read"):
        read_rules(str(tmp_path / "absent"))


@given(st.text(alphabet="abc", min_size=1), st.dictionaries(st.sampled_from("abc"), st.just("d")))
def test_single_characters_are_mapped_one_by_one(word, chars):
    rules = parse_rules("".join(f"form-char\t{a}\t{b}\n" for a, b in chars.items()))
    assert rules.form(word) == "".join(chars.get(char, char) for char in word)
