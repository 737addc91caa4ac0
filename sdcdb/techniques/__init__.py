"""Published perturbation techniques, one per file. `registry` finds every file that defines a TECHNIQUE."""
