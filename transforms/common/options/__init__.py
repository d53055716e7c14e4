"""Options: stated once as dataclass fields; the files in which people write them.

In: values of a command line, a configuration or Python. Out: frozen dataclasses, checked. Read

    option        what an option is, and what no value of one may be
    fields        options as fields of dataclasses; what entries of registries need of them
    small_texts   small files that people write, read whole
    yaml_files    YAML, read with bounds

A change here is seen by every command.
"""
