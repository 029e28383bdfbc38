-- What is left of a window's expiries and fetches when all that is legal is taken off, and what causes it.
-- in:  fetch_spans, topic_windows, legal_waits, fetch_latency_thresholds
-- out: one row per cluster, broker and window; cause is null where nothing is wrong. bytes_out: of the topics of the
--      cause; broker_cause: one of the broker's day. proven: no healthy workload makes these rows
WITH reads AS (
    SELECT
        s.cluster,
        s.broker,
        s.time_window,
        max(s.last_sweep) AS last_sweep,
        max(s.window_from) AS from_at,
        max(s.window_to) AS to_at,
        max(s.window_s) AS seconds,
        max(s.longest_s) AS longest_s,
        max(s.fetches) AS fetches,
        max(s.expired) AS expired,
        max(s.metadata_fetches) AS metadata_fetches,
        max(s.wait_s) AS wait_s,
        max(t.missing_share) AS missing_share,
        coalesce(max(l.legal_expired), 0) AS legal_expired,
        coalesce(max(l.legal_fetches), 0) AS legal_fetches,
        coalesce(max(l.delayed_members), 0) AS delayed_members,
        max(x.batches_per_s) FILTER (WHERE x.bytes_out > 0) AS batches_per_s,
        -- of topics whose readers are in no group, the slowest bounds the share that may expire legally; of topics of
        -- whose readers no member was seen here, as of a job between two sweeps, one that reads one partition does
        min(coalesce(x.batches_per_s, 0)) FILTER (WHERE x.bytes_out > 0 AND x.readers IS NULL) AS strange_per_s,
        min(x.unseen_per_s) FILTER (WHERE x.bytes_out > 0) AS unseen_per_s,
        size(array_distinct(flatten(collect_list(x.passing_by) FILTER (WHERE x.bypassed)))) AS passing_by,
        max(coalesce(x.bytes_out, 0)) > 0 AS is_read,
        max(coalesce(x.followed, FALSE)) AS followed,
        max(coalesce(x.selected, FALSE)) AS selected,
        max(coalesce(x.followed AND NOT x.settled, FALSE)) AS unsettled,
        coalesce(
            max(x.look_shows = 'delayed') OR (max(x.selected) AND max(x.look_shows = 'partly' AND x.one_pass)), FALSE
        ) AS look_proven,
        max(x.look_expired) AS look_expired,
        max(x.carried_bytes) AS carried_bytes,
        max(x.bytes_out) FILTER (WHERE x.look_expired IS NOT NULL) AS look_bytes,
        try_sum(x.bytes_out) FILTER (WHERE x.followed) AS follower_bytes,
        try_sum(x.bytes_out) FILTER (WHERE x.selected) AS selected_bytes,
        try_sum(x.bytes_out) AS read_bytes
    FROM fetch_spans AS s
    INNER JOIN fetch_latency_thresholds AS t ON s.cluster = t.cluster
    LEFT JOIN legal_waits AS l ON s.cluster = l.cluster AND s.broker = l.broker AND s.time_window = l.time_window
    LEFT JOIN topic_windows AS x ON s.cluster = x.cluster AND s.broker = x.broker AND s.time_window = x.time_window
    WHERE s.to_sweep = s.last_sweep
    GROUP BY s.cluster, s.broker, s.time_window
),

left_over AS (
    SELECT
        *,
        -- expiries that members should have shown at their leaders and did not: those may wait at a follower
        try_cast(
            try_sum(try_cast(greatest(0, (1 - missing_share) * legal_expired - expired) AS DECIMAL(28, 9)))
                OVER (PARTITION BY cluster, time_window)
            AS DOUBLE
        ) AS unspent,
        -- a look has seen at least so many
        greatest(expired - legal_expired - unspent, if(look_proven, look_expired, NULL)) AS excess,
        fetches - legal_expired - unspent - metadata_fetches AS busy_fetches,
        exp(-coalesce(strange_per_s, batches_per_s, 0) * wait_s) AS legal_share,
        excess / greatest(busy_fetches, 1) AS busy_ratio,
        -- answers that came before the wait was over, per batch that arrived: delayed readers get few of them
        (busy_fetches - excess) / greatest(batches_per_s * seconds, 1) AS prompt_share
    FROM reads
),

caused AS (
    SELECT
        j.*,
        t.min_margin,
        t.max_interval_s,
        CASE
            WHEN j.look_expired IS NOT NULL
                THEN if(j.look_proven OR j.followed OR j.selected, 'follower', 'min_bytes')
            -- a redirect costs one fetch per consumer and metadata.max.age.ms; an idle reader expires at each wait
            WHEN
                NOT (j.followed OR j.is_read)
                AND j.excess > 0
                AND j.excess <= try_divide(t.max_redirect_rate * j.seconds, j.wait_s) * j.passing_by
                THEN 'redirect'
            WHEN NOT j.followed AND j.passing_by > 0 THEN NULL
            WHEN j.busy_ratio - j.legal_share < t.min_margin OR j.prompt_share >= t.max_prompt_share THEN NULL
            WHEN j.followed THEN if(j.unsettled AND j.busy_ratio >= t.min_ratio, 'follower', NULL)
            WHEN j.busy_ratio - coalesce(exp(-j.unseen_per_s * j.wait_s), 0) < t.min_unseen_margin THEN NULL
            -- where followers may be read, they explain what fetch.min.bytes would
            WHEN j.selected AND j.busy_ratio >= t.min_selected_ratio THEN 'follower'
            WHEN NOT j.selected AND j.busy_ratio >= t.min_bytes_ratio THEN 'min_bytes'
        END AS cause
    FROM left_over AS j
    INNER JOIN fetch_latency_thresholds AS t ON j.cluster = t.cluster
)

SELECT
    *,
    coalesce(if(cause = 'follower', coalesce(look_bytes, follower_bytes, selected_bytes), read_bytes), 0) AS bytes_out,
    max(cause) OVER (PARTITION BY cluster, broker) AS broker_cause,
    -- a longer interval averages bursts with silence; expiries beyond those of the members seen are of unknown readers,
    -- who may be idle
    look_proven
    OR (
        longest_s <= max_interval_s
        AND (
            cause = 'redirect'
            OR (followed AND excess <= (1 + min_margin) * try_divide(seconds, wait_s) * delayed_members)
        )
    ) AS proven
FROM caused
