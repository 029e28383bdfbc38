-- Members that came to a consumer group and left it between two sweeps that read its members, by client: the same
-- client.id on the same host. A member has one id from its join to its end.
-- in:  raw_group_members, cluster_sweeps
-- out: one row per group, client and sweep at which it was not as before; none for the first sweep of a cluster
WITH sweeps AS (
    SELECT
        cluster,
        sweep_at,
        lead(sweep_at) OVER in_order AS next_sweep,
        min(sweep_at) OVER in_order AS first_sweep
    FROM cluster_sweeps
    WHERE usable AND members_read
    WINDOW in_order AS (PARTITION BY cluster ORDER BY sweep_at)
),

spans AS (
    SELECT
        m.cluster,
        m.group_id,
        m.client_id,
        m.client_host,
        m.member_id,
        min(s.first_sweep) AS first_sweep,
        min(s.sweep_at) AS came_at,
        max_by(s.next_sweep, s.sweep_at) AS left_at
    FROM raw_group_members AS m
    INNER JOIN sweeps AS s ON m.cluster = s.cluster AND m.sweep_at = s.sweep_at
    GROUP BY m.cluster, m.group_id, m.client_id, m.client_host, m.member_id
),

steps AS (
    SELECT
        *,
        if(step = 'came', came_at, left_at) AS sweep_at
    FROM spans
        LATERAL VIEW explode(array('came', 'left')) k AS step
    WHERE if(step = 'came', came_at > first_sweep, left_at IS NOT NULL)
),

changes AS (
    SELECT
        cluster,
        group_id,
        client_id,
        client_host,
        sweep_at,
        count_if(step = 'came') AS joined,
        count_if(step = 'left') AS departed,
        least(joined, departed) AS replaced,
        -- the classic protocol makes an id of a random UUID and, before it, the client.id or the group.instance.id
        max(member_id RLIKE '-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$') AS is_classic,
        is_classic AND NOT max(startswith(member_id, concat(coalesce(client_id, ''), '-'))) AS is_static
    FROM steps
    GROUP BY cluster, group_id, client_id, client_host, sweep_at
)

SELECT
    *,
    count_if(replaced > 0) OVER hour_before AS times,
    min(if(replaced > 0, sweep_at, NULL)) OVER hour_before AS times_since
FROM changes
WHERE to_date(sweep_at) = :ds
WINDOW hour_before AS (
    PARTITION BY cluster, group_id, client_id, client_host
    ORDER BY sweep_at RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW
)
