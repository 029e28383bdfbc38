-- Consumer groups of the day, and by what the owner of their members can be found: client id and host. Whoever moves
-- the offsets of a memberless group is not the group, but MirrorMaker's sync, an operator, or readers that assign
-- partitions to themselves.
WITH members AS (
    SELECT
        m.cluster,
        m.group_id,
        m.client_id,
        m.client_host,
        -- Kafka Streams builds these names itself
        m.client_id LIKE '%-StreamThread-%-consumer' AS is_streams,
        max(to_date(s.sweep_at) = :ds) AS of_day,
        max(s.usable) AS is_usable
    FROM raw_group_members AS m
    INNER JOIN cluster_sweeps AS s ON m.cluster = s.cluster AND m.sweep_at = s.sweep_at
    GROUP BY m.cluster, m.group_id, m.client_id, m.client_host
),

listed AS (
    SELECT
        g.cluster,
        g.group_id,
        count_if(to_date(s.sweep_at) = :ds) AS sweep_count,
        max(g.protocol_type = 'connect' AND to_date(s.sweep_at) = :ds) AS is_connect,
        -- its newer groups are of a type of their own
        max(g.protocol_type = 'streams' AND to_date(s.sweep_at) = :ds) AS is_streams,
        -- a state that is not told may hide members; null where no sweep that can be compared listed the group
        min(CASE WHEN s.usable THEN coalesce(g.state IN ('Empty', 'Dead'), FALSE) END) AS is_idle
    FROM raw_groups AS g
    INNER JOIN cluster_sweeps AS s ON g.cluster = s.cluster AND s.sweep_at BETWEEN g.sweep_at AND g.last_sweep_at
    GROUP BY g.cluster, g.group_id
),

used AS (
    SELECT DISTINCT
        cluster,
        group_id
    FROM members
    WHERE is_usable
)

SELECT
    g.cluster,
    g.group_id,
    m.client_id,
    m.client_host,
    g.sweep_count,
    CASE WHEN g.is_connect THEN 'connect' WHEN m.is_streams OR g.is_streams THEN 'streams' END AS framework,
    coalesce(g.is_idle AND u.group_id IS NULL, FALSE) AS memberless
FROM listed AS g
LEFT JOIN members AS m ON g.cluster = m.cluster AND g.group_id = m.group_id AND m.of_day
LEFT JOIN used AS u ON g.cluster = u.cluster AND g.group_id = u.group_id
