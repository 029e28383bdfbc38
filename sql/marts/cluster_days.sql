-- What each cluster was over the sweeps of the day, and when the Kafka protocol last gave each part of it.
WITH levels AS (
    SELECT
        cluster,
        max_by(max_level, last_sweep_at) FILTER (
            WHERE feature = 'metadata.version' AND to_date(last_sweep_at) = :ds
        ) AS metadata_level,
        max(feature = 'eligible.leader.replicas.version' AND coalesce(max_level > 0, FALSE)) AS eligible_leader_replicas
    FROM raw_features
    GROUP BY cluster
),

settings AS (
    SELECT
        cluster,
        max(name = 'process.roles' AND coalesce(value, '') != '') AS has_roles,
        max(name = 'zookeeper.connect' AND source != 'DEFAULT_CONFIG') AS has_zookeeper,
        max(CASE WHEN name = 'controller.listener.names' THEN value END) AS controller_listeners,
        max(CASE WHEN name = 'control.plane.listener.name' THEN nullif(value, '') END) AS control_listener,
        max(CASE WHEN name = 'inter.broker.listener.name' THEN nullif(value, '') END) AS broker_listener,
        max(CASE WHEN name = 'security.inter.broker.protocol' THEN value END) AS broker_protocol,
        max(CASE WHEN name = 'num.replica.fetchers' THEN try_cast(value AS INT) END) AS replica_fetchers
    FROM raw_broker_configs
    WHERE
        name IN (
            'process.roles', 'zookeeper.connect', 'controller.listener.names', 'control.plane.listener.name',
            'inter.broker.listener.name', 'security.inter.broker.protocol', 'num.replica.fetchers'
        )
        AND to_date(last_sweep_at) = :ds
    GROUP BY cluster
),

-- some topics may be described although others gave no answer
configs AS (
    SELECT
        cluster,
        max(last_sweep_at) AS configs_sweep
    FROM raw_topic_configs
    WHERE name = 'min.insync.replicas' AND to_date(last_sweep_at) = :ds
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
    max(s.groups_read AND s.members_read AND s.offsets_read) AS groups_read,
    max_by(d.declaration, s.sweep_at) AS declaration,
    max(s.sweep_at) FILTER (WHERE s.topics_read) AS topics_sweep,
    max(c.configs_sweep) AS configs_sweep,
    max(s.sweep_at) FILTER (WHERE s.offsets_read) AS offsets_sweep,
    -- assignments tell which partitions are still read: offsets without them only where no sweep gave both
    coalesce(max(s.sweep_at) FILTER (WHERE s.offsets_read AND s.members_read), offsets_sweep) AS lags_sweep,
    max(l.metadata_level) AS metadata_level,
    max(l.eligible_leader_replicas) AS eligible_leader_replicas,
    max(o.controller_listeners) AS controller_listeners,
    max(o.control_listener) AS control_listener,
    max(o.replica_fetchers) AS replica_fetchers,
    max(coalesce(o.broker_listener, o.broker_protocol)) AS broker_listener,
    CASE
        WHEN max(l.metadata_level) IS NOT NULL OR max(o.has_roles) THEN 'KRaft'
        WHEN max(o.has_zookeeper) THEN 'ZooKeeper'
    END AS cluster_mode,
    concat(
        'some topics were not read: ',
        nullif(
            max_by(regexp_extract(s.admin_detail, 'some_topics: ([^;]*)', 1), s.sweep_at) FILTER (WHERE s.topics_read),
            ''
        )
    ) AS topics_unseen,
    coalesce(
        try_divide(
            unix_micros(offsets_sweep) - unix_micros(min(s.sweep_at) FILTER (WHERE s.offsets_read)),
            unix_micros(last_sweep) - unix_micros(first_sweep)
        ),
        0
    ) AS offsets_covered
FROM cluster_sweeps AS s
INNER JOIN raw_declarations AS d ON s.cluster = d.cluster AND s.sweep_at BETWEEN d.sweep_at AND d.last_sweep_at
LEFT JOIN configs AS c ON s.cluster = c.cluster
LEFT JOIN levels AS l ON s.cluster = l.cluster
LEFT JOIN settings AS o ON s.cluster = o.cluster
WHERE to_date(s.sweep_at) = :ds
GROUP BY s.cluster
