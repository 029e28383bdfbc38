"""Log marks: counts of a few lines that brokers and kernels log, from Loki or from a textfile of node_exporter."""
