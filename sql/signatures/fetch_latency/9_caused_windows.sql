-- What is left of a window's expiries and fetches when all that is legal is taken off, and what causes it.
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
        coalesce(max(d.batches), 0) AS delivered,
        coalesce(max(d.is_whole), FALSE) AS is_whole,
        try_sum(x.bytes_out) FILTER (WHERE x.followed) AS follower_bytes,
        try_sum(x.bytes_out) FILTER (WHERE x.selected) AS selected_bytes,
        try_sum(x.bytes_out) AS read_bytes,
        coalesce(min(x.answered) FILTER (WHERE x.bytes_out > 0), FALSE) AS answered,
        max(p.broker IS NOT NULL) AS polled
    FROM fetch_spans AS s
    LEFT JOIN legal_waits AS l ON s.cluster = l.cluster AND s.broker = l.broker AND s.time_window = l.time_window
    LEFT JOIN topic_windows AS x ON s.cluster = x.cluster AND s.broker = x.broker AND s.time_window = x.time_window
    LEFT JOIN delivered_batches AS d ON s.cluster = d.cluster AND s.broker = d.broker AND s.time_window = d.time_window
    LEFT JOIN idle_groups AS p ON s.cluster = p.cluster AND s.broker = p.broker AND s.time_window = p.time_window
    WHERE s.to_sweep = s.last_sweep
    GROUP BY s.cluster, s.broker, s.time_window
),

caused AS (
    SELECT
        r.*,
        t.min_margin,
        t.max_interval_s,
        -- expiries that members should have shown at their leaders and did not: those may wait at a follower
        try_cast(
            try_sum(try_cast(greatest(0, (1 - t.missing_share) * r.legal_expired - r.expired) AS DECIMAL(28, 9)))
                OVER (PARTITION BY r.cluster, r.time_window)
            AS DOUBLE
        ) AS unspent,
        -- a look has seen at least so many
        greatest(r.expired - r.legal_expired - unspent, if(r.look_proven, r.look_expired, NULL)) AS excess,
        r.fetches - r.legal_expired - unspent - r.metadata_fetches AS busy_fetches,
        exp(-coalesce(r.strange_per_s, r.batches_per_s, 0) * r.wait_s) AS legal_share,
        excess / greatest(busy_fetches, 1) AS busy_ratio,
        -- answers that came before the wait was over, per batch that arrived: delayed readers get few of them
        (busy_fetches - excess) / greatest(r.batches_per_s * r.seconds, 1) AS prompt_share,
        -- the same per batch that went out here. With many more answers than batches some were redirects to a follower,
        -- which carry nothing, and the others may be few
        (busy_fetches - excess) / greatest(r.delivered, 1) AS delivered_share,
        delivered_share >= t.max_prompt_share
        AND NOT (
            r.selected
            AND r.is_whole
            AND busy_fetches - excess > try_divide(r.delivered, t.max_prompt_share) + t.min_expired
        ) AS is_served,
        CASE
            WHEN r.look_expired IS NOT NULL
                THEN if(r.look_proven OR r.followed OR r.selected, 'follower', 'min_bytes')
            -- a redirect costs one fetch per consumer and metadata.max.age.ms; an idle reader expires at each wait
            WHEN
                NOT (r.followed OR r.is_read)
                AND NOT r.polled
                AND excess > 0
                AND excess <= try_divide(t.max_redirect_rate * r.seconds, r.wait_s) * r.passing_by
                THEN 'redirect'
            WHEN NOT r.followed AND r.passing_by > 0 THEN NULL
            WHEN busy_ratio - legal_share < t.min_margin OR prompt_share >= t.max_prompt_share OR is_served THEN NULL
            WHEN r.followed THEN if(r.unsettled AND busy_ratio >= t.min_ratio, 'follower', NULL)
            WHEN r.answered THEN NULL
            WHEN busy_ratio - coalesce(exp(-r.unseen_per_s * r.wait_s), 0) < t.min_unseen_margin THEN NULL
            -- where followers may be read, they explain what fetch.min.bytes would
            WHEN r.selected AND busy_ratio >= t.min_selected_ratio THEN 'follower'
            WHEN NOT r.selected AND busy_ratio >= t.min_bytes_ratio THEN 'min_bytes'
        END AS cause
    FROM reads AS r
    INNER JOIN fetch_latency_thresholds AS t ON r.cluster = t.cluster
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
