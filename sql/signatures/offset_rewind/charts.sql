-- Points of the day for the letter's chart: the committed offset, and the log end, that fell furthest.
-- in:  rewound_partitions, rewound_groups, lost_log_ends, group_progress, partition_rates
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, value
WITH worst_commits AS (
    SELECT
        p.cluster,
        max_by(
            struct(p.group_id, p.topic, p.partition), struct(p.records_back, p.group_id, p.topic, p.partition)
        ) AS worst
    FROM rewound_partitions AS p
    INNER JOIN rewound_groups AS g
        ON p.cluster = g.cluster AND p.group_id = g.group_id AND p.topic = g.topic AND p.to_sweep = g.to_sweep
    GROUP BY p.cluster
),

worst_logs AS (
    SELECT
        cluster,
        max_by(struct(topic, partition), struct(records_lost, topic, partition)) AS worst
    FROM lost_log_ends
    GROUP BY cluster
)

SELECT
    p.cluster,
    p.from_sweep AS from_at,
    p.to_sweep AS to_at,
    'offset' AS unit,
    cast(NULL AS DOUBLE) AS threshold,
    concat('Committed offset of group ', p.group_id, ', partition ', p.topic, '-', p.partition) AS title,
    try_cast(p.committed_offset AS DOUBLE) AS ratio
FROM group_progress AS p
INNER JOIN worst_commits AS w
    ON
        p.cluster = w.cluster
        AND p.group_id = w.worst.group_id
        AND p.topic = w.worst.topic
        AND p.partition = w.worst.partition
WHERE p.from_sweep IS NOT NULL
UNION ALL
SELECT
    p.cluster,
    p.from_sweep AS from_at,
    p.to_sweep AS to_at,
    'offset' AS unit,
    cast(NULL AS DOUBLE) AS threshold,
    concat('Log end on the leader, partition ', p.topic, '-', p.partition) AS title,
    try_cast(p.log_end_offset AS DOUBLE) AS ratio
FROM partition_rates AS p
INNER JOIN worst_logs AS w
    ON p.cluster = w.cluster AND p.topic = w.worst.topic AND p.partition = w.worst.partition
ORDER BY cluster, title, to_at
