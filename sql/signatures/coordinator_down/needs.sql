-- Whether answers without a coordinator are counted, which state its partitions are in, and how large their log is.
-- in:  broker_days, broker_counters, error_counters, log_reads, coordinator_states
-- out: intervals of each broker whose ListGroups were counted, or that found no coordinator; with the gauge of failed
--      partitions, total 1 where its release has none; with the size of its log of offsets, total 1 where it has none
WITH failing AS (
    SELECT
        cluster,
        broker
    FROM coordinator_states
    WHERE kind = 'failed'
),

counted AS (
    SELECT DISTINCT
        cluster,
        broker,
        to_sweep
    FROM error_counters
    WHERE kind = 'sweeps' AND (request = 'ListGroups' OR error LIKE 'COORDINATOR_%')
),

intervals AS (
    SELECT
        d.cluster,
        d.broker,
        count(e.to_sweep) AS answers,
        count(c.offsets_failed) AS states,
        count(c.offsets_log_bytes + c.groups + c.group_offsets) AS sizes,
        if(max(try_cast(split_part(d.kafka_release, '.', 1) AS INT)) >= 4, 0, 1) AS is_old
    FROM broker_days AS d
    LEFT JOIN broker_counters AS c ON d.cluster = c.cluster AND d.broker = c.broker AND c.kind = 'sweeps'
    LEFT JOIN counted AS e ON c.cluster = e.cluster AND c.broker = e.broker AND c.to_sweep = e.to_sweep
    WHERE d.is_broker
    GROUP BY d.cluster, d.broker
)

SELECT
    cluster,
    'answers' AS need,
    broker,
    answers AS amount,
    NULL AS total
FROM intervals
UNION ALL
SELECT
    cluster,
    'states' AS need,
    broker,
    states AS amount,
    is_old AS total
FROM intervals
UNION ALL
SELECT
    cluster,
    'sizes' AS need,
    NULL AS broker,
    max(sizes) AS amount,
    NULL AS total
FROM intervals
GROUP BY cluster
UNION ALL
SELECT
    r.cluster,
    'logs' AS need,
    r.broker,
    r.ok_reads AS amount,
    NULL AS total
FROM log_reads AS r
LEFT SEMI JOIN failing AS f ON r.cluster = f.cluster AND r.broker = f.broker
WHERE r.log = 'broker'
