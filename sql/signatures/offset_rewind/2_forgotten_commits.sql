-- Groups with members that lost what they had committed long before, all of coordinators that loaded in that interval,
-- while groups of other coordinators kept theirs.
-- out: one row per group and sweep, with how many groups, and groups of these coordinators, had members at both sweeps
--      and a commit. Who set them back without choosing coordinators would meet these alone by a chance of max_chance,
--      or less. No unclean election was counted, the offsets log is no shorter, and its leader was in sync before
WITH forgotten AS (
    SELECT
        r.cluster,
        r.group_id,
        r.to_sweep
    FROM offset_rewinds AS r
    INNER JOIN offset_rewind_thresholds AS t ON r.cluster = t.cluster
    INNER JOIN commit_intervals AS c
        ON
            r.cluster = c.cluster AND r.group_id = c.group_id AND r.topic = c.topic AND r.partition = c.partition
            -- it had passed there, and went on
            AND r.committed_offset < c.committed_offset AND r.from_committed_offset > c.committed_offset
    WHERE
        r.coordinator_loaded AND NOT r.offsets_log_cut AND NOT r.vanished
        AND coalesce(r.same_topic, r.log_end_offset >= r.from_committed_offset)
        AND unix_micros(r.from_sweep) - unix_micros(c.to_sweep) >= 1e6D * t.min_stale_s
    GROUP BY r.cluster, r.group_id, r.to_sweep
),

intervals AS (
    SELECT
        r.cluster,
        r.to_sweep,
        max(r.from_sweep) AS from_sweep,
        max(NOT coalesce(r.coordinator_loaded, FALSE) AND NOT coalesce(r.memberless, FALSE)) AS also_elsewhere
    FROM offset_rewinds AS r
    INNER JOIN offset_rewind_thresholds AS t ON r.cluster = t.cluster
    WHERE
        NOT r.vanished AND r.records_back >= t.min_rewound
        AND coalesce(r.same_topic, r.log_end_offset >= r.from_committed_offset)
    GROUP BY r.cluster, r.to_sweep
),

running AS (
    SELECT
        i.cluster,
        i.to_sweep,
        i.also_elsewhere,
        g.group_id,
        s.group_id IS NOT NULL AS is_forgotten,
        o.cluster IS NOT NULL AS was_behind,
        coalesce(f.coordinator != g.coordinator OR g.coordinator_started_at > i.from_sweep, FALSE) AS has_loaded
    FROM intervals AS i
    INNER JOIN group_coordinators AS f ON i.cluster = f.cluster AND i.from_sweep = f.sweep_at AND f.members > 0
    INNER JOIN group_coordinators AS g
        ON f.cluster = g.cluster AND f.group_id = g.group_id AND i.to_sweep = g.sweep_at AND g.members > 0
    LEFT JOIN forgotten AS s ON g.cluster = s.cluster AND g.group_id = s.group_id AND i.to_sweep = s.to_sweep
    LEFT JOIN out_of_sync_replicas AS o
        ON
            i.cluster = o.cluster AND i.from_sweep = o.sweep_at AND o.topic = '__consumer_offsets'
            AND g.offsets_partition = o.partition AND g.coordinator = o.follower
    LEFT SEMI JOIN commit_intervals AS c
        ON g.cluster = c.cluster AND g.group_id = c.group_id AND i.to_sweep = c.to_sweep AND c.records IS NOT NULL
),

counted AS (
    SELECT
        r.*,
        count(*) OVER of_interval AS groups,
        count_if(r.has_loaded) OVER of_interval AS loaded_groups,
        count_if(r.is_forgotten AND r.has_loaded) OVER of_interval AS forgotten_groups
    FROM running AS r
    WINDOW of_interval AS (PARTITION BY r.cluster, r.to_sweep)
)

SELECT
    c.cluster,
    c.group_id,
    c.to_sweep,
    c.groups - c.loaded_groups AS groups_elsewhere
FROM counted AS c
INNER JOIN offset_rewind_thresholds AS t ON c.cluster = t.cluster
INNER JOIN unclean_elections AS e ON c.cluster = e.cluster AND c.to_sweep = e.to_sweep AND e.unclean_elections = 0
LEFT JOIN log_end_losses AS l ON c.cluster = l.cluster AND c.to_sweep = l.to_sweep AND l.topic = '__consumer_offsets'
WHERE
    c.is_forgotten AND c.has_loaded AND NOT c.was_behind AND NOT c.also_elsewhere
    AND l.cluster IS NULL
    AND c.forgotten_groups >= t.min_groups
    AND power(try_divide(c.loaded_groups, c.groups), c.forgotten_groups) <= t.max_chance
