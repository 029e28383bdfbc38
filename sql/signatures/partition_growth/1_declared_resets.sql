-- The reset policy that the owner declares of each consumer group, where any.
-- out: one row per cluster and group; of several patterns that match, the longest decides. `*` and `?` are wildcards.
WITH declared AS (
    SELECT
        c.cluster,
        e.pattern,
        translate(
            trim(e.settings['auto.offset.reset']), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'
        ) AS reset_policy,
        -- the pattern as LIKE has it: its own wildcards are escaped first
        replace(
            replace(replace(replace(replace(e.pattern, '!', '!!'), '%', '!%'), '_', '!_'), '*', '%'), '?', '_'
        ) AS like_pattern
    FROM cluster_days AS c
        LATERAL VIEW explode(
            from_json(get_json_object(c.declaration, '$.client_configs.groups'), 'MAP<STRING, MAP<STRING, STRING>>')
        ) e AS pattern, settings
)

SELECT
    g.cluster,
    g.group_id,
    max_by(d.reset_policy, struct(length(d.pattern), d.pattern)) AS reset_policy
FROM group_starts AS g
INNER JOIN declared AS d ON g.cluster = d.cluster AND g.group_id LIKE d.like_pattern ESCAPE '!'
WHERE d.reset_policy IS NOT NULL
GROUP BY g.cluster, g.group_id
