-- Which broker coordinated each consumer group at each usable sweep, also one that did not list the group. A group's
-- partition of __consumer_offsets is abs(Java's hashCode of its name) modulo their number.
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        row_number() OVER (PARTITION BY cluster ORDER BY sweep_at) AS sweep_number
    FROM cluster_sweeps
    WHERE usable
),

sizes AS (
    SELECT
        cluster,
        count(DISTINCT partition) AS partition_count
    FROM raw_topics
    WHERE topic = '__consumer_offsets'
    GROUP BY cluster
),

placed AS (
    SELECT
        g.cluster,
        g.group_id,
        -- h * 31 + code unit in 32 bits; BIGINT holds every step. A character outside the basic plane is two units
        aggregate(
            regexp_extract_all(hex(encode(g.group_id, 'UTF-16BE')), '(.{4})', 1),
            0L,
            (h, x) -> pmod(h * 31 + try_cast(conv(x, 16, 10) AS BIGINT), 4294967296L)
        ) AS hash_code,
        -- it is signed, and the least has no absolute value
        abs(if(hash_code < 2147483648L, hash_code, hash_code - 4294967296L)) % 2147483648L
        % nullif(s.partition_count, 0) AS offsets_partition
    FROM raw_groups AS g
    LEFT JOIN sizes AS s ON g.cluster = s.cluster
    GROUP BY g.cluster, g.group_id, s.partition_count
),

members AS (
    SELECT
        cluster,
        sweep_at,
        group_id,
        count(*) AS members
    FROM raw_group_members
    GROUP BY cluster, sweep_at, group_id
),

listed AS (
    SELECT
        g.cluster,
        s.sweep_at,
        g.group_id,
        max(g.state) AS group_state
    FROM raw_groups AS g
    INNER JOIN sweeps AS s ON g.cluster = s.cluster AND s.sweep_at BETWEEN g.sweep_at AND g.last_sweep_at
    GROUP BY g.cluster, s.sweep_at, g.group_id
)

SELECT
    p.cluster,
    p.group_id,
    s.sweep_at,
    s.sweep_number,
    l.group_state,
    t.partition AS offsets_partition,
    t.leader AS coordinator,
    l.group_id IS NOT NULL AS listed,
    coalesce(m.members, 0) AS members,
    timestamp_millis(coalesce(b.jvm_start_ms, b.app_start_ms)) AS coordinator_started_at
FROM placed AS p
INNER JOIN sweeps AS s ON p.cluster = s.cluster
LEFT JOIN listed AS l ON p.cluster = l.cluster AND s.sweep_at = l.sweep_at AND p.group_id = l.group_id
LEFT JOIN members AS m ON p.cluster = m.cluster AND s.sweep_at = m.sweep_at AND p.group_id = m.group_id
LEFT JOIN raw_topics AS t
    ON
        p.cluster = t.cluster
        AND s.sweep_at BETWEEN t.sweep_at AND t.last_sweep_at AND t.topic = '__consumer_offsets'
        AND p.offsets_partition = t.partition
LEFT JOIN raw_broker_metrics AS b ON s.cluster = b.cluster AND s.sweep_at = b.sweep_at AND t.leader = b.broker
