"""Metrics that clients push to brokers (KIP-714), read from the Prometheus that has them."""
