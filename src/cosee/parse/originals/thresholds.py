"""Limits of making a PDF of a file that is none: what an untrusted file may cost."""

MEMORY, OUTPUT = 4_000_000_000, 1_000_000_000
"""Bytes of memory of a converter's process, and of the largest file that it may write."""
CPU_SHARE = 4
"""Processors' worth of time that a converter may use while it runs."""
SAID = 4000
"""Bytes kept of the end of what a converter says."""
MAX_MESSAGE, MAX_CAUSE = 300, 200
"""Characters of a message about a file that failed, and of what the converter says of it."""

MAX_BYTES, MAX_PARTS = 500_000_000, 20_000
"""Bytes of a file, and of everything that a packed one unfolds to; parts of a packed one."""
MAX_RATIO, SMALL = 200, 50_000_000
"""Times its packed size that a file of more than so many bytes may unfold to."""
HEAD, PDF_HEAD = 4096, 1024
"""Bytes of a file's start that tell its kind; those in which a PDF's header lies."""
MAX_LIST = 1_000_000
"""Bytes that are read of a packed file's lists of parts."""

LONG_SIDE = 792.0
"""Points of the longer side of a page (11 inches) where the picture does not say how large it is."""
SHORTEST, LONGEST = 72.0, 2400.0
"""Points of the longer side between which a stated size is believed."""
MAX_WIDTH, MARGIN = 4000.0, 60.0
"""Points up to which the pages of a web page are made wider for its tables, and the margin beside these."""
MAX_SYMBOL_PARTS = 8
"""Elements of a drawing that may be a symbol, itself included."""
MAX_FRAMES = 2000
"""Frames of a picture that become pages."""

MAX_DEPTH = 20
"""Groups in groups, styles based on styles, and content in content that are followed: a file may nest without end."""
MAX_LEVEL = 9
"""Deepest level of a heading that Word knows."""
