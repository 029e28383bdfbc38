-- Topics whose replication is throttled at the last sweep of the day that read their settings, and for how long.
-- in:  raw_topic_configs, cluster_days
-- out: one row per such topic. from_sweep: the first since which every sweep that read its settings has shown it
WITH states AS (
    SELECT
        cluster,
        topic,
        name,
        sweep_at,
        last_sweep_at,
        coalesce(value, '') != '' OR redacted AS is_set,
        max(if(coalesce(value, '') = '' AND NOT redacted, last_sweep_at, NULL)) OVER (
            PARTITION BY cluster, topic, name
        ) AS unset_at
    FROM raw_topic_configs
    WHERE name IN ('leader.replication.throttled.replicas', 'follower.replication.throttled.replicas')
),

settings AS (
    SELECT
        cluster,
        topic,
        name,
        min(sweep_at) AS from_sweep,
        max(last_sweep_at) AS last_sweep
    FROM states
    WHERE is_set AND (unset_at IS NULL OR sweep_at > unset_at)
    GROUP BY cluster, topic, name
)

SELECT
    s.cluster,
    s.topic,
    min(s.from_sweep) AS from_sweep,
    max(d.configs_sweep) AS to_sweep
FROM settings AS s
INNER JOIN cluster_days AS d ON s.cluster = d.cluster AND s.last_sweep >= d.configs_sweep
GROUP BY s.cluster, s.topic
