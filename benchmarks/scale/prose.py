"""What docs/scale.md says between its tables; numbers come from runs."""

HEAD = """
# How cost grows

CPU, memory, graph and manifest of `lexbeam corpus` as a corpus grows, and ten terabytes on paper. The page is written
by `make bench-scale PART=page` from runs that these measure, each in an hour at most, and resumed where it stopped:

    make bench-scale PART=tokens                # or files, refresh, gather, merging, memory, cut, cluster, intake
    make bench-scale PART=tokens SIZES=full

All corpora are made: words by Zipf's law, some planted, each document a function of the seed and its number. The number
of published documents is checked. Two worker processes share the machine with other work, so seconds are of CPU
unless said otherwise, over all processes, the median of three runs (one of the largest size). On another machine the
seconds are others; how they grow is what the tables show. *before* is commit {before}, *after* {after}.

*Before* was measured while five to eight processes wanted two cores, *after* on a quiet machine or beside work of the
lowest priority, but for memory and the files of other tasks. Beside other work a step takes up to twice the CPU:
compare bytes and memory first, then seconds.
"""
STEPS = """
Steps: `start` is what the driver does before it plans, above all the imports of Beam; `plan` lists the inputs where
that is the driver's work; `graph` builds the pipeline; `shuffle and rest` is the start of the workers, the shuffle and
what is done between stages. A slope is that of log CPU on log size: 1 is a straight line through the origin, less is
what does not grow, and at most {slope} is asked. What should be flat may grow by {growth:.0%} from the smallest to the
largest size. Memory is the peak of resident memory, of the driver and of the worker that takes most; what both
share, such as Beam's code, counts in each. *Shuffled* is what the workers send. Beam's direct runner lies in the
driver, and passes all of it on there: so the driver's memory grows with it, as it does not on a Flink cluster (see
TaskManagers).
"""
TOKENS = """
Documents of 1,000 words, 100 in a file. To `builtin:en` the words of a made language are unknown: it guesses each from
its letters when a worker first meets it, and remembers it. So a worker gains memory until it has met all 50,000. Of
annotated input a worker takes most where it merges documents, by up to four times a row group, which is full (16 MiB)
from 25 M tokens on. The merge of sentences costs more at 100 M: 64 files are merged there, eight at 12.5 M.
"""
FILES = """
Documents of 60 annotated words (2 kB of CoNLL-U): each a file, and all in ten files.
"""
A_FILE = """
Microseconds of CPU that each further document takes, from the smallest size to the largest: in small files, in ten
files, and their ratio; what takes less than one is left out. `open` and `digest` (reading, and SHA-256) are within
`ingest`. The bare loops do one thing with each of the same files, and so are the least that a file can cost.
"""
REFRESH = """
A run over many small files, the same again (`--overwrite`), and again with one file more. *Made* are artefacts that
were not there before; one of ingestion and one of annotation are the least.
"""
GATHER = """
Where work is dealt out by weight, and where a result is handed back, all pieces of a stage meet under one key. These
are as small as they can be, in one process that is driver and worker at once; what a piece holds comes on top.
"""
MERGING = """
Staged files, each with the sentences of {documents} documents of {words} words, merged into {parts} parts; if there are
more than {most}, they are gathered first. *Memory* is by how much it grows from the first file on.
"""
MEMORY = """
The peak of the sum of PSS over driver and two workers, of `lexbeam corpus` (annotated input) and `lexbeam change` with
one seed and one pass (more passes take time alone). At 100 M words at most {bound:g} GiB are asked.
"""
INTAKE = """
Small texts, each a file, of which `lexbeam cloze pairs` makes pairs without an engine, by two worker processes.
"""
CUT = """
One file of JSON lines, taken in by one process and by two: seconds by the clock from the first piece of work to the
last, without annotation, which takes a hundred times longer and is dealt out anyway. At least 1.7 times is asked; it is
told only of a machine on which two cores were free.
"""
CLUSTER = """
Annotation by `builtin:en` of files of 100 documents of 1,000 words, on a Flink cluster of this machine with one
TaskManager and with two, each with one slot: seconds by the clock from the first piece of annotation to the last. At
least 1.7 times is asked; it is told only of a machine on which two cores were free.
"""
CLUSTER_MEMORY = """
Memory on that cluster, of annotated input: peaks of the driver, which passes nothing on here, and of the worker that
takes most. Growth of at most 20% is asked.
"""
CUT_PASS = """
CPU of one process: SHA-256 alone, the pass over the file (its SHA-256, digests of its blocks, borders), and taking in
its pieces, told from the first eight. The pass is what two processes cannot share, and *times on two* what that leaves
on two cores that do nothing else. So a file's digest stays one sequential SHA-256: a tree over blocks would save less
than half of the pass. Where a core is free, the SHA-256 takes that one, and the pass two thirds of its time by the
clock.
"""
PAPER = """
{corpus.tokens:,.0f} tokens in {corpus.documents:,.0f} annotated documents, {terabytes:g} TB in {corpus.files:,.0f}
files, on {corpus.workers} workers of one core and {memory:g} GiB each. Nobody has run this: each figure is a unit cost
measured above times how many there are (`benchmarks/scale/paper.py`). What a document costs by itself and what its
tokens cost is told from documents of 60 and of 1,000 words, what a file costs from many and few files; what each run
costs alike is left out. The shuffle is that of this machine's runner: another one's seconds differ, its bytes hardly.
The work of an engine comes on top, and is dealt out as annotation is.
"""
BREAKS = """
What breaks, the first first, and at how many documents of this kind: in as large files as above, and each in a file of
its own. Memory of a worker is that of the two that were measured: more workers share what grows with documents. A
growth of memory that is within the noise of peaks counts as growth.
"""
