"""Pixels in, pixels and numbers out."""
