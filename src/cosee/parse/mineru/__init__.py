"""MinerU's content list as an input in place of our own reading."""
