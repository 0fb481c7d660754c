"""Figures of a page: pictures, drawings and the captions beside them."""
