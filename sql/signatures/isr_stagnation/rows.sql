-- The partitions and brokers behind a detection, the longest first.
-- in:  isr_streaks, isr_laggards, isr_absences
-- out: at most 40 rows per cluster
WITH behind AS (
    SELECT
        cluster,
        concat(topic, '-', partition) AS what,
        leader,
        follower AS missing_broker,
        -- in-sync members by the metadata and by the leader's own count, of how many replicas
        concat(isr_count, ' / ', coalesce(cast(leader_isr_count AS STRING), '?'), ' of ', replica_count)
            AS in_sync_told_and_held,
        from_at AS since,
        try_cast(round(seconds) AS BIGINT) AS for_seconds,
        records AS appended,
        lag AS lag_records
    FROM isr_streaks
    UNION ALL
    SELECT
        cluster,
        concat(topic, '-', partition) AS what,
        leader,
        follower AS missing_broker,
        concat(isr_count, ' / ', coalesce(cast(leader_isr_count AS STRING), '?'), ' of ', replica_count)
            AS in_sync_told_and_held,
        from_at AS since,
        try_cast(round(seconds) AS BIGINT) AS for_seconds,
        records AS appended,
        last_lag AS lag_records
    FROM isr_laggards
    UNION ALL
    SELECT
        cluster,
        concat(format_number(partition_count, 0), ' partitions') AS what,
        NULL AS leader,
        broker AS missing_broker,
        NULL AS in_sync_told_and_held,
        from_at AS since,
        try_cast(round(seconds) AS BIGINT) AS for_seconds,
        NULL AS appended,
        NULL AS lag_records
    FROM isr_absences
),

ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY cluster ORDER BY for_seconds DESC, what ASC, missing_broker ASC, since ASC
        ) AS place
    FROM behind
)

SELECT
    cluster,
    what,
    leader,
    missing_broker,
    in_sync_told_and_held,
    since,
    for_seconds,
    appended,
    lag_records
FROM ranked
WHERE place <= 40
ORDER BY cluster, place
