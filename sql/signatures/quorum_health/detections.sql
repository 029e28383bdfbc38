-- What of the KRaft quorum lasted, or came back so often, that no restart of controllers and no start explains it?
-- in:  quorum_flags, quorum_nodes, quorum_health_thresholds
-- out: one row per cause and node, its longest state, with the numbers of all nodes of its cause that are as sure.
--      seconds: between the first and the last sweep of a state, so it lasted longer
WITH numbered AS (
    SELECT
        *,
        if(
            cause = 'elections',
            0,
            nth - dense_rank() OVER (PARTITION BY cluster, cause, strength, node_id, state_of ORDER BY nth)
        ) AS streak
    FROM quorum_flags
),

states AS (
    SELECT
        cluster,
        cause,
        strength,
        node_id,
        max_by(named, nth) AS named,
        min(sweep_at) AS first_at,
        max(sweep_at) AS last_at,
        count(DISTINCT nth) AS sweeps,
        max(amount) AS most,
        try_sum(amount) AS total,
        (unix_micros(max(sweep_at)) - unix_micros(min(sweep_at))) / 1e6D AS seconds
    FROM numbered
    GROUP BY cluster, cause, strength, node_id, state_of, streak
),

lasting AS (
    SELECT
        s.*,
        row_number() OVER (
            PARTITION BY s.cluster, s.cause, s.strength, s.node_id ORDER BY s.seconds DESC, s.first_at ASC
        ) AS nth_state
    FROM states AS s
    INNER JOIN quorum_health_thresholds AS t ON s.cluster = t.cluster
    WHERE
        CASE
            WHEN s.cause = 'metadata_errors' THEN TRUE
            WHEN s.cause = 'elections' AND s.strength = 'conclusive' THEN s.sweeps >= t.min_elections
            WHEN s.cause = 'elections' THEN s.sweeps >= t.min_unread_elections
            ELSE s.sweeps >= t.min_sweeps AND s.seconds >= t.min_s
        END
),

processes AS (
    SELECT
        cluster,
        node_id,
        max(new_active_controllers) - min(new_active_controllers) AS takeovers,
        max(if(active_controller = 1, controller_queue_ms_p99, NULL)) AS queue_ms,
        max(voters) AS voters
    FROM quorum_nodes
    GROUP BY cluster, node_id, start_ms
),

controllers AS (
    SELECT
        cluster,
        max(takeovers) AS takeovers,
        max(queue_ms) AS queue_ms,
        max(voters) AS voters
    FROM processes
    GROUP BY cluster
)

SELECT
    l.cluster,
    l.cause,
    l.strength,
    l.named AS node_id,
    l.first_at,
    l.last_at,
    l.seconds,
    min(l.first_at) OVER of_cause AS from_at,
    max(l.last_at) OVER of_cause AS to_at,
    if(l.cause = 'elections', l.sweeps, NULL) AS elections,
    if(l.cause = 'elections', l.total, NULL) AS epochs,
    if(l.cause = 'elections', c.takeovers, NULL) AS takeovers,
    if(l.cause IN ('elections', 'lag'), c.queue_ms, NULL) AS queue_ms,
    if(l.cause = 'missing_voter', c.voters, NULL) AS voters,
    if(l.cause = 'missing_voter', count(*) OVER of_cause, NULL) AS missing_voters,
    if(l.cause = 'missing_voter', max(l.seconds) OVER of_cause, NULL) AS missing_seconds,
    if(l.cause = 'lag', max(l.most) OVER of_cause, NULL) AS records_behind,
    if(l.cause = 'lag', max(l.seconds) OVER of_cause, NULL) AS lag_seconds,
    if(l.cause = 'metadata_errors', try_sum(l.most) OVER of_cause, NULL) AS errors,
    if(l.cause = 'assignments', max(l.most) OVER of_cause, NULL) AS queued,
    if(l.cause = 'assignments', max(l.seconds) OVER of_cause, NULL) AS queued_seconds,
    row_number() OVER (
        PARTITION BY l.cluster ORDER BY l.seconds DESC, l.cause ASC, l.named ASC, l.strength ASC
    ) AS ordinal
FROM lasting AS l
LEFT JOIN controllers AS c ON l.cluster = c.cluster
WHERE l.nth_state = 1
WINDOW of_cause AS (PARTITION BY l.cluster, l.cause, l.strength)
