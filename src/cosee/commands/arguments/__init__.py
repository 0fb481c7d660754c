"""The arguments and options of each command with its help; the command itself is loaded when it is called."""
