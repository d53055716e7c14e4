"""Options: stated once as dataclass fields; the files in which people write them.

In: values of a command line, a configuration or Python. Out: frozen dataclasses, checked. Read `option`,
then `fields`. A change here is seen by every command.
"""
