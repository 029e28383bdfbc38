"""Connections to brokers and agents under hard limits: HTTP, pinned addresses, TLS, pacing."""
