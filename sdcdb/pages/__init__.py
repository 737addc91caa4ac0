"""HTML and SVG for people, in one theme. Takes results; computes none."""
