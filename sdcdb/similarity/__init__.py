"""Which values of a category are alike: co-occurrence, similarity, partitions, DETECTIVE and CACTUS."""
