"""The runnable pipelines, one module each, and the command line that dispatches to them."""

import logging

# Beam says at its import that Google's packages are missing, to everybody who has no use for them.
logging.getLogger().addFilter(lambda record: not record.getMessage().startswith("apitools not"))
