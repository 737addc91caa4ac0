"""A point that agrees with all answers, and how it moves when an answer is tried or learnt."""
