-- The reset policy that the owner declares of each consumer group, where any.
-- in:  cluster_days (the fleet entry as JSON), commit_events
-- out: one row per cluster and group; of several patterns that match, the longest decides. `*` and `?` are wildcards.
WITH declared AS (
    SELECT
        cluster,
        from_json(
            get_json_object(declaration, '$.client_configs.groups'), 'MAP<STRING, MAP<STRING, STRING>>'
        ) AS patterns
    FROM cluster_days
    WHERE array_contains(:clusters, cluster)
),

entries AS (
    SELECT
        cluster,
        explode(map_entries(patterns)) AS entry
    FROM declared
),

-- the pattern as LIKE has it: its own wildcards are escaped first
likes AS (
    SELECT
        e.cluster,
        e.entry.key AS pattern,
        replace(
            replace(replace(replace(replace(e.entry.key, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%'), '?', '_'
        ) AS like_pattern,
        lower(trim(e.entry.value['auto.offset.reset'])) AS reset_policy
    FROM entries AS e
),

groups_of_day AS (
    SELECT DISTINCT
        cluster,
        group_id
    FROM commit_events
    WHERE array_contains(:clusters, cluster)
)

SELECT
    g.cluster,
    g.group_id,
    max_by(l.reset_policy, struct(length(l.pattern), l.pattern)) AS reset_policy
FROM groups_of_day AS g
INNER JOIN likes AS l ON g.cluster = l.cluster AND g.group_id LIKE l.like_pattern ESCAPE '!'
WHERE l.reset_policy IS NOT NULL
GROUP BY g.cluster, g.group_id
