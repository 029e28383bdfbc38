"""Days before the installation: what an existing Prometheus scraped becomes ordinary sweeps of past days."""
