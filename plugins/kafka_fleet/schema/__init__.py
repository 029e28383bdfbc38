"""What is read and stored: MBeans, raw tables with their columns, the names of settings that may be stored."""
