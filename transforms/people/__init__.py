"""Files that people fill in: sheets, how they are written, how they are read back.

In: rows to be judged; the files that come back. Out: sheets; answers, and rejects with their reasons. Read `sheets`,
`answers`, `answered_sheets`. A change here touches judgments of complexity and answers to cloze questions.
"""
