"""Questions: drafts, splits by article, texts with a gap, the task's files.

In: candidates, options, pairs. Out: `cloze/questions`, JSON lines. Read `question`, `drafts`, `splits`, `stages`.
A change here writes questions anew.
"""
