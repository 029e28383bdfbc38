"""Counts log marks on a broker's host: takes its log files and the kernel's log, writes a textfile for node_exporter.

Stands alone: copy this folder to the host; Python 3.7 or later without any package. Run it every minute:

    cd /opt && python3 -m kafka_log_marks --log /var/log/kafka/server.log \\
        --cleaner-log /var/log/kafka/log-cleaner.log --kernel /dev/kmsg \\
        --state /var/lib/kafka_log_marks/state.json --output /var/lib/node_exporter/kafka.prom

The first run begins at the end of each log. Each later one reads on from where the last one ended, over rotations.
Nothing of a line is kept but counts, times and one number.
"""
