"""The analyst's prompt: statements in, answers and explained denials out."""
