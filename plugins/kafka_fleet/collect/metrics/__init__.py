"""A broker over its metrics endpoint: the names of metrics, the text that is read, the rows that it gives."""
