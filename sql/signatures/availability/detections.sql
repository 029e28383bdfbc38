-- What of the cluster did not serve its partitions for so long that no roll and no move of a controller explains it?
-- in:  red_flags, availability_thresholds
-- out: one row per cause and thing, its longest state, with the numbers of all things of its cause that are as sure.
--      seconds: between the first and the last sweep of a state, so it lasted longer
WITH numbered AS (
    SELECT
        *,
        if(
            cause = 'unclean_election',
            0,
            nth - row_number() OVER (
                PARTITION BY cluster, cause, strength, topic, partition_id, broker, state_of ORDER BY nth
            )
        ) AS streak
    FROM red_flags
),

states AS (
    SELECT
        cluster,
        cause,
        strength,
        topic,
        partition_id,
        broker,
        max(log_dir) AS log_dir,
        max(offline_replicas) AS offline_replicas,
        min(from_at) AS first_at,
        max(to_at) AS last_at,
        count(*) AS sweeps,
        if(cause = 'unclean_election', try_sum(amount), max(amount)) AS amount,
        (unix_micros(max(to_at)) - unix_micros(min(from_at))) / 1e6D AS seconds
    FROM numbered
    GROUP BY cluster, cause, strength, topic, partition_id, broker, state_of, streak
),

lasting AS (
    SELECT
        s.*,
        row_number() OVER (
            PARTITION BY s.cluster, s.cause, s.strength, s.topic, s.partition_id, s.broker
            ORDER BY s.seconds DESC, s.first_at ASC
        ) AS nth_state,
        dense_rank() OVER (PARTITION BY s.cluster, s.cause, s.strength ORDER BY s.topic, s.partition_id)
            AS nth_partition
    FROM states AS s
    INNER JOIN availability_thresholds AS t ON s.cluster = t.cluster
    WHERE
        CASE
            -- neither passes by itself
            WHEN s.cause IN ('log_dir', 'unclean_election') THEN TRUE
            WHEN
                s.strength = 'conclusive'
                AND s.cause IN ('offline', 'not_elected', 'under_min_isr', 'dead_fetcher')
                THEN s.sweeps >= t.min_sweeps AND s.seconds >= t.min_s
            -- the rows of intervals are one fewer than their sweeps
            ELSE
                s.sweeps + if(s.partition_id IS NOT NULL AND s.cause = 'failed_fetch', 1, 0) >= t.min_steady_sweeps
                AND s.seconds >= t.min_steady_s
        END
),

numbers AS (
    SELECT
        *,
        min(first_at) OVER of_cause AS from_at,
        max(last_at) OVER of_cause AS to_at,
        max(seconds) OVER of_cause AS longest,
        max(nth_partition) OVER of_cause AS partition_count,
        max(amount) OVER of_cause AS most,
        try_sum(amount) OVER of_cause AS total,
        try_sum(offline_replicas) OVER of_cause AS all_replicas
    FROM lasting
    WHERE nth_state = 1
    WINDOW of_cause AS (PARTITION BY cluster, cause, strength)
)

SELECT
    cluster,
    cause,
    strength,
    topic,
    partition_id,
    broker,
    log_dir,
    first_at,
    last_at,
    seconds,
    from_at,
    to_at,
    if(cause = 'offline', if(partition_id IS NULL, most, partition_count), NULL) AS offline_partitions,
    if(cause = 'offline', longest, NULL) AS offline_seconds,
    if(cause = 'not_elected', partition_count, NULL) AS unled_partitions,
    if(cause = 'not_elected', longest, NULL) AS unled_seconds,
    if(cause = 'under_min_isr', partition_count, NULL) AS refusing_partitions,
    if(cause = 'under_min_isr', longest, NULL) AS refusing_seconds,
    if(cause = 'failed_fetch', if(partition_id IS NULL, total, partition_count), NULL) AS failed_partitions,
    if(cause = 'failed_fetch', longest, NULL) AS failed_seconds,
    if(cause = 'dead_fetcher', total, NULL) AS dead_threads,
    if(cause = 'dead_fetcher', longest, NULL) AS dead_seconds,
    if(cause = 'log_dir', total, NULL) AS offline_dirs,
    -- brokers from 3.7 on show 0 whatever is offline
    if(cause = 'log_dir', nullif(all_replicas, 0), NULL) AS offline_replicas,
    if(cause IN ('two_controllers', 'no_controller'), most, NULL) AS controllers,
    if(cause IN ('two_controllers', 'no_controller'), longest, NULL) AS controllers_seconds,
    if(cause = 'outside', longest, NULL) AS outside_seconds,
    if(cause = 'outside', most, NULL) AS fenced_brokers,
    if(cause = 'unclean_election', most, NULL) AS elections,
    row_number() OVER (
        PARTITION BY cluster
        ORDER BY seconds DESC, cause ASC, topic ASC, partition_id ASC, broker ASC, log_dir ASC, strength ASC
    ) AS ordinal
FROM numbers
