-- Partitions led by a broker that was outside their in-sync replicas at the sweep before, where controllers counted
-- unclean elections in between. A leader that came back into sync and was preferred leaves the others in sync there.
WITH begun AS (
    SELECT
        cluster,
        from_sweep,
        to_sweep,
        collect_set(broker) AS brokers
    FROM broker_intervals
    WHERE kind = 'sweeps' AND NOT same_process
    GROUP BY cluster, from_sweep, to_sweep
)

SELECT
    e.cluster,
    t.topic,
    t.partition,
    e.from_sweep,
    e.to_sweep,
    f.leader AS from_broker,
    t.leader AS broker,
    e.unclean_elections,
    e.exact_elections,
    f.topic_id = t.topic_id AS same_topic,
    size(array_except(array_intersect(f.isr, t.isr), coalesce(b.brokers, array()))) = 0 AS replaced
FROM unclean_elections AS e
INNER JOIN raw_topics AS t ON e.cluster = t.cluster AND e.to_sweep BETWEEN t.sweep_at AND t.last_sweep_at
INNER JOIN raw_topics AS f
    ON
        t.cluster = f.cluster AND t.topic = f.topic AND t.partition = f.partition
        AND e.from_sweep BETWEEN f.sweep_at AND f.last_sweep_at
LEFT JOIN begun AS b ON e.cluster = b.cluster AND e.from_sweep = b.from_sweep AND e.to_sweep = b.to_sweep
WHERE
    e.unclean_elections > 0
    AND size(f.isr) > 0
    AND NOT array_contains(f.isr, t.leader)
    -- a replica that was added meanwhile has to be in sync before it leads
    AND array_contains(f.replicas, t.leader)
    AND coalesce(f.topic_id = t.topic_id, TRUE)
