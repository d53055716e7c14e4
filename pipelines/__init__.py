"""The runnable pipelines, one module each, and the command line that dispatches to them."""

import logging

# Beam logs at import that Google's packages are missing, even to those who do not need them.
logging.getLogger().addFilter(lambda record: not record.getMessage().startswith("apitools not"))
