"""What words are looked up in: resources, compiled once and mapped into memory; and what their letters say.

In: files that a person names, and packages. Out: tables and matrices that answer for whole arrays of words. Read
`resources`, `resource_cache`, then the room of a kind. A change to a kind compiles its resources anew, and
what was looked up in them.
"""
