"""Tables of lexical simplification: instances, candidates, selections, rankings, rewritten sentences."""
