-- Partitions led by a broker that was outside their in-sync replicas at the sweep before, where controllers counted
-- unclean elections in between.
-- in:  unclean_elections, raw_topics, broker_intervals
-- out: one row per partition and such pair of sweeps. same_topic: by topic id, null where releases have none.
--      replaced: none of the replicas that were in sync is so now, but for those whose process began in between; a
--      leader that came back into sync and was preferred leaves the others there
WITH counted AS (
    SELECT *
    FROM unclean_elections
    WHERE unclean_elections > 0
),

begun AS (
    SELECT
        c.cluster,
        c.to_sweep,
        collect_set(i.broker) AS brokers
    FROM counted AS c
    INNER JOIN broker_intervals AS i
        ON c.cluster = i.cluster AND c.from_sweep = i.from_sweep AND c.to_sweep = i.to_sweep
    WHERE i.kind = 'sweeps' AND NOT i.same_process
    GROUP BY c.cluster, c.to_sweep
)

SELECT
    c.cluster,
    t.topic,
    t.partition,
    c.from_sweep,
    c.to_sweep,
    f.leader AS from_broker,
    t.leader AS broker,
    c.unclean_elections,
    c.exact_elections,
    f.topic_id = t.topic_id AS same_topic,
    size(filter(f.isr, x -> array_contains(t.isr, x) AND NOT coalesce(array_contains(b.brokers, x), FALSE))) = 0
        AS replaced
FROM counted AS c
INNER JOIN raw_topics AS t ON c.cluster = t.cluster AND c.to_sweep = t.sweep_at
INNER JOIN raw_topics AS f
    ON c.cluster = f.cluster AND c.from_sweep = f.sweep_at AND t.topic = f.topic AND t.partition = f.partition
LEFT JOIN begun AS b ON c.cluster = b.cluster AND c.to_sweep = b.to_sweep
WHERE
    size(f.isr) > 0
    AND NOT array_contains(f.isr, t.leader)
    -- a replica that was added meanwhile has to be in sync before it leads
    AND array_contains(f.replicas, t.leader)
    AND coalesce(f.topic_id = t.topic_id, TRUE)
