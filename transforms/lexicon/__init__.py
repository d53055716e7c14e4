"""What words are looked up in: resources, compiled once and mapped into memory."""
