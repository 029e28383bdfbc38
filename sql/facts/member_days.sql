-- Members of consumer groups over the day, by what their owner can be found with: client id and host.
-- in:  raw_group_members, raw_groups
-- out: one row per cluster, group, client id and host; framework: streams or connect where the member shows it
SELECT
    m.cluster,
    m.group_id,
    m.client_id,
    m.client_host,
    max(
        CASE
            WHEN g.protocol_type = 'connect' THEN 'connect'
            -- Kafka Streams builds these names itself; its newer groups are of a type of their own
            WHEN m.client_id LIKE '%-StreamThread-%-consumer' OR g.protocol_type = 'streams' THEN 'streams'
        END
    ) AS framework,
    count(DISTINCT m.sweep_at) AS sweep_count
FROM raw_group_members AS m
LEFT JOIN raw_groups AS g ON m.cluster = g.cluster AND m.sweep_at = g.sweep_at AND m.group_id = g.group_id
WHERE to_date(m.sweep_at) = :ds
GROUP BY m.cluster, m.group_id, m.client_id, m.client_host
