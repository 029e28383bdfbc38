-- What causes a window's expiries beyond the legal ones; a close look decides where there is one.
-- in:  fetch_excess
-- out: one row per cluster, broker and window; cause is null where nothing is wrong. proven: no healthy workload makes
--      these rows. topics, groups and bytes_out are those of the cause
WITH caused AS (
    SELECT
        *,
        CASE
            WHEN look_topics IS NOT NULL
                THEN CASE
                    WHEN look_proven OR follower_topics IS NOT NULL OR selected_topics IS NOT NULL THEN 'follower'
                    ELSE 'min_bytes'
                END
            WHEN
                size(unsettled_topics) > 0
                AND busy_ratio >= :min_ratio
                AND busy_ratio - greatest(stranger_share, moving_share) >= :min_margin
                AND prompt_share < :max_prompt_share
                THEN 'follower'
            -- a redirect costs one fetch per consumer and metadata.max.age.ms; an idle reader expires at each wait
            WHEN
                follower_topics IS NULL
                AND read_topics IS NULL
                AND bypassed_topics IS NOT NULL
                AND excess > 0
                AND excess <= try_divide(:max_redirect_rate * seconds, wait_s) * greatest(1, size(bypassed_groups))
                THEN 'redirect'
            WHEN
                follower_topics IS NULL
                AND bypassed_topics IS NULL
                AND busy_ratio >= CASE
                    WHEN selected_topics IS NULL THEN :min_bytes_ratio ELSE :min_selected_ratio
                END
                AND busy_ratio - greatest(stranger_share, moving_share) >= :min_margin
                AND busy_ratio - unseen_share >= :min_unseen_margin
                AND prompt_share < :max_prompt_share
                -- where followers may be read, they explain what fetch.min.bytes would
                THEN CASE WHEN selected_topics IS NULL THEN 'min_bytes' ELSE 'follower' END
        END AS cause
    FROM fetch_excess
)

SELECT
    cluster,
    broker,
    time_window,
    cause,
    from_at,
    to_at,
    seconds,
    fetches,
    expired,
    excess,
    busy_fetches,
    busy_ratio,
    prompt_share,
    legal_expired,
    legal_fetches,
    batches_per_s,
    carried_bytes,
    wait_s,
    p50_ms,
    p75_ms,
    p95_ms,
    p98_ms,
    p99_ms,
    p999_ms,
    CASE cause
        WHEN 'follower' THEN coalesce(look_topics, follower_topics, selected_topics)
        WHEN 'redirect' THEN bypassed_topics
        ELSE coalesce(look_topics, read_topics)
    END AS topics,
    CASE cause
        WHEN 'follower' THEN coalesce(look_groups, follower_groups, selected_groups)
        WHEN 'redirect' THEN bypassed_groups
        ELSE coalesce(look_groups, read_groups)
    END AS groups,
    coalesce(
        CASE cause WHEN 'follower' THEN coalesce(look_bytes, follower_bytes, selected_bytes) ELSE read_bytes END, 0
    ) AS bytes_out,
    -- a longer interval averages bursts with silence; expiries beyond those of the members seen are of unknown readers,
    -- who may be idle
    coalesce(look_proven, FALSE)
    OR (
        longest_s <= :max_interval_s
        AND (
            cause = 'redirect'
            OR (
                cause = 'follower'
                AND follower_topics IS NOT NULL
                AND excess <= (1 + :min_margin) * try_divide(seconds, wait_s) * delayed_members
            )
        )
    ) AS proven
FROM caused
