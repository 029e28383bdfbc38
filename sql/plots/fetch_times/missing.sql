-- What the plot of fetch times cannot show.
-- in:  request_times, broker_days
-- out: per cluster one sentence for each reason why brokers have no points
-- the first sweep shows only what was before it, so a fetch is seen from the second one on
WITH fetched AS (
    SELECT
        b.cluster,
        b.broker,
        count(r.broker) AS sweeps,
        coalesce(max(r.observations) > min(r.observations), FALSE) AS was_fetched_from
    FROM broker_days AS b
    LEFT JOIN request_times AS r
        ON b.cluster = r.cluster AND b.broker = r.broker AND r.request = 'FetchConsumer' AND r.phase = 'RemoteTimeMs'
    WHERE b.is_broker
    GROUP BY b.cluster, b.broker
),

silent AS (
    SELECT
        cluster,
        CASE
            WHEN sweeps = 0 THEN 'fetch times were not read on broker '
            WHEN sweeps = 1 THEN 'fetch times were read only once on broker '
            ELSE 'no consumer fetched from broker '
        END AS said,
        sort_array(collect_list(broker)) AS brokers
    FROM fetched
    WHERE NOT was_fetched_from
    GROUP BY cluster, said
)

SELECT
    cluster,
    concat(
        said, array_join(transform(slice(brokers, 1, 10), b -> cast(b AS STRING)), ', '),
        CASE WHEN size(brokers) > 10 THEN concat(' and ', size(brokers) - 10, ' more') ELSE '' END
    ) AS missing
FROM silent
