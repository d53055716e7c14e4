"""The commands: a folder a section, a module a command. `frame/registry.py` names them.

Several share `options` (options that stand in one place), `intake` (files of people taken in), `keeping` (what stays as
it was published), `sheet_files` (sheets written, and none lost) and `evaluation` (metrics published, or only told).
"""
