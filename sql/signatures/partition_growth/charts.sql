-- Points of the day for the letter's chart: how fast the worst group of each cause got on with its topic.
-- in:  skipped_partitions, group_progress
-- out: one row per point: cluster, title, unit, threshold, from_at, to_at, value
WITH worst AS (
    SELECT DISTINCT
        cluster,
        group_id,
        topic
    FROM skipped_partitions
    WHERE place = 1
)

SELECT
    p.cluster,
    p.from_sweep AS from_at,
    p.to_sweep AS to_at,
    'records/s' AS unit,
    cast(NULL AS DOUBLE) AS threshold,
    concat('Records committed per second by group ', p.group_id, ', topic ', p.topic) AS title,
    round(
        try_divide(
            try_sum(greatest(0, p.records)),
            (max(unix_micros(p.to_sweep)) - max(unix_micros(p.from_sweep))) / 1e6D
        ),
        4
    ) AS ratio
FROM group_progress AS p
INNER JOIN worst AS w ON p.cluster = w.cluster AND p.group_id = w.group_id AND p.topic = w.topic
WHERE p.from_sweep IS NOT NULL AND p.records IS NOT NULL
GROUP BY p.cluster, p.group_id, p.topic, p.from_sweep, p.to_sweep
ORDER BY p.cluster, title, to_at
