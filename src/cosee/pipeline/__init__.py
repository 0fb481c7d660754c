"""Running many documents: stages, shards, locks, limits, stamps, ledgers. Knows no library above it."""
