"""What people write: the fleet file, credentials by connection id, acknowledgements."""
