-- Followers that an in-sync set lacks, at each sweep with metadata.
-- in:  raw_sweeps, raw_topics, short_leaders, raw_brokers
-- out: one row per partition, missing follower and sweep; sweep_number counts a cluster's sweeps with metadata. The
--      hashes tell whether assignment and set are the same at another sweep. is_listed: the cluster lists the follower.
WITH numbered AS (
    SELECT
        cluster,
        sweep_at,
        row_number() OVER (PARTITION BY cluster ORDER BY sweep_at) AS sweep_number
    FROM raw_sweeps
    WHERE admin_outcome != 'failed' AND NOT array_contains(admin_missing, 'topics')
),

-- what the controller told the brokers
told AS (
    SELECT
        cluster,
        sweep_at,
        topic,
        partition,
        topic_id,
        leader,
        replicas,
        isr,
        explode(array_except(replicas, isr)) AS follower
    FROM raw_topics
    WHERE leader IS NOT NULL AND size(isr) < size(replicas)
),

-- what the leader itself holds: a set that is short there alone has lost any of its followers
held AS (
    SELECT
        t.cluster,
        t.sweep_at,
        t.topic,
        t.partition,
        t.topic_id,
        t.leader,
        t.replicas,
        t.isr,
        explode(array_remove(t.replicas, t.leader)) AS follower
    FROM short_leaders AS p
    INNER JOIN raw_topics AS t
        ON
            p.cluster = t.cluster
            AND p.sweep_at = t.sweep_at
            AND p.topic = t.topic
            AND p.partition = t.partition
            AND p.broker = t.leader
    WHERE size(t.isr) >= size(t.replicas)
),

either AS (
    SELECT * FROM told
    UNION ALL
    SELECT * FROM held
),

listed AS (
    SELECT
        cluster,
        sweep_at,
        broker
    FROM raw_brokers
    WHERE host IS NOT NULL
)

SELECT
    m.cluster,
    m.sweep_at,
    n.sweep_number,
    m.topic,
    m.partition,
    m.topic_id,
    m.leader,
    m.follower,
    m.follower = get(m.replicas, 0) AS is_preferred,
    size(m.replicas) AS replica_count,
    size(m.isr) AS isr_count,
    xxhash64(m.replicas) AS replicas_hash,
    xxhash64(sort_array(m.isr)) AS isr_hash,
    l.broker IS NOT NULL AS is_listed
FROM either AS m
INNER JOIN numbered AS n ON m.cluster = n.cluster AND m.sweep_at = n.sweep_at
LEFT JOIN listed AS l ON m.cluster = l.cluster AND m.sweep_at = l.sweep_at AND m.follower = l.broker
