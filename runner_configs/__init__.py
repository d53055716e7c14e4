"""Runner configurations as package data; there is no code here. See README.md."""
