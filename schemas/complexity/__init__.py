"""Tables of lexical complexity: instances, judgments, labels, splits, features, predictions."""
