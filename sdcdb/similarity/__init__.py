"""Which values of a category are similar: co-occurrence, similarity, partitions, DETECTIVE and CACTUS."""
