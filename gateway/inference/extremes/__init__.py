"""MIN and MAX: who may hold the value, and what it says of everybody else."""
