-- Do in-sync sets stay short although nothing keeps the followers out, and if something does, what?
-- out: one row per streak of a partition's follower, or of a broker, with the numbers of all of its cause that are as
--      sure. broker: the leader of a frozen set, else the one that is missing. Leaderships that do not come back point
--      to the bug and prove nothing: they have rows, which have no line, where no set is frozen, else only numbers
WITH found AS (
    SELECT
        cluster,
        cause,
        strength,
        if(cause = 'frozen', 'frozen', 'lagging') AS kind,
        topic,
        partition AS partition_id,
        leader,
        follower AS missing_broker,
        from_at AS first_at,
        to_at AS last_at,
        seconds,
        records,
        lag,
        max(isr_expands) OVER of_cause AS isr_expands,
        max(failed_isr_updates) OVER of_cause AS failed_isr_updates,
        max(leader_replicas) OVER of_cause AS leader_replicas,
        max(refused_lines) OVER of_cause AS refused_lines,
        min(refused_from) OVER of_cause AS refused_from,
        max(refused_to) OVER of_cause AS refused_to,
        max(lost_lines) OVER of_cause AS lost_lines,
        min(lost_from) OVER of_cause AS lost_from,
        max(lost_to) OVER of_cause AS lost_to,
        max(rejected_lines) OVER of_cause AS rejected_lines,
        if(cause = 'frozen', count_if(is_preferred) OVER of_cause, NULL) AS frozen_preferred,
        isr_count,
        leader_isr_count,
        replica_count,
        NULL AS partition_count,
        NULL AS away,
        NULL AS away_share,
        dense_rank() OVER (PARTITION BY cluster, cause, strength ORDER BY topic, partition) AS nth_partition
    FROM proven_streaks
    WINDOW of_cause AS (PARTITION BY cluster, cause, strength)
    UNION ALL
    SELECT
        cluster,
        cause,
        if(cause = 'frozen', 'suggestive', 'conclusive') AS strength,
        if(cause = 'frozen', 'away', 'dead') AS kind,
        NULL AS topic,
        NULL AS partition_id,
        NULL AS leader,
        broker AS missing_broker,
        from_at AS first_at,
        to_at AS last_at,
        seconds,
        NULL AS records,
        NULL AS lag,
        NULL AS isr_expands,
        NULL AS failed_isr_updates,
        NULL AS leader_replicas,
        NULL AS refused_lines,
        NULL AS refused_from,
        NULL AS refused_to,
        NULL AS lost_lines,
        NULL AS lost_from,
        NULL AS lost_to,
        NULL AS rejected_lines,
        NULL AS frozen_preferred,
        NULL AS isr_count,
        NULL AS leader_isr_count,
        NULL AS replica_count,
        partition_count,
        away,
        away_share,
        NULL AS nth_partition
    FROM isr_brokers
)

SELECT
    *,
    if(kind = 'frozen', leader, missing_broker) AS broker,
    if(kind = 'dead', missing_broker, NULL) AS dead_broker,
    min(first_at) OVER of_kind AS from_at,
    max(last_at) OVER of_kind AS to_at,
    try_sum(records) OVER of_kind AS appended,
    if(kind = 'frozen', max(nth_partition) OVER of_kind, NULL) AS frozen_partitions,
    if(kind = 'frozen', max(seconds) OVER of_kind, NULL) AS frozen_seconds,
    if(kind = 'frozen', max(lag) OVER of_kind, NULL) AS frozen_lag,
    if(kind = 'lagging', max(nth_partition) OVER of_kind, NULL) AS lagging_partitions,
    if(kind = 'lagging', max(seconds) OVER of_kind, NULL) AS lagging_seconds,
    if(kind = 'lagging', max(lag) OVER of_kind, NULL) AS lagging_records,
    if(kind = 'dead', max(seconds) OVER of_kind, NULL) AS dead_seconds,
    max(partition_count) OVER of_kind AS dead_partitions,
    try_sum(away) OVER of_cause AS away_leads,
    max(away_share) OVER of_cause AS most_away_share,
    max(if(kind = 'away', seconds, NULL)) OVER of_cause AS away_seconds,
    row_number() OVER (
        PARTITION BY cluster ORDER BY seconds DESC, topic ASC, partition_id ASC, missing_broker ASC, first_at ASC
    ) AS ordinal,
    if(kind = 'away', NULL, ordinal) AS line
FROM found
WINDOW
    of_cause AS (PARTITION BY cluster, cause),
    of_kind AS (PARTITION BY cluster, cause, strength, kind, if(kind = 'dead', missing_broker, NULL))
QUALIFY kind != 'away' OR NOT max(kind = 'frozen') OVER of_cause
