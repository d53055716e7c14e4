"""Options that some entries of a registry use alone: another value than the default says nothing without such a one."""

from lexbeam.transforms.common.options.fields import options_of, value_of


def unused(options: object) -> dict[str, str]:
    """Return what to say of values that nothing takes, by option, by what options say in their `of`.

    Such an option has another value than its default, and of the registry that it is of no entry that uses it is
    chosen, by an option of the same class. An entry of another package takes what its `uses` names.
    """
    known, found = options_of(type(options)), {}
    for name, entry in known.items():
        registry, _, users = entry.of.partition("=")
        chooser = next((other for other in known.values() if entry.of and other.choices == registry), None)
        value = value_of(options, name)
        if chooser is None or value == entry.default:
            continue
        chosen = value_of(options, chooser.name)
        named = chosen if chooser.several else (chosen,)
        if not any(one in users.split(",") or name in getattr(chooser.entries[one], "uses", ()) for one in named):
            shown = f"`{name}`" if isinstance(value, bool) else f"`{name}` {value}"
            found[name] = (
                f"{shown}: it is used with `{chooser.name}` {' or '.join(users.split(','))}, not with "
                f"{','.join(named)}: leave it out, or choose one of these"
            )
    return found
