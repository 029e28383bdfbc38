-- What the plot of record rates cannot show.
-- out: one row per broker that was not read
SELECT
    cluster,
    'unread' AS missing,
    broker
FROM broker_days
WHERE is_broker AND ok_reads + partial_reads + truncated_reads = 0
