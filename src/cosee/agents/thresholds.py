"""Limits and weights that all methods share: how evidence is held against a document, and how answers are shortened."""

RESERVED_TOKENS = 2_048
"""Tokens of a model's context that no evidence takes: prompts, board or conversation, and the reply need room."""
EXTRACTION_REPLY_TOKENS = 128
"""Longest reply of the extractor, which gives a short answer and the words that hold it."""
MAX_COUNTED_PAGES = 100
"""Pages that are read at most where a question counts things over the whole document."""
MAX_NAMED_PAGES = 10
"""Pages that are read at most because the question names them."""
PAGES_WITHOUT_CHANCES = 5
"""Pages that ``pages: auto`` reads where the ranking does not say how likely each of them is needed."""
TRACED_PAGES = 20
"""Pages of a ranking that the trace keeps: deeper ones explain nothing about an answer and would fill the file."""
TRACED_HITS = 10
"""Nodes of a ranking that the trace keeps."""
MIN_QUOTE_WORDS = 3
"""Telling words from which a quote that is not there word by word is looked for: fewer words are there by chance."""
MIN_QUOTE_SHARE = 0.75
"""Share of a quote's telling words, all of its figures among them, from which a place says it in other words."""
MAX_GAP_CHARACTERS = 300
"""Characters that three dots in a quote may stand for; a longer gap joins what does not belong together."""
MAX_PLACES_READ = 8
"""Pieces of an answer's evidence that recognition may verify, each by a run of the OCR engine; the first ones."""
UNSUPPORTED_CONFIDENCE = 0.5
"""What a confidence is multiplied by where nothing that it rests on was found; in proportion where some was."""
UNVERIFIED_WEIGHT = 0.5
"""How much a place or quote that could not be verified counts beside one that was."""
UNSTATED_CONFIDENCE = 0.5
"""Confidence of an answer whose model states none."""
MIN_PERCENTAGE = 2
"""A confidence from here to 100 was meant in per cent; one below it, and above 1, is taken for 1."""
CROP_MARGIN = 0.01
"""Share of the page that a crop shows around its box, so that letters at the edge are not cut."""
MAX_ITEM_WORDS = 6
"""A text with commas is a list where no part has more words; longer parts are clauses of a sentence."""
MAX_JOINED_WORDS = 3
"""The same for parts that only "and" joins, which sentences have more often than lists."""
MAX_SUBJECT_CHARACTERS = 160
"""Longest subject that only repeats the question and is taken off an answer."""
MAX_PREDICATE_WORDS = 8
"""More words after such a subject are a sentence, which is left as it is."""
