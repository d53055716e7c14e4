"""Models that are trained here and kept: what they are, beside weights that execute nothing."""
