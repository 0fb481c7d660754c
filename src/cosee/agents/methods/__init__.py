"""The methods, a file each: settings, what is told of it, and how its strategy is made."""
