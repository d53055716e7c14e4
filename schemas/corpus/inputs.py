"""Table `corpus/inputs`: one row is an input file, with what became of its records."""

from lexbeam.schemas.common_tables import inputs_table

INPUTS = inputs_table("corpus/inputs", ("documents", "its records in table documents"))
