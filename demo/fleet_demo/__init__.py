"""Real Kafka clusters, clients and faults on the loopback interface, for the demonstration and the live tests."""
