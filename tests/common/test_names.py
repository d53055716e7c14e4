import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lexbeam.transforms.common.names import (
    Names,
    alike,
    escape,
    file_of,
    member_of,
    plain,
    real_name,
    unescape,
    ways_to_write,
)

ODD = st.text(st.sampled_from("ab!\\~2x/F0u\n\ufffd\u202e\ufeff\udcff\ud800é\u0301\U0010ffff"))
BYTES = st.binary().map(os.fsdecode)
NAME = st.text(st.characters(codec=None)) | ODD | BYTES


@given(NAME)
def test_an_escape_leads_back_to_its_name(name):
    published = escape(name)
    assert unescape(published) == name
    published.encode()
    assert plain(published) == published  # nothing is left that a table should not hold
    assert "\\~" not in published.replace("\\\\", "")
    assert "!" not in published.replace("\\\\", "").replace("\\!", "")


@given(NAME)
def test_what_is_the_escape_of_no_name_is_refused(text):
    """A string is either refused, or the one escape of what comes back."""
    try:
        name = unescape(text)
    except ValueError:
        assert escape(text) != text
        return
    assert escape(name) == text


@pytest.mark.parametrize(
    "name",
    [
        "a b'c~1.txt",
        "Möwe.txt",
        "e\u0301.txt",
        "日本語.txt",
        "\u0645\u06cc\u200c\u062e.txt",
        "\ufffd",
        "\U0001f3f4\u200d\u2620\ufe0f",
        "#%&$ ;|",
        "soft\u00adhyphen",
        "\ue000",
        "\U00060000",
        "x/y/z.tar.gz",
        "",
    ],
)
def test_ordinary_names_stay_as_they_are(name):
    assert escape(name) == name
    assert ways_to_write(name)[0] == name


@pytest.mark.parametrize(
    ("name", "published"),
    [
        (os.fsdecode(b"\x80\xff\xc3"), "\\x80\\xFF\\xC3"),
        ("a\\b!c", "a\\\\b\\!c"),
        ("\x00\n\x1b[2J\x7f\x85", "\\u0000\\u000A\\u001B[2J\\u007F\\u0085"),
        ("\u2028\u2029\u202e\u2066\u200e\ufeff", "\\u2028\\u2029\\u202E\\u2066\\u200E\\uFEFF"),
        ("\ufffe\U0010ffff\U000e0001\ud800", "\\uFFFE\\U0010FFFF\\U000E0001\\uD800"),
        ("\\xFF", "\\\\xFF"),
        ("a.txt\\~2", "a.txt\\\\~2"),
    ],
)
def test_what_is_escaped(name, published):
    assert escape(name) == published


@given(st.lists(NAME, max_size=6), st.lists(NAME, max_size=6))
def test_no_name_imitates_another(files, members):
    """However often a name is given; a file is found again from each of its members."""
    given_names, of_file = Names(), {}
    for file in files:
        published = given_names(escape(file))
        assert published not in of_file
        of_file[published] = published
        inner = Names()
        for member in members:
            source = inner(member_of(published, member))
            assert source not in of_file
            of_file[source] = published
    for source, file in of_file.items():
        assert file_of(source) == file


def test_the_counter():
    names = Names()
    given_names = [names(escape(name)) for name in ("a", "a", "a~2", "a\\~2", "a")]
    assert given_names == ["a", "a\\~2", "a~2", "a\\\\~2", "a\\~3"]


@given(ODD.filter(lambda name: "/" not in name))
@example("1790\\~2")
def test_the_own_name_is_the_real_one_without_folders(name):
    shown = plain(name)
    assert real_name(f"x!y/{escape(name)}"[2:]) == shown
    if name:
        assert real_name(member_of("x\\~2/a\\!.zip", f"d/{name}") + "\\~2") == shown


def test_ways_to_write():
    assert ways_to_write("x/a.txt") == ("x/a.txt", "a.txt")
    assert ways_to_write(r"z\!.zip!d/a\!b.txt\~2") == (
        r"z\!.zip!d/a\!b.txt\~2",
        r"d/a\!b.txt\~2",
        "d/a!b.txt",
        r"a\!b.txt\~2",
        "a!b.txt",
    )
    assert ways_to_write(r"a\xFF.txt") == (r"a\xFF.txt",)
    assert ways_to_write(escape(r"a\xFF.txt")) == (r"a\\xFF.txt",)  # what it is is another's escape
    assert ways_to_write(escape(r"a\b.txt")) == (r"a\\b.txt", r"a\b.txt")
    assert ways_to_write(r"in\~2/a.txt") == (r"in\~2/a.txt", "a.txt")


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("in/1810.txt", ["1810.txt", "810.txt", "1820.txt"], ["1810.txt"]),
        ("./1810.txt", ["1810.txt", "a/1810.txt", "a/1810.txt"], ["1810.txt", "a/1810.txt"]),
        ("cafe\u0301.txt", ["caf\xe9.txt", "cafe.txt"], ["caf\xe9.txt"]),
        ("10.txt", ["1810.txt", "a.zip!10.txt"], []),
    ],
)
def test_names_that_may_be_meant(name, known, found):
    assert alike(name, known) == found
