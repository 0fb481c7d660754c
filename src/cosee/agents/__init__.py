"""Ways to answer: CoSee's shared board and what it is compared with, each a strategy behind one interface."""
