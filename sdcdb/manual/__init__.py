"""The parts of the documentation that the code itself writes: one module, one page. The highest layer: imports any."""
