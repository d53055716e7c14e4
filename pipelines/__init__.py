"""The runnable pipelines, one module each, and the command line that dispatches to them."""
