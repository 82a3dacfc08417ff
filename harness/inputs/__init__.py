"""Files that people write, into one frozen plan; every complaint names file and line."""
