-- Whether a step back could be seen, in committed offsets and in log ends.
-- out: share of the day of each cluster, and intervals of each broker whose logs were read in whole
SELECT
    cluster,
    'offset_rewinds' AS need,
    NULL AS broker,
    offsets_covered AS amount
FROM cluster_days
UNION ALL
SELECT
    i.cluster,
    'log_end_losses' AS need,
    i.broker,
    count(*) AS amount
FROM broker_intervals AS i
INNER JOIN broker_days AS b ON i.cluster = b.cluster AND i.broker = b.broker
-- a read that was cut off does not tell of all logs
WHERE i.kind = 'sweeps' AND b.ok_reads + b.partial_reads > 0
GROUP BY i.cluster, i.broker
