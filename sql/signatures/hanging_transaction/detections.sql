-- Which transactions stayed open for longer than anybody who may end them leaves them?
-- in:  open_transactions, broker_settings, cluster_days, hanging_transaction_thresholds
-- out: one row per transaction and partition, the longest first, with the numbers of all of its cause that are as sure.
--      Times lie between two looks of the collector, so that no clock of a broker or a producer says how old it is.
--      transaction.max.timeout.ms: after it every coordinator that knows a transaction has ended it, so one that is
--      older and that none names is none that was kept from the collector's user
WITH limits AS (
    SELECT
        cluster,
        max(if(name = 'transaction.max.timeout.ms', try_cast(config_value AS DOUBLE) / 1000, NULL)) AS most_seconds
    FROM broker_settings
    GROUP BY cluster
),

looks AS (
    SELECT
        *,
        unix_micros(read_at) AS micros
    FROM open_transactions
),

seen AS (
    SELECT
        cluster,
        topic,
        partition AS partition_id,
        producer_id,
        start_offset,
        max_by(broker, sweep_at) AS broker,
        max(transactional_id) AS transactional_id,
        max_by(coordinator_state, sweep_at) AS coordinator_state,
        max(timeout_seconds) AS timeout_seconds,
        max(sweep_at) AS last_sweep,
        min(read_at) AS first_at,
        max(read_at) AS last_at,
        max_by(idle_seconds, sweep_at) AS idle_seconds,
        max_by(high_watermark - last_stable_offset, sweep_at) AS held_records,
        max(high_watermark) - min(high_watermark) AS grown_records,
        count_if(held = 'unknown') AS unknown_looks,
        count_if(held IN ('unknown', 'ended')) AS lost_looks,
        max(micros) FILTER (WHERE held IN ('unknown', 'ended')) AS lost_to,
        min(micros) FILTER (WHERE held IN ('unknown', 'ended')) AS lost_from,
        (max(micros) FILTER (WHERE held = 'ending') - min(micros) FILTER (WHERE held = 'ending')) / 1e6D
            AS ending_seconds,
        (max(micros) FILTER (WHERE held = 'ongoing') - min(micros) FILTER (WHERE held = 'ongoing')) / 1e6D
            AS ongoing_seconds
    FROM looks
    GROUP BY cluster, topic, partition, producer_id, start_offset
),

judged AS (
    SELECT
        s.*,
        (unix_micros(s.last_at) - unix_micros(s.first_at)) / 1e6D AS open_seconds,
        (s.lost_to - s.lost_from) / 1e6D AS lost_seconds,
        min(s.idle_seconds) OVER (PARTITION BY s.cluster, s.producer_id) AS silent_seconds,
        CASE
            WHEN s.lost_looks > 1 AND lost_seconds >= t.min_lost_s THEN 'hanging'
            WHEN s.ending_seconds >= t.min_ending_s THEN 'no_marker'
            WHEN s.ongoing_seconds >= s.timeout_seconds + t.min_over_s THEN 'overdue'
            WHEN s.ongoing_seconds >= t.min_silent_s AND silent_seconds >= t.min_silent_s THEN 'silent'
        END AS cause,
        if(
            cause IN ('no_marker', 'overdue')
            OR (
                cause = 'hanging'
                AND (s.lost_looks - s.unknown_looks > 1 OR lost_seconds >= l.most_seconds + t.min_over_s)
            ),
            'conclusive', 'suggestive'
        ) AS strength
    FROM seen AS s
    INNER JOIN hanging_transaction_thresholds AS t ON s.cluster = t.cluster
    INNER JOIN cluster_days AS d ON s.cluster = d.cluster AND s.last_sweep >= d.first_sweep
    LEFT JOIN limits AS l ON s.cluster = l.cluster
),

named AS (
    SELECT
        *,
        dense_rank() OVER (PARTITION BY cluster, cause, strength ORDER BY topic, partition_id) AS nth_partition
    FROM judged
    WHERE cause IS NOT NULL
)

SELECT
    * EXCEPT (last_sweep, idle_seconds, silent_seconds, unknown_looks, lost_looks, lost_from, lost_to, nth_partition),
    topic RLIKE '^[a-zA-Z0-9._-]{1,249}$' AS is_legal,
    if(cause = 'silent', silent_seconds, NULL) AS silent_seconds,
    if(cause = 'hanging', lost_seconds, NULL) AS hanging_seconds,
    if(cause = 'no_marker', ending_seconds, NULL) AS unmarked_seconds,
    if(cause = 'overdue', ongoing_seconds - timeout_seconds, NULL) AS over_seconds,
    min(first_at) OVER of_cause AS from_at,
    max(last_at) OVER of_cause AS to_at,
    max(nth_partition) OVER of_cause AS partition_count,
    row_number() OVER (
        PARTITION BY cluster ORDER BY open_seconds DESC, topic ASC, partition_id ASC, start_offset ASC, producer_id ASC
    ) AS ordinal
FROM named
WINDOW of_cause AS (PARTITION BY cluster, cause, strength)
