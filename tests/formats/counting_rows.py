"""How many rows a table in text has, counted without its reader, by docs/reference/formats.md."""

import csv
import re

from counting_text import decoded_lines, raw_lines


def count_rows(data, options, name):
    """Count rows; one that the csv module cannot read is its first line alone."""
    limit, quoting = options.max_line_bytes, options.quoting
    if any(abs(len(raw) - limit) < 5 for raw in raw_lines(data)):
        return None
    lines = decoded_lines(data, options)
    if quoting and b'"' in data and len(data) + 64 * len(lines) > limit:
        return None  # which row is too long?
    delimiter = options.separator or "\t" * name.lower().endswith((".tsv", ".tab"))
    tabs = delimiter == "\t"
    rows, headed, first, place = 0, not options.header, [], 0
    while place < len(lines):
        line = lines[place]
        if line is not None and not line.strip(" \ufeff"):
            place += 1
            continue
        if not delimiter and line is not None:
            delimiter = max("\t,;|", key=line.count)
            tabs = delimiter == "\t" and "\t" in line
        cells, taken = _row(lines[place:], delimiter, quoting)
        if len(first) < 2 and cells is not None:
            first = cells
        if taken > 1 and is_stray(lines[place : place + taken], cells, delimiter, first, tabs):
            cells, taken = None, 1
        place += taken
        if cells is not None and not any(cell.strip() for cell in cells):
            continue
        if headed:
            rows += 1
        elif cells is None or options.text_field not in [cell.strip() for cell in cells]:
            return 1  # without a header nothing can be read
        headed = True
    return max(1, rows)


def _row(lines, delimiter, quoting):
    """Return the first row's cells, None if it is broken, and the number of lines it takes."""
    if lines[0] is None:
        return None, 1
    if not quoting or '"' not in lines[0]:
        return lines[0].split(delimiter), 1
    for taken in range(1, len(lines) + 1):
        if lines[taken - 1] is None:
            return None, 1
        reader = csv.reader((line + "\n" for line in lines[:taken]), strict=True, delimiter=delimiter)
        try:
            return next(reader), taken
        except csv.Error as error:
            if "unexpected end" not in str(error):
                return None, 1
    return None, 1


def is_stray(lines, cells, delimiter, first, tabs):
    """Return whether the quote that makes one row of lines is a stray one, by docs/reference/formats.md.

    `first` are the cells of the first row that has several; `tabs` tells whether the table is known
    to be separated by tabs.
    """
    width = len(first)
    between = [line.count(delimiter) for line in lines]
    if tabs:
        if width == 1 or len(cells) < width or any(cells[width:]):
            return True
        held = [cell for cell in cells if "\n" in cell and "\t" in cell]
        return bool(held) and max(between[1:]) >= width - 1
    if width > 3 and set(between) == {width - 1}:
        return True
    spaced = any(re.match(r"\s|$", cell) for cell in first[1:])
    if not spaced:  # text has white space after a comma, rows have none
        between = [len(re.sub(re.escape(delimiter) + r"(?=\s|$)", "", line).split(delimiter)) - 1 for line in lines]
    rows = between.count(width - 1)
    return width > 1 and between[0] == width - 1 and rows >= 0.75 * len(lines)
