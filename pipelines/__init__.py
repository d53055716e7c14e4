"""The command line: `start` is the program, `cli` dispatches to the commands, `frame` runs any of them.

Read `frame/command.py`, then `frame/running.py`, then a command.
"""
