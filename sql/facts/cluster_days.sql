-- What each cluster was over the sweeps of the day.
-- in:  raw_sweeps, raw_declarations, raw_features, raw_broker_configs
-- out: one row per cluster that any sweep of the day names
WITH levels AS (
    SELECT
        cluster,
        max_by(max_level, sweep_at) AS metadata_level
    FROM raw_features
    WHERE feature = 'metadata.version' AND to_date(sweep_at) = :ds
    GROUP BY cluster
),

roles AS (
    SELECT
        cluster,
        max(name = 'process.roles' AND coalesce(value, '') != '') AS has_roles,
        count_if(name = 'zookeeper.connect' AND source != 'DEFAULT_CONFIG') > 0 AS has_zookeeper
    FROM raw_broker_configs
    WHERE name IN ('process.roles', 'zookeeper.connect') AND to_date(sweep_at) = :ds
    GROUP BY cluster
)

SELECT
    s.cluster,
    max_by(s.kafka_cluster_id, s.sweep_at) FILTER (WHERE s.kafka_cluster_id IS NOT NULL) AS kafka_cluster_id,
    count(*) AS sweep_count,
    min(s.sweep_at) AS first_sweep,
    max(s.sweep_at) AS last_sweep,
    count_if(s.admin_outcome = 'ok') AS admin_ok,
    count_if(s.admin_outcome = 'partial') AS admin_partial,
    count_if(s.admin_outcome = 'failed') AS admin_failed,
    sort_array(collect_set(s.admin_detail)) AS admin_details,
    -- what idle group members let expire can be taken off only where groups, members and commits were read
    count_if(
        s.admin_outcome != 'failed'
        AND NOT arrays_overlap(s.admin_missing, array('groups', 'group_members', 'group_offsets'))
    ) > 0 AS groups_read,
    max_by(d.environment, s.sweep_at) AS environment,
    max_by(d.owners, s.sweep_at) AS owners,
    max_by(d.declaration, s.sweep_at) AS declaration,
    max(l.metadata_level) AS metadata_level,
    CASE
        WHEN max(l.metadata_level) IS NOT NULL OR max(r.has_roles) THEN 'KRaft'
        WHEN max(r.has_zookeeper) THEN 'ZooKeeper'
    END AS cluster_mode
FROM raw_sweeps AS s
INNER JOIN raw_declarations AS d ON s.cluster = d.cluster AND s.sweep_at = d.sweep_at
LEFT JOIN levels AS l ON s.cluster = l.cluster
LEFT JOIN roles AS r ON s.cluster = r.cluster
WHERE to_date(s.sweep_at) = :ds
GROUP BY s.cluster
