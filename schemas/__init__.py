"""The published tables: names, columns, docs, units and ranges. They are a contract."""
