"""Files whose lines end in any way, for property tests."""

from hypothesis import strategies as st


@st.composite
def ended(draw, lines):
    """Some lines behind each other, twice: ended by line feeds, and by any ends; the last perhaps not at all."""
    fed = other = ""
    for line in lines[:1] + draw(st.lists(st.sampled_from(lines), max_size=12)):
        # A return and a line feed are one end, with no line between them.
        ends = ["\r", "\r\n"] + ["\n"] * (line != "" or not other.endswith("\r"))
        fed, other = f"{fed}{line}\n", other + line + draw(st.sampled_from(ends))
    last = draw(st.sampled_from(["", lines[1]]))
    return (fed + last).encode(), (other + last).encode()
