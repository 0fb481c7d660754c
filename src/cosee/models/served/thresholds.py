"""Bounds of the clients of served models: seconds, bytes, characters and tokens."""

CONNECT_SECONDS = 5.0
"""Until a server that is there has taken a connection; longer only delays the word that none is there."""
LIST_SECONDS = 8.0
"""For the list of models, which a server that works has at hand, however busy its model is."""
MOST_DOUBLINGS = 6
"""Of the second that a busy server is given before it is asked again: at most 64 s, so that its return is noticed."""
FIRST_PAUSE_SECONDS = 0.5
"""Before the first look at a server that is away: one that only broke off a connection is back by then."""
LONGEST_PAUSE_SECONDS = 15.0
"""Between two looks at a server that is away; they double up to this."""
GIVEN_UP_SECONDS = 60.0
"""For which a server that was given up is not asked: calls end at once, and a service that lives on asks again."""
REPORT_SECONDS = 60.0
"""Between two lines of the log about a server that is away."""

SHORTEST_SECRET = 12
"""Characters: longer keys and headers are masked. A shorter one is a word like EMPTY, for servers that check none, and
may stand in any text."""
MESSAGE_CHARACTERS = 300
"""Of what a server says that are passed on: one line of a log or an error."""
REPLY_CHARACTERS = 120
"""Of an answer that is no reply which are quoted: enough to recognise a web page."""
REFUSAL_CHARACTERS = 4_000
"""Of a refusal that are searched for its meaning; some servers send the whole request back with it."""

ANTHROPIC_PICTURE_BYTES = 3_700_000
"""The provider takes 5 MB of base64, which is four thirds of the bytes."""
GOOGLE_PICTURE_BYTES = 7_000_000
"""The provider takes 7 MB for a picture inside the request."""
OPENAI_PICTURE_BYTES = 15_000_000
"""The provider takes 20 MB of base64, which is four thirds of the bytes."""
OPENAI_STOPS = 4
"""Stop strings that the protocol takes; with more the request is refused."""
ANTHROPIC_MODELS = 1_000
"""Models of one page of the provider's list, the most that it gives."""

PROBE_PICTURE_SIDE = 64
"""Pixels of the picture of the probe; vision models refuse one that is much smaller."""
PROBE_TOKENS = 16
"""Room for the reply to the probe, whose words do not matter."""

LEAST_PICTURE_TOKENS = 64
"""No model makes fewer tokens of a page's picture: what a prompt has at least is counted with it."""
MOST_LETTERS_OF_A_TOKEN = 6
"""No tokenizer makes fewer tokens of a text on average: what a prompt has at least is counted with it."""
MOST_PAGE_DENSITY = 1.5
"""A page is taken to have at most so many times the tokens of as many letters and pictures of its whole prompt; with
less, pages would be left out that the server takes."""
