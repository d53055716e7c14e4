"""What the pipelines are made of: formulas, stages and Beam glue, a room for each stage of a task."""
