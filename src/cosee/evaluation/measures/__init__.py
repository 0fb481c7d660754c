"""What is measured of an answer beside its accuracy, a file each."""
