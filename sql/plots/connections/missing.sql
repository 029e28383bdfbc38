-- What the plot of connections cannot show.
-- in:  listener_connections, broker_days
-- out: one sentence per cluster with brokers whose listeners were not read
WITH unread AS (
    SELECT
        b.cluster,
        sort_array(collect_set(b.broker)) AS brokers
    FROM broker_days AS b
    LEFT ANTI JOIN listener_connections AS l ON b.cluster = l.cluster AND b.broker = l.broker AND l.held IS NOT NULL
    WHERE b.is_broker
    GROUP BY b.cluster
)

SELECT
    cluster,
    concat(
        'connections were not read at two sweeps on broker ',
        array_join(transform(slice(brokers, 1, 10), b -> cast(b AS STRING)), ', '),
        CASE WHEN size(brokers) > 10 THEN concat(' and ', size(brokers) - 10, ' more') ELSE '' END
    ) AS missing
FROM unread
