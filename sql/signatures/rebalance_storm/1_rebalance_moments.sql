-- Sweeps at which a group was in a rebalance, or a client's members had been replaced again and again, or a coordinator
-- counted rebalances or groups that no listed group explains; with what the coordinator did since its read before.
-- in:  group_coordinators, group_changes, broker_sweeps, cluster_sweeps, listener_connections, thresholds
-- out: one row per cause, group, client and sweep; group_id null: the broker's own count. completed, created: null
--      where a read of the process lacks them, as those of the hour up to the sweep. joined, stayed: members of the
--      group that came, and that were there before; returned: those of the hour that came in place of others
WITH connections AS (
    SELECT
        cluster,
        broker,
        to_sweep,
        if(count(created) = count(*) AND NOT max(ran_back), try_sum(created), NULL) AS created
    FROM listener_connections
    WHERE kind = 'sweeps'
    GROUP BY cluster, broker, to_sweep
),

listed AS (
    SELECT
        cluster,
        coordinator,
        sweep_at,
        count_if(members > 0) AS active_groups,
        count_if(group_state = 'PreparingRebalance') AS preparing,
        count_if(group_state = 'CompletingRebalance') AS completing
    FROM group_coordinators
    GROUP BY cluster, coordinator, sweep_at
),

reads AS (
    SELECT
        b.cluster,
        b.broker,
        b.sweep_at,
        b.read_at,
        -- nothing was replaced before the first sweep that there is
        if(s.previous_sweep IS NULL, 0, k.created) AS created,
        greatest(1, coalesce(g.active_groups, 0)) AS active_groups,
        b.groups_preparing_rebalance > coalesce(g.preparing, 0) AS is_preparing,
        b.groups_completing_rebalance > coalesce(g.completing, 0) AS is_completing,
        row_number() OVER (PARTITION BY b.cluster, b.broker ORDER BY b.sweep_at) AS sweep_number,
        lag(b.read_at) OVER process AS read_before,
        if(s.previous_sweep IS NULL, 0, b.completed_rebalances - lag(b.completed_rebalances) OVER process) AS completed
    FROM broker_sweeps AS b
    INNER JOIN cluster_sweeps AS s ON b.cluster = s.cluster AND b.sweep_at = s.sweep_at
    LEFT JOIN connections AS k ON b.cluster = k.cluster AND b.broker = k.broker AND b.sweep_at = k.to_sweep
    LEFT JOIN listed AS g ON b.cluster = g.cluster AND b.broker = g.coordinator AND b.sweep_at = g.sweep_at
    WHERE b.is_broker AND b.read_at IS NOT NULL
    WINDOW process AS (PARTITION BY b.cluster, b.broker, b.start_ms ORDER BY b.sweep_at)
),

intervals AS (
    SELECT
        *,
        if(count(completed) OVER hour_before = count(*) OVER hour_before, try_sum(completed) OVER hour_before, NULL)
            AS completed_of_hour,
        if(count(created) OVER hour_before = count(*) OVER hour_before, try_sum(created) OVER hour_before, NULL)
            AS created_of_hour
    FROM reads
    WINDOW hour_before AS (
        PARTITION BY cluster, broker ORDER BY sweep_at RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW
    )
),

changes AS (
    SELECT
        *,
        try_sum(joined) OVER of_group AS group_joined,
        try_sum(replaced) OVER (
            PARTITION BY cluster, group_id ORDER BY sweep_at RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW
        ) AS returned,
        row_number() OVER (PARTITION BY cluster, group_id, sweep_at ORDER BY client_id, client_host) AS nth
    FROM group_changes
    WINDOW of_group AS (PARTITION BY cluster, group_id, sweep_at)
),

moments AS (
    SELECT
        g.cluster,
        g.coordinator AS broker,
        g.group_id,
        g.sweep_at,
        g.sweep_number,
        g.members,
        k.cause,
        if(k.cause = 'replaced', c.client_id, NULL) AS client_id,
        if(k.cause = 'replaced', c.client_host, NULL) AS client_host,
        if(k.cause = 'replaced', c.is_classic, NULL) AS is_classic,
        if(k.cause = 'replaced', c.times, NULL) AS times,
        if(k.cause = 'replaced', c.times_since, g.sweep_at) AS from_at,
        coalesce(c.returned, 0) AS returned,
        coalesce(c.group_joined, 0) AS joined,
        g.members - coalesce(c.group_joined, 0) AS stayed
    FROM group_coordinators AS g
    INNER JOIN rebalance_storm_thresholds AS t ON g.cluster = t.cluster
    LEFT JOIN changes AS c ON g.cluster = c.cluster AND g.group_id = c.group_id AND g.sweep_at = c.sweep_at
        LATERAL VIEW explode(array('preparing', 'completing', 'reconciling', 'replaced')) k AS cause
    WHERE
        (k.cause = 'replaced' AND c.replaced > 0 AND c.times >= t.min_returns AND NOT c.is_static)
        OR (
            coalesce(c.nth, 1) = 1
            AND (
                (k.cause = 'preparing' AND g.group_state = 'PreparingRebalance')
                OR (k.cause = 'completing' AND g.group_state = 'CompletingRebalance')
                OR (k.cause = 'reconciling' AND g.group_state IN ('Assigning', 'Reconciling'))
            )
        )
    UNION ALL
    SELECT
        cluster,
        broker,
        NULL AS group_id,
        sweep_at,
        sweep_number,
        NULL AS members,
        cause,
        NULL AS client_id,
        NULL AS client_host,
        NULL AS is_classic,
        NULL AS times,
        if(cause = 'same_members', read_before, sweep_at) AS from_at,
        NULL AS returned,
        NULL AS joined,
        NULL AS stayed
    FROM intervals
        LATERAL VIEW explode(array('preparing', 'completing', 'same_members')) k AS cause
    WHERE
        (cause = 'preparing' AND is_preparing)
        OR (cause = 'completing' AND is_completing)
        OR (cause = 'same_members' AND completed > 0)
)

SELECT
    m.*,
    i.completed,
    i.created,
    i.active_groups,
    i.completed_of_hour,
    i.created_of_hour,
    (unix_micros(i.read_at) - unix_micros(i.read_before)) / 1e6D AS seconds
FROM moments AS m
LEFT JOIN intervals AS i ON m.cluster = i.cluster AND m.broker = i.broker AND m.sweep_at = i.sweep_at
