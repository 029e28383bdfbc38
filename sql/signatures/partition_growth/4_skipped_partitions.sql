-- The partitions of what is reported: of each cause the groups that are proven, else all that are suspected.
-- in:  skipping_groups, late_commits
-- out: one row per cluster, cause, group, topic, partition and sweep, ranked within cluster and cause, worst first
WITH proven AS (
    SELECT
        *,
        min(strength) OVER (PARTITION BY cluster, cause) AS best
    FROM skipping_groups
)

SELECT
    g.cluster,
    g.cause,
    g.group_id,
    g.topic,
    l.partition,
    g.strength,
    g.reset_policy,
    g.from_sweep,
    g.to_sweep,
    g.at_least AS group_at_least,
    l.at_most,
    l.base,
    l.committed_offset,
    l.log_end_offset,
    -- what the bytes prove of the group holds for each partition after all its others may have been skipped whole
    greatest(
        CASE WHEN g.reset_policy = 'latest' THEN l.there_before ELSE 0 END,
        try_subtract(g.not_read, try_subtract(g.at_most, l.at_most))
    ) AS at_least,
    g.strength = g.best AS reported,
    row_number() OVER (
        PARTITION BY g.cluster, g.cause
        ORDER BY
            g.strength ASC, g.at_least DESC, g.at_most DESC, g.group_id ASC, g.topic ASC, l.at_most DESC,
            l.partition ASC, g.to_sweep ASC
    ) AS place
FROM proven AS g
INNER JOIN late_commits AS l
    ON
        g.cluster = l.cluster
        AND g.cause = l.cause
        AND g.group_id = l.group_id
        AND g.topic = l.topic
        AND g.to_sweep = l.to_sweep
