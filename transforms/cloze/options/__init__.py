"""Options of a question: from the words that readers name to four beside the answer.

In: predictions of readers, candidates. Out: `cloze/options`. Read `choice`, `choice_stage`.
A change here chooses options anew; readers stay.
"""
