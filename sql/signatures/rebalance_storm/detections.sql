-- Which groups stayed in a rebalance or rebalanced all the time, and why?
-- in:  rebalance_moments, broker_settings, rebalance_storm_thresholds
-- out: one row per cause, group and client, or broker where the group is not known: its longest time. rebalances,
--      connections: what the coordinator completed and took meanwhile, null where a read lacks it; of replaced members
--      that of its last hour, as returned. A group cannot have left its state between two sweeps while its coordinator
--      completed no rebalance. unsynced_seconds: with the same members, and longer than any member's session timeout
WITH numbered AS (
    SELECT
        m.*,
        coalesce(lag(m.sweep_number) OVER spell = m.sweep_number - 1, FALSE)
        OR m.cause IN ('replaced', 'same_members') AS is_next,
        if(m.cause = 'replaced', 0, m.sweep_number - row_number() OVER spell) AS streak
    FROM rebalance_moments AS m
    INNER JOIN rebalance_storm_thresholds AS t ON m.cluster = t.cluster
    WHERE
        m.cause != 'same_members'
        -- a client makes a connection, and takes part in two rounds when it comes and in two when it goes
        OR m.completed - 4 * m.created
        >= m.active_groups * t.max_rebalances_per_hour * m.seconds / 3600
    WINDOW spell AS (
        PARTITION BY m.cluster, m.cause, m.broker, m.group_id, m.client_id, m.client_host ORDER BY m.sweep_number
    )
),

spells AS (
    SELECT
        cluster,
        cause,
        broker,
        group_id,
        client_id,
        client_host,
        min(from_at) AS from_at,
        max(sweep_at) AS to_at,
        (unix_micros(max(sweep_at)) - unix_micros(min(from_at))) / 1e6D AS seconds,
        count(*) AS sweeps,
        max(members) AS members,
        min(members) AS least_members,
        max(times) AS times,
        coalesce(max(is_classic), FALSE) AS is_classic,
        count_if(stayed > 0) AS shared_sweeps,
        max_by(returned, sweep_at) AS returned,
        coalesce(try_sum(joined) FILTER (WHERE is_next), 0) AS joined,
        CASE
            WHEN cause = 'replaced' THEN max_by(completed_of_hour, sweep_at)
            WHEN count_if(is_next) = count(completed) FILTER (WHERE is_next)
                THEN try_sum(completed) FILTER (WHERE is_next)
        END AS rebalances,
        CASE
            WHEN cause = 'replaced' THEN max_by(created_of_hour, sweep_at)
            WHEN count_if(is_next) = count(created) FILTER (WHERE is_next) THEN try_sum(created) FILTER (WHERE is_next)
        END AS connections
    FROM numbered
    GROUP BY cluster, cause, broker, group_id, client_id, client_host, streak
),

judged AS (
    SELECT
        s.* EXCEPT (cause),
        CASE
            WHEN s.cause != 'replaced' THEN s.cause
            WHEN s.returned - s.connections >= t.min_returns THEN 'slow_members'
            ELSE 'restarts'
        END AS cause,
        coalesce(s.rebalances = 0, FALSE) AS none_completed,
        s.cause IN ('preparing', 'completing') AND none_completed AND s.group_id IS NOT NULL AS is_stuck,
        -- members that are not known may come and go
        s.seconds >= t.min_unsure_s AND s.sweeps >= t.min_sweeps_unsure AND s.joined = 0 AS is_long,
        -- no wait for a member that is silent lasts longer, nor does a leader calculate for so long
        s.cause = 'completing' AND is_stuck AND s.sweeps >= t.min_sweeps_unsure AND s.joined = 0
        AND s.members = s.least_members AND s.seconds >= t.min_unsynced_s
        AND s.seconds > try_cast(b.config_value AS DOUBLE) / 1000 AS is_unsynced,
        CASE s.cause
            WHEN 'same_members' THEN s.seconds >= t.min_busy_s AND s.sweeps >= t.min_sweeps
            -- a static member that comes back in time causes no rebalance, and a job that runs alone holds nobody up
            WHEN 'replaced'
                THEN
                    s.seconds >= t.min_unsure_s
                    AND NOT (s.is_classic AND none_completed)
                    AND (2 * s.shared_sweeps >= s.sweeps OR s.returned - s.connections >= t.min_returns)
            WHEN 'reconciling' THEN is_long
            ELSE
                (is_stuck AND s.seconds >= t.min_stuck_s AND s.sweeps >= t.min_sweeps)
                OR (is_long AND (none_completed OR s.group_id IS NOT NULL))
        END AS is_found
    FROM spells AS s
    INNER JOIN rebalance_storm_thresholds AS t ON s.cluster = t.cluster
    LEFT JOIN broker_settings AS b
        ON s.cluster = b.cluster AND s.broker = b.broker AND b.name = 'group.max.session.timeout.ms'
),

longest AS (
    SELECT *
    FROM judged
    WHERE is_found
    QUALIFY
        row_number() OVER (
            PARTITION BY cluster, cause, broker, group_id, client_id, client_host ORDER BY seconds DESC, from_at ASC
        ) = 1
        -- what a listed group shows needs no count of its coordinator
        AND (group_id IS NOT NULL OR min(group_id IS NULL) OVER (PARTITION BY cluster, broker))
)

SELECT
    * EXCEPT (
        least_members, is_classic, shared_sweeps, joined, none_completed, is_stuck, is_long, is_unsynced, is_found
    ),
    if(is_stuck OR cause = 'slow_members', 'conclusive', 'suggestive') AS strength,
    if(cause IN ('preparing', 'completing', 'reconciling'), seconds, NULL) AS stuck_seconds,
    if(is_unsynced, seconds, NULL) AS unsynced_seconds,
    if(cause IN ('slow_members', 'restarts'), seconds, NULL) AS storm_seconds,
    if(cause = 'same_members', 3600 * try_divide(rebalances, seconds), NULL) AS rebalances_per_hour,
    row_number() OVER (
        PARTITION BY cluster
        ORDER BY
            NOT (is_stuck OR cause = 'slow_members'), seconds DESC, cause ASC, group_id ASC, broker ASC,
            client_id ASC, client_host ASC
    ) AS ordinal
FROM longest
