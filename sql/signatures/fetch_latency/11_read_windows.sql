-- What is read at a broker in a window, as lists: all of it, what followers may be read of, what is read as a follower,
-- and what others read elsewhere although the broker leads it.
-- in:  fetch_windows, read_topics, follower_reads, bypassed_leaders
-- out: one row per cluster, broker and window; a list is null where there is nothing of its kind
WITH found AS (
    SELECT
        cluster,
        broker,
        time_window,
        max(batches_per_s) AS batches_per_s,
        sort_array(collect_set(topic)) AS read_topics,
        sort_array(array_distinct(flatten(collect_list(coalesce(groups, array()))))) AS read_groups,
        try_sum(bytes_out) AS read_bytes
    FROM read_topics
    GROUP BY cluster, broker, time_window
),

-- topics read here of which it follows a part, at brokers that may send consumers to a follower
selected AS (
    SELECT
        cluster,
        broker,
        time_window,
        sort_array(collect_set(topic)) AS selected_topics,
        sort_array(array_distinct(flatten(collect_list(coalesce(groups, array()))))) AS selected_groups,
        try_sum(bytes_out) AS selected_bytes
    FROM read_topics
    WHERE selected
    GROUP BY cluster, broker, time_window
),

followed AS (
    SELECT
        cluster,
        broker,
        time_window,
        sort_array(collect_set(topic)) AS follower_topics,
        sort_array(array_distinct(flatten(collect_list(groups)))) AS follower_groups,
        try_sum(bytes_out) AS follower_bytes
    FROM follower_reads
    GROUP BY cluster, broker, time_window
),

bypassed AS (
    SELECT
        cluster,
        broker,
        time_window,
        sort_array(collect_set(topic)) AS bypassed_topics,
        sort_array(array_distinct(flatten(collect_list(groups)))) AS bypassed_groups
    FROM bypassed_leaders
    GROUP BY cluster, broker, time_window
)

SELECT
    t.cluster,
    t.broker,
    t.time_window,
    r.batches_per_s,
    r.read_topics,
    r.read_groups,
    r.read_bytes,
    s.selected_topics,
    s.selected_groups,
    s.selected_bytes,
    f.follower_topics,
    f.follower_groups,
    f.follower_bytes,
    y.bypassed_topics,
    y.bypassed_groups
FROM fetch_windows AS t
LEFT JOIN found AS r ON t.cluster = r.cluster AND t.broker = r.broker AND t.time_window = r.time_window
LEFT JOIN selected AS s ON t.cluster = s.cluster AND t.broker = s.broker AND t.time_window = s.time_window
LEFT JOIN followed AS f ON t.cluster = f.cluster AND t.broker = f.broker AND t.time_window = f.time_window
LEFT JOIN bypassed AS y ON t.cluster = y.cluster AND t.broker = y.broker AND t.time_window = y.time_window
