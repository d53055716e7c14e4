"""Lets these tests import what they share (`people_making.py`)."""
