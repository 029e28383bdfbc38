-- What controllers and brokers show of the metadata log that those of a healthy cluster do not, sweep by sweep.
-- in:  quorum_nodes, quorum_health_thresholds
-- out: one row per cause, node and sweep; elections are the cluster's and have no node, but name the new leader.
--      nth: of the cluster's sweeps; rows of one node with consecutive ones are one state. state_of: what they share
--      beside it. amount: seconds without a fetch, records behind, errors, queued assignments, or epochs since the
--      sweep before
WITH nodes AS (
    SELECT
        n.*,
        t.max_silent_s,
        lag(n.start_ms) OVER (PARTITION BY n.cluster, n.node_id, n.directory_id, n.is_voter ORDER BY n.sweep_at)
            AS previous_start
    FROM quorum_nodes AS n
    INNER JOIN quorum_health_thresholds AS t ON n.cluster = t.cluster
),

sweeps AS (
    SELECT
        cluster,
        sweep_at,
        max(high_watermark) AS log_end,
        coalesce(max(leader_epoch), max(quorum_epoch)) AS epoch,
        max(if(is_leader OR active_controller = 1, node_id, NULL)) AS leader,
        -- a process that is another one, or that was read at one end alone, may have restarted
        max((is_voter OR active_controller IS NOT NULL) AND NOT start_ms <=> previous_start) AS restarted,
        count_if(is_voter) > 0 AND count_if(is_voter AND start_ms IS NULL) = 0 AS all_read
    FROM nodes
    GROUP BY cluster, sweep_at
),

spans AS (
    SELECT
        *,
        lag(log_end) OVER of_cluster AS previous_end,
        epoch - lag(epoch) OVER of_cluster AS epochs,
        row_number() OVER of_cluster AS nth
    FROM sweeps
    WINDOW of_cluster AS (PARTITION BY cluster ORDER BY sweep_at)
),

flags AS (
    SELECT
        n.*,
        s.nth,
        s.log_end - coalesce(if(n.is_voter, n.log_end_offset, NULL), n.applied_metadata_offset + 1) AS behind,
        explode(
            array_compact(
                array(
                    if(
                        n.is_voter AND NOT n.is_leader AND NOT n.is_dead_broker
                        AND coalesce(n.active_controller, 0) = 0
                        AND coalesce(n.away_seconds > n.max_silent_s, TRUE),
                        'missing_voter', NULL
                    ),
                    -- it has not all that the log had at the sweep before: neither a clock nor an idle log makes that
                    if(
                        (n.is_voter AND n.away_seconds <= n.max_silent_s AND n.log_end_offset < s.previous_end)
                        OR (n.is_running AND n.applied_metadata_offset + 1 < s.previous_end),
                        'lag', NULL
                    ),
                    if(n.metadata_errors > 0, 'metadata_errors', NULL),
                    if(n.queued_directory_assignments > 0, 'assignments', NULL)
                )
            )
        ) AS cause
    FROM nodes AS n
    INNER JOIN spans AS s ON n.cluster = s.cluster AND n.sweep_at = s.sweep_at
)

SELECT
    cluster,
    cause,
    if(cause = 'assignments', 'suggestive', 'conclusive') AS strength,
    node_id,
    node_id AS named,
    if(cause IN ('missing_voter', 'lag'), directory_id, cast(start_ms AS STRING)) AS state_of,
    nth,
    sweep_at,
    CASE cause
        WHEN 'missing_voter' THEN away_seconds
        WHEN 'lag' THEN behind
        WHEN 'metadata_errors' THEN metadata_errors
        ELSE queued_directory_assignments
    END AS amount
FROM flags
UNION ALL
SELECT
    cluster,
    'elections' AS cause,
    if(all_read, 'conclusive', 'suggestive') AS strength,
    NULL AS node_id,
    leader AS named,
    NULL AS state_of,
    nth,
    sweep_at,
    epochs AS amount
FROM spans
WHERE epochs > 0 AND NOT restarted
