"""Ways to answer: CoSee's shared board and the baselines, each a strategy behind one interface."""
