"""Collection: Jolokia, the Kafka admin protocol and host metrics of one cluster become one sweep of raw tables."""
