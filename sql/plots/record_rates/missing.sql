-- What the plot of record rates cannot show.
-- in:  broker_days
-- out: one sentence per cluster with brokers that were not read
WITH unread AS (
    SELECT
        cluster,
        sort_array(collect_list(broker)) AS brokers
    FROM broker_days
    WHERE is_broker AND ok_reads + partial_reads + truncated_reads = 0
    GROUP BY cluster
)

SELECT
    cluster,
    concat(
        'partitions led by broker ', array_join(transform(slice(brokers, 1, 10), b -> cast(b AS STRING)), ', '),
        CASE WHEN size(brokers) > 10 THEN concat(' and ', size(brokers) - 10, ' more') ELSE '' END,
        ' are not in it: nothing was read there'
    ) AS missing
FROM unread
