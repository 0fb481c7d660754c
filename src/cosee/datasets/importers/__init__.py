"""The published benchmarks that can be imported, a file each."""
