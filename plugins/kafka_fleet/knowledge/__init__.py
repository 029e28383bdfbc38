"""What is known of Kafka, as data and pure functions: releases, advisories, verdicts, upgrade plans."""
