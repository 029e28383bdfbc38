-- Do in-sync sets stay short although nothing keeps the followers out, and if something does, what?
-- in:  isr_causes, isr_absences, isr_away, isr_streaks
-- out: one row per cluster and cause (dead_broker: per broker) that is detected; the words are in signature.yaml
WITH away AS (
    SELECT
        cluster,
        min(from_at) AS from_at,
        max(to_at) AS to_at,
        max(seconds) AS seconds,
        try_sum(away) AS away,
        max(try_divide(away, partition_count)) AS away_share,
        slice(sort_array(collect_list(STRUCT(-away AS badness, broker))), 1, 4) AS worst
    FROM isr_away
    GROUP BY cluster
)

SELECT
    c.cluster,
    c.cause,
    c.strength,
    c.from_at,
    c.to_at,
    concat('broker ', c.worst_broker) AS place,
    c.subjects,
    CASE WHEN c.cause = 'frozen' THEN c.partition_count END AS frozen_partitions,
    CASE WHEN c.cause = 'frozen' THEN c.seconds END AS frozen_seconds,
    c.records AS appended,
    CASE WHEN c.cause = 'frozen' THEN c.lag END AS frozen_lag,
    c.isr_expands,
    c.failed_isr_updates,
    c.leader_replicas,
    CASE WHEN c.cause = 'frozen' THEN c.preferred_count END AS frozen_preferred,
    a.away,
    a.seconds AS away_seconds,
    a.away_share,
    cast(NULL AS BIGINT) AS dead_partitions,
    cast(NULL AS DOUBLE) AS dead_seconds,
    CASE WHEN c.cause != 'frozen' THEN c.partition_count END AS lagging_partitions,
    CASE WHEN c.cause != 'frozen' THEN c.seconds END AS lagging_seconds,
    CASE WHEN c.cause != 'frozen' THEN c.lag END AS lagging_records
FROM isr_causes AS c
LEFT JOIN away AS a ON c.cluster = a.cluster AND c.cause = 'frozen'
UNION ALL
-- leadership alone that does not come back: no partition was seen short, which points to the bug and proves nothing
SELECT
    a.cluster,
    'frozen' AS cause,
    'suggestive' AS strength,
    a.from_at,
    a.to_at,
    concat('broker ', get(a.worst, 0).broker) AS place,
    transform(a.worst, x -> concat('broker ', x.broker)) AS subjects,
    NULL AS frozen_partitions,
    NULL AS frozen_seconds,
    NULL AS appended,
    NULL AS frozen_lag,
    NULL AS isr_expands,
    NULL AS failed_isr_updates,
    NULL AS leader_replicas,
    NULL AS frozen_preferred,
    a.away,
    a.seconds AS away_seconds,
    a.away_share,
    NULL AS dead_partitions,
    NULL AS dead_seconds,
    NULL AS lagging_partitions,
    NULL AS lagging_seconds,
    NULL AS lagging_records
FROM away AS a
LEFT ANTI JOIN isr_streaks AS s ON a.cluster = s.cluster
UNION ALL
SELECT
    cluster,
    'dead_broker' AS cause,
    'conclusive' AS strength,
    min(from_at) AS from_at,
    max(to_at) AS to_at,
    concat('broker ', broker) AS place,
    array(concat('broker ', broker)) AS subjects,
    NULL AS frozen_partitions,
    NULL AS frozen_seconds,
    NULL AS appended,
    NULL AS frozen_lag,
    NULL AS isr_expands,
    NULL AS failed_isr_updates,
    NULL AS leader_replicas,
    NULL AS frozen_preferred,
    NULL AS away,
    NULL AS away_seconds,
    NULL AS away_share,
    max(partition_count) AS dead_partitions,
    max(seconds) AS dead_seconds,
    NULL AS lagging_partitions,
    NULL AS lagging_seconds,
    NULL AS lagging_records
FROM isr_absences
GROUP BY cluster, broker
ORDER BY cluster, cause, place
