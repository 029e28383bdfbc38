-- Sweeps of each cluster, what each of them read, and which lie too close together to be compared: one that was under
-- way when the next one began may have read last what is newer than what that one read. No two sweeps are stored so any
-- more, homes of earlier versions have such.
WITH brokers AS (
    SELECT
        cluster,
        sweep_at,
        count_if(host IS NOT NULL) AS listed_brokers,
        coalesce(nullif(count_if(host IS NOT NULL), 0), count_if(is_broker)) AS broker_count,
        max(read_at IS NOT NULL) AS answered
    FROM raw_brokers
    GROUP BY cluster, sweep_at
),

sweeps AS (
    SELECT
        s.cluster,
        s.sweep_at,
        s.ended_at,
        s.kafka_cluster_id,
        s.admin_outcome,
        s.admin_detail,
        b.listed_brokers,
        b.broker_count,
        s.admin_outcome != 'failed' AS admin_read,
        -- a sweep that measured nothing overlaps none
        admin_read OR coalesce(b.answered, FALSE) AS measured,
        coalesce(admin_read AND NOT array_contains(s.admin_missing, 'topics'), FALSE) AS topics_read,
        coalesce(admin_read AND NOT array_contains(s.admin_missing, 'groups'), FALSE) AS groups_read,
        coalesce(admin_read AND NOT array_contains(s.admin_missing, 'group_members'), FALSE) AS members_read,
        coalesce(admin_read AND NOT array_contains(s.admin_missing, 'group_offsets'), FALSE) AS offsets_read
    FROM raw_sweeps AS s
    LEFT JOIN brokers AS b ON s.cluster = b.cluster AND s.sweep_at = b.sweep_at
)

SELECT
    * EXCEPT (ended_at, admin_read, measured),
    lag(sweep_at) OVER (PARTITION BY cluster ORDER BY sweep_at) AS previous_sweep,
    coalesce(
        measured
        AND ended_at > min(CASE WHEN measured THEN sweep_at END) OVER (
            PARTITION BY cluster ORDER BY sweep_at ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
        ),
        FALSE
    ) AS overlapped,
    to_date(sweep_at) = :ds
    AND NOT (groups_read AND members_read AND offsets_read)
    AND max(groups_read AND members_read AND offsets_read AND to_date(sweep_at) = :ds) OVER (PARTITION BY cluster)
        AS groups_missed,
    topics_read AND groups_read AND offsets_read AND NOT overlapped AS usable
FROM sweeps
