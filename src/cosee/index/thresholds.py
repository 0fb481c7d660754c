"""The limits, tolerances and sizes by which an index is made and checked, each with its unit and its reason."""

SECTION_SENTENCES, LONG_SECTION_SENTENCES, MEDIA_SENTENCES = 3, 6, 3
"""Sentences of the extractive summary of a section, of a long section, and of an image or table."""
LONG_SECTION = 40
"""Sentences of its own text from which a section counts as long."""
LONG_LEAF, LONG_LEAF_SENTENCES, LEAF_SENTENCES = 3, 2, 1
"""A leaf of more sentences than the first has a summary of the second number of sentences, any other of the third."""
MMR_LAMBDA = 0.72
"""Relevance against novelty when a summary's sentences are chosen: 1 takes the most relevant whatever they repeat."""
CANDIDATE_SENTENCES = 200
"""Sentences of a text that are compared for its summary: enough for a gist, and the work stays linear in the text."""
SUBTREE_TEXTS = 40
"""Nodes below a section without text of its own that are summarised in its place."""
CHARACTERS_OF_A_WORD = 10
"""A summary has at most this many characters for each word that it may have: a "word" can be a line of dots."""

SHOWN_CHARACTERS = 8_000
"""Characters of a node's text that a model is shown for its summary."""
FAILED_CALLS = 3
"""Failed calls in a row after which the model is not asked for the rest of the document: its server is gone."""

SKETCH_KEYWORDS = 8
"""Key words of a section's sketch."""
LONGEST_RUN = 4
"""Characters of a script without spaces that are one key word; a longer run is several words and gives its pairs."""
TREND_PERIODS, TREND_YEARS_OF_TEXT = 3, 2
"""Different periods of a table or years of an image that show a trend, and years of a text that speaks of one."""
SHARED_UNIT = 0.6
"""Share of a column's values that must carry a unit for it to be the column's: single cells may have another."""
CHUNK_OVERLAP = 20
"""Words that neighbouring chunks of a leaf share, so that a sentence at their border is whole in one of them."""
TABLE_ROWS = 40
"""Records of rows that one table has at most; in a longer one several rows share a record."""
CAPTION_WORDS = 20
"""Words of the caption at the head of a row's text; what comes after seldom tells one table from another."""
NEAR_LABELS = 64
"""Nodes with one label among which the shared sections decide; of more, those nearest by page are compared."""
NO_LENGTH = 1e-9
"""Stands for the average length of a field that no document has, by which is divided."""

PAGE_DPI = 120
"""Of the pictures that a page embedder sees: an A4 page has 1.4 million pixels, twice what 768 patches hold."""
PAGES_AT_A_TIME = 16
"""Pages rendered by one child process, and held as pictures."""
DECODED_ROWS = 16_384
"""Rows of page vectors that are decoded at a time: 8 MiB of float32 at 128 dimensions."""
MAPPED_BYTES = 1 << 20
"""Bytes of a file of page vectors above which it is mapped into memory and not read whole."""

HNSW_ABOVE = 50_000
"""Vectors of a view above which a search goes through an HNSW graph: up to here an exact search takes milliseconds."""
HNSW_LINKS, HNSW_BUILD, HNSW_SEARCH = 32, 200, 64
"""M, efConstruction and efSearch of the graph."""

PROBES_AT_LOAD, PROBES_AT_BUILD = 12, 200
"""Titles that are searched for, each of which must find its node: few at each load, since every search waits for it."""
FRESH_VECTORS = 4
"""Texts that are embedded once more, past the cache, to see whether their vectors are theirs."""
NORM_TOLERANCE = 1e-3
"""How far the norm of a unit vector may be from 1, in float32 or restored from one byte a number."""
SAME_TEXT_COSINE, COSINE_TOLERANCE = 0.99, 1e-3
"""Least cosine of a text's vector to that of the same text embedded again, and how far it may lie below the best: the
index may hold it in one byte a number, and other texts may have the same vector."""
APPROXIMATE_HITS = 100
"""Hits among which a text embedded again must find itself where the search goes through the graph."""
SHARED_VECTORS = 8
"""Different texts that may have the vector of another text, however few texts there are; of many texts half may."""
PROBLEMS_NAMED = 3
"""Problems of an index that an error names: the first tells what is wrong, and there can be one for every node."""
