-- Whether a skipped start could be seen.
-- out: share of the day of each cluster, and reads of each broker that tell of all logs: none that was cut off does
SELECT
    cluster,
    'group_starts' AS need,
    NULL AS broker,
    offsets_covered AS amount
FROM cluster_days
UNION ALL
SELECT
    cluster,
    'log_starts' AS need,
    broker,
    ok_reads + partial_reads AS amount
FROM broker_days
