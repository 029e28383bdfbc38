"""One cluster over the Kafka admin protocol: metadata, settings, groups, offsets, producers."""
