"""Figures and tables with their captions, labels and descriptions."""
