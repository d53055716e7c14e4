"""The commands: a folder a section, a module a command. `frame/registry.py` names them."""
