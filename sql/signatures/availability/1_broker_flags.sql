-- What brokers and controllers show of themselves that a healthy cluster does not, sweep by sweep.
-- in:  broker_sweeps, cluster_sweeps, cluster_days, broker_settings, quorum_nodes, leaderless_partitions,
--      out_of_sync_replicas, availability_thresholds
-- out: one row per node, sweep and cause. nth: of the node's reads, or of the cluster's sweeps where its controllers
--      are counted together. state_of: what rows of one state share beside the node. amount: what the gauge shows
WITH voters AS (
    SELECT
        cluster,
        max(voters) AS voters
    FROM (
        SELECT
            cluster,
            size(split(nullif(config_value, ''), ',')) AS voters
        FROM broker_settings
        WHERE name = 'controller.quorum.voters'
        UNION ALL
        -- a dynamic quorum (KIP-853) is in nobody's settings
        SELECT
            cluster,
            nullif(voters, 0) AS voters
        FROM quorum_nodes
    ) AS told
    GROUP BY cluster
),

followers AS (
    SELECT DISTINCT
        cluster,
        follower,
        sweep_at
    FROM out_of_sync_replicas
    WHERE is_listed
),

leaderless AS (
    SELECT DISTINCT
        cluster,
        sweep_at
    FROM leaderless_partitions
),

together AS (
    SELECT
        *,
        try_sum(active_controller) OVER of_sweep AS controllers,
        -- a broker of ZooKeeper that migrates tells as well that it is none of the quorum's controllers
        count_if(active_controller IS NOT NULL AND controlled_shutdowns IS NULL) OVER of_sweep AS controllers_told,
        try_sum(if(is_listed, 1, 0)) OVER of_sweep AS listed_read,
        max(fenced_brokers) OVER of_sweep AS all_fenced,
        max(broker_state) OVER (PARTITION BY cluster, broker, start_ms) AS any_state,
        row_number() OVER (PARTITION BY cluster, broker ORDER BY sweep_at) AS read_number,
        dense_rank() OVER (PARTITION BY cluster ORDER BY sweep_at) AS sweep_number
    FROM broker_sweeps
    WHERE read_at IS NOT NULL
    WINDOW of_sweep AS (PARTITION BY cluster, sweep_at)
),

shown AS (
    SELECT
        b.*,
        d.cluster_mode,
        array_compact(
            array(
                -- in ZooKeeper mode the count holds topics that wait for their deletion (KAFKA-8366)
                if(b.offline_partitions > 0 AND l.cluster IS NULL AND d.cluster_mode = 'KRaft', 'offline', NULL),
                if(b.fetcher_failed_partitions > 0, 'failed_fetch', NULL),
                -- before 2.4 nothing counts dead threads, but one that lives fetches about once a second at least
                if(
                    b.fetcher_dead_threads > 0
                    OR (
                        b.fetcher_dead_threads IS NULL
                        AND b.fetcher_min_fetch_rate < t.min_fetch_rate
                        AND b.partition_count > b.leader_count
                        AND f.cluster IS NOT NULL
                    ),
                    'dead_fetcher',
                    NULL
                ),
                if(b.offline_log_dirs > 0 OR b.offline_replicas > 0, 'log_dir', NULL),
                if(
                    b.is_broker AND NOT b.is_listed AND s.listed_brokers > 0
                    -- a process that showed a state, and shows none, is ending
                    AND coalesce(b.broker_state = 3, b.any_state IS NULL),
                    'outside',
                    NULL
                ),
                if(b.controllers > 1 AND b.active_controller = 1, 'two_controllers', NULL),
                -- all that may be it were asked
                if(
                    b.controllers = 0
                    AND b.active_controller = 0
                    AND CASE d.cluster_mode
                        WHEN 'ZooKeeper' THEN v.voters IS NULL AND b.listed_read >= s.listed_brokers
                        WHEN 'KRaft' THEN b.controllers_told >= v.voters
                    END,
                    'no_controller',
                    NULL
                )
            )
        ) AS causes
    FROM together AS b
    INNER JOIN availability_thresholds AS t ON b.cluster = t.cluster
    INNER JOIN cluster_days AS d ON b.cluster = d.cluster
    LEFT JOIN cluster_sweeps AS s ON b.cluster = s.cluster AND b.sweep_at = s.sweep_at
    LEFT JOIN leaderless AS l ON b.cluster = l.cluster AND b.sweep_at = l.sweep_at
    LEFT JOIN followers AS f ON b.cluster = f.cluster AND b.broker = f.follower AND b.sweep_at = f.sweep_at
    LEFT JOIN voters AS v ON b.cluster = v.cluster
),

flags AS (
    SELECT
        *,
        explode(causes) AS cause
    FROM shown
)

SELECT
    cluster,
    cause,
    broker,
    sweep_at,
    read_at,
    offline_log_dir AS log_dir,
    offline_replicas,
    if(
        cause = 'offline'
        OR (cause = 'dead_fetcher' AND fetcher_dead_threads IS NULL)
        -- a broker that ZooKeeper cannot be reached from looks as one that does not register again
        OR (cause = 'outside' AND coalesce(cluster_mode = 'ZooKeeper', TRUE)),
        'suggestive',
        'conclusive'
    ) AS strength,
    if(cause IN ('offline', 'two_controllers', 'no_controller'), sweep_number, read_number) AS nth,
    if(cause IN ('two_controllers', 'no_controller'), NULL, start_ms) AS state_of,
    CASE cause
        WHEN 'offline' THEN offline_partitions
        WHEN 'failed_fetch' THEN fetcher_failed_partitions
        WHEN 'dead_fetcher' THEN fetcher_dead_threads
        WHEN 'log_dir' THEN offline_log_dirs
        WHEN 'outside' THEN all_fenced
        ELSE controllers
    END AS amount
FROM flags
