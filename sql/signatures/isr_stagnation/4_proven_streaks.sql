-- What the leader's own log says of its changes of in-sync sets, while a follower was out and in the hour before.
-- out: the rows of isr_streaks with lines of the leader's log. Conclusive as well where it was refused in most of the
--      intervals for as long as counts as frozen, and none of its sets grew meanwhile: no change that crossed another
--      one; and where it lost a change, which it never sends again
WITH told AS (
    SELECT
        s.cluster,
        s.topic,
        s.partition,
        s.follower,
        s.from_at,
        try_sum(if(m.mark = 'isr_version_refused', m.line_count, NULL)) AS refused_lines,
        count_if(m.mark = 'isr_version_refused') AS refused_intervals,
        min(if(m.mark = 'isr_version_refused', m.first_at, NULL)) AS refused_from,
        max(if(m.mark = 'isr_version_refused', m.last_at, NULL)) AS refused_to,
        try_sum(if(m.mark = 'isr_not_enqueued', m.line_count, NULL)) AS lost_lines,
        min(if(m.mark = 'isr_not_enqueued', m.first_at, NULL)) AS lost_from,
        max(if(m.mark = 'isr_not_enqueued', m.last_at, NULL)) AS lost_to,
        try_sum(if(m.mark = 'isr_change_rejected', m.line_count, NULL)) AS rejected_lines
    FROM isr_streaks AS s
    INNER JOIN log_marks AS m
        ON
            s.cluster = m.cluster AND s.leader = m.broker
            AND unix_micros(s.from_at) <= unix_micros(m.last_at) + 3600000000
    WHERE NOT s.is_behind AND m.last_at <= s.to_at
    GROUP BY s.cluster, s.topic, s.partition, s.follower, s.from_at
)

SELECT
    s.cluster,
    s.cause,
    s.topic,
    s.partition,
    s.leader,
    s.follower,
    s.from_at,
    s.to_at,
    s.seconds,
    s.records,
    s.lag,
    s.isr_expands,
    s.failed_isr_updates,
    s.leader_replicas,
    s.is_preferred,
    s.isr_count,
    s.leader_isr_count,
    s.replica_count,
    m.refused_lines,
    m.refused_from,
    m.refused_to,
    m.lost_lines,
    m.lost_from,
    m.lost_to,
    m.rejected_lines,
    CASE
        WHEN s.strength = 'conclusive' THEN s.strength
        WHEN s.unproven_sweeps > 0 OR s.is_behind THEN 'suggestive'
        WHEN m.lost_lines > 0 THEN 'conclusive'
        WHEN
            m.refused_intervals >= t.min_sweeps - 1
            AND unix_micros(m.refused_to) - unix_micros(m.refused_from) >= 1e6 * t.min_frozen_s
            AND coalesce(s.isr_expands, 0) = 0
            THEN 'conclusive'
        ELSE 'suggestive'
    END AS strength
FROM isr_streaks AS s
INNER JOIN isr_stagnation_thresholds AS t ON s.cluster = t.cluster
LEFT JOIN told AS m
    ON
        s.cluster = m.cluster AND s.topic = m.topic AND s.partition = m.partition AND s.follower = m.follower
        AND s.from_at = m.from_at AND NOT s.is_behind
