-- Topics with partitions that stay hot: do these lie anywhere, or does a whole leader stand out?
-- in:  skew_partitions
-- out: one row per cluster and topic. usual_neighbours: partitions with the usual rate on a hot partition's leader;
--      moved: hot partitions that stayed hot under another leader; top: the measures of the hottest
WITH leaders AS (
    SELECT
        cluster,
        topic,
        leader,
        try_cast(try_sum(try_cast(relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS share_sum,
        try_cast(try_sum(try_cast(relative_rate * relative_rate AS DECIMAL(28, 15))) AS DOUBLE) AS squares,
        count(*) AS led,
        count_if(hot) AS hot,
        count_if(NOT hot AND relative_rate <= :min_window_ratio * middle) AS usual_ones,
        count_if(hot AND hot_leaders >= 2) AS moved
    FROM skew_partitions
    GROUP BY cluster, topic, leader
),

spread AS (
    SELECT
        cluster,
        topic,
        try_cast(
            try_sum(try_cast(try_divide(share_sum * share_sum, led) AS DECIMAL(28, 15))) AS DOUBLE
        ) AS squares_of_leaders,
        try_cast(try_sum(try_cast(share_sum AS DECIMAL(28, 15))) AS DOUBLE) AS sum_of_shares,
        try_cast(try_sum(try_cast(squares AS DECIMAL(28, 15))) AS DOUBLE) AS squares,
        try_sum(hot) AS hot,
        try_sum(led) AS n,
        max(CASE WHEN hot > 0 THEN usual_ones ELSE 0 END) AS usual_neighbours,
        max(moved) AS moved,
        bool_and(hot = 0 OR hot = led) AS whole_leaders
    FROM leaders
    GROUP BY cluster, topic
    HAVING try_sum(hot) > 0
),

hottest_partitions AS (
    SELECT
        cluster,
        topic,
        max(struct(ratio, partition, leader, topic_share, gini, robust_z, hot_windows, windows, noise, from_at, to_at))
            AS hottest
    FROM skew_partitions
    WHERE hot
    GROUP BY cluster, topic
)

SELECT
    s.*,
    h.hottest,
    (s.squares_of_leaders - try_divide(s.sum_of_shares * s.sum_of_shares, s.n))
    / nullif(s.squares - try_divide(s.sum_of_shares * s.sum_of_shares, s.n), 0) AS between_share
FROM spread AS s
INNER JOIN hottest_partitions AS h ON s.cluster = h.cluster AND s.topic = h.topic
