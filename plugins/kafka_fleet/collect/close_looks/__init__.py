"""Close looks: dense reads of the few brokers and partitions that a check suspects."""
