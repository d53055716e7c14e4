"""What the pipelines are made of: pure modules by domain, and thin Beam glue in `ptransforms`."""
