"""The workflow and the files that a new project begins with; the built wheel carries them in this folder."""
