"""What tests share: servers, builders of rows and days, oracles, generators, and real clusters."""
