"""Commands `corpus`, `init` and `sample`: what stands before every task."""
