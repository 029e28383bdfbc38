-- Could the symptom be looked for at all?
-- in:  cluster_days, broker_days, isr_held
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH brokers AS (
    SELECT
        cluster,
        count_if(ok_reads + partial_reads >= :min_sweeps) / count(*) AS read_share,
        sort_array(
            collect_list(
                CASE
                    WHEN ok_reads + partial_reads < :min_sweeps
                        THEN concat(
                            'broker ', broker, ': fewer than ', cast(:min_sweeps AS INT),
                            ' reads, so whether followers there are caught up is not known'
                        )
                END
            )
        ) AS missing
    FROM broker_days
    WHERE is_broker AND array_contains(:clusters, cluster)
    GROUP BY cluster
),

-- a follower that was listed and not read: whether it is frozen or far behind cannot be told
blind AS (
    SELECT
        cluster,
        follower,
        partition,
        topic,
        try_cast(try_sum(try_cast(seconds AS DECIMAL(28, 9))) AS DOUBLE) AS seconds
    FROM isr_held
    WHERE held_as = 'unread'
    GROUP BY cluster, follower, partition, topic
),

blinds AS (
    SELECT
        cluster,
        follower,
        concat(
            'broker ', follower, ': out of ', count(*),
            ' in-sync sets while the log ends needed to judge it were not read'
        ) AS missing
    FROM blind
    WHERE seconds >= :min_frozen_s
    GROUP BY cluster, follower
),

blind_clusters AS (
    SELECT
        cluster,
        sort_array(collect_list(missing)) AS missing
    FROM blinds
    GROUP BY cluster
),

days AS (
    SELECT
        cluster,
        admin_ok + admin_partial AS with_metadata,
        try_divide(admin_ok + admin_partial, sweep_count) AS metadata_share,
        (unix_micros(last_sweep) - unix_micros(first_sweep)) / 1e6D AS seconds
    FROM cluster_days
    WHERE array_contains(:clusters, cluster)
)

SELECT
    d.cluster,
    d.with_metadata >= :min_sweeps
    AND d.metadata_share >= :min_coverage
    AND d.seconds >= :min_frozen_s
    AND coalesce(b.read_share, 0) >= :min_coverage
    AND n.cluster IS NULL AS evaluated,
    concat(
        CASE
            WHEN d.with_metadata < :min_sweeps OR d.metadata_share < :min_coverage
                THEN array(
                    'the assignment of partitions and their in-sync sets were not read in enough sweeps of the day'
                )
            ELSE array()
        END,
        CASE
            WHEN d.seconds < :min_frozen_s
                THEN array(
                    concat(
                        'the sweeps cover ', try_cast(floor(d.seconds) AS BIGINT),
                        ' s; an in-sync set counts as frozen after ', cast(:min_frozen_s AS BIGINT), ' s'
                    )
                )
            ELSE array()
        END,
        CASE
            WHEN b.cluster IS NULL THEN array('no broker is known')
            WHEN d.with_metadata < :min_sweeps THEN array()
            ELSE b.missing
        END,
        coalesce(n.missing, array())
    ) AS missing
FROM days AS d
LEFT JOIN brokers AS b ON d.cluster = b.cluster
LEFT JOIN blind_clusters AS n ON d.cluster = n.cluster
