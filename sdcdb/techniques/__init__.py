"""Published ways to perturb, one file each. A file that defines a TECHNIQUE is found by itself: see `registry`."""
