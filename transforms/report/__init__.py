"""The report: panels of every section in one HTML file that needs no network."""
