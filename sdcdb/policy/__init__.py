"""The policy: one YAML file that says what every column is, what must be kept, and what to publish."""
