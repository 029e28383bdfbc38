"""What every package may use: errors, YAML, addresses, texts, parallel work, folders of the installation."""
