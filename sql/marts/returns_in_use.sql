-- Commits that came back to groups that had the partition assigned when their offset went, and what their coordinator
-- counted meanwhile: what takes an offset away, and whether the group can have read other topics.
-- in:  group_starts, group_coordinators, broker_counters, broker_settings, raw_group_assignments, raw_requests
WITH retentions AS (
    SELECT
        cluster,
        min(try_cast(config_value AS BIGINT)) AS retention_minutes
    FROM broker_settings
    WHERE name = 'offsets.retention.minutes'
    GROUP BY cluster
),

gone AS (
    SELECT
        s.cluster,
        s.group_id,
        s.topic,
        s.partition,
        s.before_sweep,
        s.to_sweep,
        a.sweep_at AS gone_sweep,
        a.coordinator,
        a.group_state,
        count(q.cluster) > 0 AS assigned,
        (unix_micros(a.sweep_at) - unix_micros(s.before_sweep)) / 1e6D AS seconds
    FROM group_starts AS s
    INNER JOIN group_coordinators AS v
        ON s.cluster = v.cluster AND s.group_id = v.group_id AND s.before_sweep = v.sweep_at
    INNER JOIN group_coordinators AS a
        ON
            s.cluster = a.cluster AND s.group_id = a.group_id AND v.sweep_number + 1 = a.sweep_number
            AND v.coordinator = a.coordinator
    INNER JOIN raw_group_assignments AS p
        ON
            s.cluster = p.cluster AND s.group_id = p.group_id AND s.topic = p.topic AND s.partition = p.partition
            AND s.before_sweep BETWEEN p.sweep_at AND p.last_sweep_at
    LEFT JOIN raw_group_assignments AS q
        ON
            s.cluster = q.cluster AND s.group_id = q.group_id AND s.topic = q.topic AND s.partition = q.partition
            AND a.sweep_at BETWEEN q.sweep_at AND q.last_sweep_at
    WHERE s.kind = 'return' AND NOT s.topic_created AND v.group_state = 'Stable'
    GROUP BY ALL
),

windows AS (
    SELECT DISTINCT
        cluster,
        coordinator,
        before_sweep,
        gone_sweep
    FROM gone
),

-- a counter is made at its first event; commits were asked for if anything came back
asked AS (
    SELECT
        w.cluster,
        w.coordinator,
        w.gone_sweep,
        count_if(r.request = 'OffsetCommit' AND r.sweep_at = w.gone_sweep) AS commit_counters,
        try_sum(
            if(r.request = 'OffsetCommit' AND coalesce(try_cast(r.version AS INT), 0) <= 4, r.requests, 0)
            * if(r.sweep_at = w.gone_sweep, 1, 0)
        ) AS old_commits,
        try_sum(if(r.request = 'DeleteGroups', r.requests, 0) * if(r.sweep_at = w.gone_sweep, 1, -1)) AS group_deletions
    FROM windows AS w
    INNER JOIN raw_requests AS r
        ON w.cluster = r.cluster AND w.coordinator = r.broker AND r.sweep_at IN (w.before_sweep, w.gone_sweep)
    GROUP BY w.cluster, w.coordinator, w.gone_sweep
)

SELECT
    g.* EXCEPT (before_sweep),
    r.retention_minutes,
    if(q.commit_counters > 0, q.old_commits, NULL) AS old_commits,
    if(q.commit_counters > 0, q.group_deletions, NULL) AS group_deletions,
    max_by(h.kafka_release, h.to_sweep) AS kafka_release,
    -- each from its counter at both ends, of one process
    CASE
        WHEN max(h.to_sweep = g.gone_sweep)
            THEN try_sum(h.offset_expirations) FILTER (WHERE h.to_sweep <= g.gone_sweep)
    END AS offset_expirations,
    CASE
        WHEN max(h.to_sweep = g.gone_sweep)
            THEN try_sum(h.offset_deletions) FILTER (WHERE h.to_sweep <= g.gone_sweep)
    END AS offset_deletions,
    CASE
        WHEN max(h.to_sweep = g.gone_sweep) AND count(*) = count(h.completed_rebalances)
            THEN try_sum(if(h.to_sweep <= g.gone_sweep, h.completed_rebalances, 0))
    END AS rebalances,
    CASE
        WHEN max(h.to_sweep = g.to_sweep) AND count(*) = count(h.completed_rebalances)
            THEN try_sum(h.completed_rebalances)
    END AS return_rebalances
FROM gone AS g
LEFT JOIN retentions AS r ON g.cluster = r.cluster
LEFT JOIN asked AS q ON g.cluster = q.cluster AND g.coordinator = q.coordinator AND g.gone_sweep = q.gone_sweep
INNER JOIN broker_counters AS h
    ON
        g.cluster = h.cluster AND g.coordinator = h.broker AND h.kind = 'sweeps'
        AND g.before_sweep <= h.from_sweep AND g.to_sweep >= h.to_sweep
GROUP BY ALL
HAVING max(h.from_sweep = g.before_sweep)
