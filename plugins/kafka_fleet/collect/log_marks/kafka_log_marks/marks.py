"""The marks: id, log, message and number of each. From knowledge/log_marks.yaml by docs/generate.py."""

# ruff: noqa: E501
from __future__ import annotations

MARKS: list[tuple[str, str, str, str]] = [
    (
        "clean_start",
        "broker",
        "(?:\\[(?:Log|LogLoader|UnifiedLog|Partition) [^\\]]{1,4500}\\] |Partition \\[[^\\]]{1,300}\\] on broker \\d{1,10}: )?Skipping recovery (?:for all logs in|of (\\d{1,9}) logs from) .{1,4096} since clean shutdown file was found",
        "logs",
    ),
    (
        "unclean_start",
        "broker",
        "(?:\\[(?:Log|LogLoader|UnifiedLog|Partition) [^\\]]{1,4500}\\] |Partition \\[[^\\]]{1,300}\\] on broker \\d{1,10}: )?(?:Attempting recovery for all logs in|Recovering (\\d{1,9}) logs from) .{1,4096} since no clean shutdown file was found",
        "logs",
    ),
    (
        "recovered_segment",
        "broker",
        "(?!\\[\\w+ partition=__cluster_metadata-)(?:\\[(?:Log|LogLoader|UnifiedLog|Partition) [^\\]]{1,4500}\\] |Partition \\[[^\\]]{1,300}\\] on broker \\d{1,10}: )?Recovering unflushed segment \\d{1,19}(?:$|\\W)",
        "",
    ),
    (
        "producer_state_rebuilt",
        "broker",
        "(?!\\[\\w+ partition=__cluster_metadata-)(?:\\[(?:Log|LogLoader|UnifiedLog|Partition) [^\\]]{1,4500}\\] |Partition \\[[^\\]]{1,300}\\] on broker \\d{1,10}: )?Producer state recovery took \\d{1,12}ms for snapshot load and ([1-9]\\d{0,11})ms for segment recovery from offset",
        "ms",
    ),
    (
        "isr_version_refused",
        "broker",
        "(?:\\[(?:Log|LogLoader|UnifiedLog|Partition) [^\\]]{1,4500}\\] |Partition \\[[^\\]]{1,300}\\] on broker \\d{1,10}: )?Cached zkVersion \\[?\\d{1,10}\\]? not equal to that in zookeeper, skip updating ISR",
        "",
    ),
    (
        "isr_not_enqueued",
        "broker",
        "(?:Caused by: )?java\\.lang\\.IllegalStateException: Failed to enqueue (?:ISR change state|`AlterIsr` request with state) ",
        "",
    ),
    (
        "isr_change_rejected",
        "broker",
        "(?:\\[(?:Log|LogLoader|UnifiedLog|Partition) [^\\]]{1,4500}\\] |Partition \\[[^\\]]{1,300}\\] on broker \\d{1,10}: )?(?:(?:Controller failed|Failed) to update ISR to .{1,2000} due to unexpected [A-Z_]{1,60}\\. Retrying\\.|Failed to alter partition to .{1,2000} since the controller rejected the request with )",
        "",
    ),
    (
        "load_owned_twice",
        "broker",
        "\\[GroupCoordinator id=\\d{1,10}\\] Failed to load metadata from __consumer_offsets-\\d{1,10} with epoch \\d{1,10} due to .{1,16000}Cannot set the (?:epoch|process ID) of .{1,300} because the partition is still owned (?:at epoch|by process ID) \\S{1,100}\\.(?: \\([\\w.$]{1,200}\\))?(?: \\[[^\\]]{1,200}\\])?\\s*$",
        "",
    ),
    (
        "load_not_consumer",
        "broker",
        "\\[GroupCoordinator id=\\d{1,10}\\] Failed to load metadata from __consumer_offsets-\\d{1,10} with epoch \\d{1,10} due to .{1,16000}Group .{0,4096} is not a consumer group\\.{1,2}(?: \\([\\w.$]{1,200}\\))?(?: \\[[^\\]]{1,200}\\])?\\s*$",
        "",
    ),
    (
        "load_not_streams",
        "broker",
        "\\[GroupCoordinator id=\\d{1,10}\\] Failed to load metadata from __consumer_offsets-\\d{1,10} with epoch \\d{1,10} due to .{1,16000}Group .{0,4096} is not a streams group\\.{1,2}(?: \\([\\w.$]{1,200}\\))?(?: \\[[^\\]]{1,200}\\])?\\s*$",
        "",
    ),
    (
        "cleaner_died",
        "cleaner",
        "\\[kafka-log-cleaner-thread-\\d{1,4}\\][:,] Error due to",
        "",
    ),
    (
        "syn_flood",
        "kernel",
        "(?:TCP: )?(?:request_sock_\\w{1,30}: )?[Pp]ossible SYN flooding on port (?:\\S{1,64}:)?(\\d{1,5})\\. (?:Sending cookies|Dropping request)",
        "port",
    ),
]
