"""How an analyst meets the gateway in a terminal: statements in, drawn answers and explained denials out."""
