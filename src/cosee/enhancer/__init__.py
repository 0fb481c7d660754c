"""M1, first half: the adapted content list becomes the enhanced one (furniture, headings, captions, figures)."""
