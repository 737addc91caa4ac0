"""The rules `interval` and `cae`: how much room every record has left."""
