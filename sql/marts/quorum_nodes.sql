-- Nodes of a KRaft cluster at each sweep of the day: what the leader of the quorum said of them, and what they showed.
-- in:  raw_quorum_replicas, broker_sweeps, out_of_sync_replicas, cluster_sweeps
-- out: one row per node and metadata directory, also of nodes that the leader did not describe or nobody read. Seconds
--      are differences of the leader's own clock, so that no other clock says how long a node has been away
WITH nodes AS (
    SELECT
        cluster,
        sweep_at,
        broker AS node_id
    FROM broker_sweeps
    UNION
    SELECT
        q.cluster,
        q.sweep_at,
        q.replica AS node_id
    FROM raw_quorum_replicas AS q
    LEFT ANTI JOIN cluster_sweeps AS o ON q.cluster = o.cluster AND q.sweep_at = o.sweep_at AND o.overlapped
    WHERE to_date(q.sweep_at) = :ds
),

dead AS (
    SELECT DISTINCT
        cluster,
        follower,
        sweep_at
    FROM out_of_sync_replicas
    WHERE NOT is_listed
)

SELECT
    n.cluster,
    n.sweep_at,
    n.node_id,
    q.leader_epoch,
    q.high_watermark,
    q.log_end_offset,
    b.start_ms,
    b.active_controller,
    b.quorum_epoch,
    b.new_active_controllers,
    b.controller_queue_ms_p99,
    b.applied_metadata_offset,
    b.metadata_errors,
    b.queued_directory_assignments,
    coalesce(q.directory_id, '') AS directory_id,
    coalesce(q.is_voter, FALSE) AS is_voter,
    count_if(q.is_voter) OVER (PARTITION BY n.cluster, n.sweep_at) AS voters,
    coalesce(q.replica = q.leader, FALSE) AS is_leader,
    (q.leader_ms - q.last_fetch_ms) / 1e3D AS away_seconds,
    coalesce(b.read_at, q.read_at) AS read_at,
    coalesce(b.broker_state = 3, TRUE) AS is_running,
    d.cluster IS NOT NULL AS is_dead_broker
FROM nodes AS n
LEFT JOIN raw_quorum_replicas AS q ON n.cluster = q.cluster AND n.sweep_at = q.sweep_at AND n.node_id = q.replica
LEFT JOIN broker_sweeps AS b ON n.cluster = b.cluster AND n.sweep_at = b.sweep_at AND n.node_id = b.broker
LEFT JOIN dead AS d ON n.cluster = d.cluster AND n.sweep_at = d.sweep_at AND n.node_id = d.follower
