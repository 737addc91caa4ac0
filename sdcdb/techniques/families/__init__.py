"""What several techniques share. A module here is not a technique: the registry does not look inside."""
