"""What is the same for every command: the registry, options as arguments, inputs, runs, publication.

In: a command and its options. Out: a published section.
Read in this order:

    command             what a command is, and what it gets when it runs
    registry            the commands by name, imported when asked for
    arguments           options on the command line
    configuration       options in a file
    running             commands at work: checked, run, told
    inputs              what commands read
    sections            how a section is made
    publishing          one run on an output folder
    handed_back         what a pipeline hands back, also from a cluster
    staleness           which sections have other inputs, options or code than now
    stage_plans         what a run would make anew, and how long it takes
    monitors            events, lineage and metrics of a run
    interrupts          signals that end a command
    piping              a text through a command
    blocks              what is shown as lines of a terminal

No module here names a task.
"""
