"""The limits and weights of a search, each with its unit and its reason. What is fitted stands in ``page_weights``."""

from collections.abc import Mapping

RRF_K = 20
"""The constant of reciprocal rank fusion; small, since one document has few nodes."""
ROLE_BONUS, AFFORDANCE_BONUS, VARIANT_BONUS = 0.5, 0.25, 0.25
"""What a preferred role, a wanted affordance, and the preferred section variant or chart kind add to the intent bonus,
which is 1 where a node has all three."""
RERANK_WEIGHTS: Mapping[str, float] = {
    "is_title_hit": 0.06, "is_path_hit": 0.03, "is_label_hit": 0.40, "schema_hit": 0.05, "alias_hit": 0.02,
    "unit_match": 0.02, "page_dist": 0.03, "same_section": 0.03, "supports_intent": 0.03,
}  # fmt: skip
"""What each feature, whose value is 0..1, adds to a fused score at 1."""

ANCHORS = 3
"""Best hits of the channels, from which the tree prior is measured."""
EXPANDED_HITS = 5
"""Best fused hits whose neighbours join the candidates."""
CHILDREN, SIBLINGS, SAME_PAGE, REFERRING = 2, 2, 8, 8
"""Neighbours of a hit by relation: its first children, nearest siblings, nodes of its page, leaves that refer to it."""
NAMED_RELATIONS = 2
"""Relations to other hits that are given among the reasons of a hit."""

COUNTED_HITS = 20
"""The best so many hits are counted on each page."""
OTHER_READING = 0.15
"""Taken off the 1 of a named page for every reading of its number that is likelier."""
NEEDED_CHANCE = 0.05
"""Pages are given until none is left whose chance to be needed reaches this."""
MOST_PAGES = 10
"""Pages that are given at most."""
LEAST_SHARE = 1e-6
"""Stands for a share of 0 where its logarithm is taken: shares are rounded to six digits."""

PASSAGE_WORDS, PASSAGE_STEP, TOP_WORDS = 150, 50, 8
"""Words of the part of a page that a reranker reads, what its beginnings are apart, and the page's first words that it
reads before it: a title, mostly."""
FURTHER_TERM, FURTHER_TERMS = 0.2, 3
"""What a term adds each further time that it stands in a passage, beside 1 for the first, and how often at most."""
READ_CHANCE = 0.03
"""A reranker reads pages until none is left whose chance to be needed, as it was before, reaches this."""

LEAST_SIMILARITY = 0.6
"""Cosine of two words' letter groups below which they count as different: one misread letter of six stays above."""
LEAST_LETTERS = 4
"""Letters from which a word is compared by its letter groups; shorter ones have too few to tell them from another."""
SHORTEST_CORRECTED = 5
"""Letters from which a word that the document lacks counts as misspelt; shorter ones have too many neighbours."""
CORRECTION_WEIGHT, LINE_ITEM_WEIGHT = 0.8, 0.5
"""Weights of a word of the document in the place of a misspelt one, and of a line item, beside 1 for a word that the
question has."""
PARTS_SHARE = 0.33
"""Share of a question's parts together in a merged score; the whole question keeps the rest."""

LONGEST_STATEMENT_TITLE = 120
"""Characters of a line that can head a financial statement; a longer one is a sentence about it."""
LONGEST_NAMED_TITLE = 12
"""Most terms of a section's title that a question would repeat."""
CJK_NUMBER_CHARACTERS = 12
"""Characters at the beginning of a title among which a chapter's number in Chinese or Japanese stands."""
