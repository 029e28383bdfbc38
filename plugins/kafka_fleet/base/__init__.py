"""What every other package may use: errors, YAML, addresses, texts, folders of the installation. It imports none of them."""
