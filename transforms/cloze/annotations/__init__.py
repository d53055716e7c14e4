"""People's answers to questions: the sheet, files that come back, which questions are kept.

In: sheets, tables, JSON lines. Out: `cloze/annotations`, `cloze/verdicts`. Read `sheet`, `files`, `quality`.
Nothing here is kept between runs: each run reads the answers.
"""
