"""Every rule, its words and its order; the verdict."""
