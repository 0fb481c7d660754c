"""The enhanced content list as a tree of typed nodes, and how sound it is."""
