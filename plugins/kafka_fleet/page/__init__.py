"""The Fleet Health page: takes a home, shows its published days; it computes nothing and writes nothing."""
