-- When the Kafka protocol last gave each part of a cluster's description.
-- in:  raw_sweeps, raw_topic_configs
-- out: one row per cluster that any sweep of the day names; sweeps of the day, null where no sweep gave that part.
--      topics_unseen: what topics_sweep says of topics that Kafka did not tell of; null where it told of all
WITH sweeps AS (
    SELECT
        cluster,
        max(sweep_at) FILTER (WHERE NOT array_contains(admin_missing, 'topics')) AS topics_sweep,
        max_by(regexp_extract(admin_detail, 'some_topics: ([^;]*)', 1), sweep_at)
        FILTER (WHERE NOT array_contains(admin_missing, 'topics')) AS topics_unseen,
        max(sweep_at) FILTER (WHERE NOT array_contains(admin_missing, 'group_offsets')) AS offsets_sweep,
        max(sweep_at) FILTER (WHERE NOT arrays_overlap(admin_missing, array('group_offsets', 'group_members')))
            AS members_sweep,
        min(sweep_at) FILTER (WHERE NOT array_contains(admin_missing, 'group_offsets')) AS first_offsets_sweep
    FROM raw_sweeps
    WHERE to_date(sweep_at) = :ds AND admin_outcome != 'failed'
    GROUP BY cluster
),

-- some topics may be described although others gave no answer
configs AS (
    SELECT
        cluster,
        max(sweep_at) AS configs_sweep
    FROM raw_topic_configs
    WHERE name = 'min.insync.replicas' AND to_date(sweep_at) = :ds
    GROUP BY cluster
)

SELECT
    r.cluster,
    max(s.topics_sweep) AS topics_sweep,
    max(c.configs_sweep) AS configs_sweep,
    max(s.offsets_sweep) AS offsets_sweep,
    -- assignments tell which partitions are still read: offsets without them only where no sweep gave both
    coalesce(max(s.members_sweep), max(s.offsets_sweep)) AS lags_sweep,
    max(s.first_offsets_sweep) AS first_offsets_sweep,
    concat('some topics were not read: ', nullif(max(s.topics_unseen), '')) AS topics_unseen
FROM raw_sweeps AS r
LEFT JOIN sweeps AS s ON r.cluster = s.cluster
LEFT JOIN configs AS c ON r.cluster = c.cluster
WHERE to_date(r.sweep_at) = :ds
GROUP BY r.cluster
