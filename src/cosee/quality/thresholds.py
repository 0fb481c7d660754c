"""Limits of the assessment of images: what is seen, what is told, and how long texts may be (in characters)."""

SEEN_BELOW = 4.0
"""Score of 1..5 below which a distortion is seen, and so analysed."""
MIN_MEASURED_SIDE = 48
"""Pixels of a side below which a part of an image is not measured: it has too few edges."""
CLASS_SHARPNESS = 1.0
"""How fast the weight of a class falls with the square of its distance from the measured score."""
NO_WEIGHT = 1e-12
"""Sum of the classes' weights below which measures and model exclude each other."""
READABLE, BARELY_READABLE = 3.5, 2.5
"""Least of the scores of what hinders reading at which text is read well, and at all."""
MAX_COMPARED_SIDE = 2048
"""Pixels; larger pairs are made smaller before they are compared, which bounds memory and time."""
MIN_COMPARED_SIDE = 8
"""Pixels that the shorter side keeps then: measures need a window."""
EQUAL_PSNR = 100.0
"""Decibels given for equal pictures, whose value is infinite."""
MAX_REPLANS = 2
"""Ways back to the planner for one question: a third plan has the same evidence to go by."""
MAX_OBJECTS_BY_RULES = 8
"""Objects that rules take from a question: more are no list of things but a text."""
REPLY_TOKENS = 512
"""Of a model that locates objects or answers in one or two sentences."""
RECORD_BYTES = 1024
"""The record of a state is shorter."""
MAX_FILE_NAME = 80
"""Of an image's name in such a record."""
MAX_LOGGED = 500
"""Of a text in the log."""
MIN_SECRET = 6
"""Of a variable that is taken for a key: shorter values stand in ordinary words."""
MAX_PROMPT_ERROR = 300
"""Of an error that is told to the model: the prompt does not grow with its replies."""
MAX_QUOTED_REPLY, MAX_QUOTED_ERROR = 60, 120
"""Of a reply, and of a library's error, that a message quotes."""
MAX_FIELDS_AT_FAULT = 4
"""Fields of an invalid plan that a message names."""
