-- Could the symptom be looked for at all?
-- in:  broker_days, cluster_days, intervals, judged_restarts
-- out: one row per cluster: whether it was evaluated, and one sentence per input that is missing
WITH paired AS (
    SELECT
        b.cluster,
        b.broker,
        max(i.broker) IS NOT NULL AS has_pair
    FROM broker_days AS b
    LEFT JOIN intervals AS i ON b.cluster = i.cluster AND b.broker = i.broker AND i.kind = 'sweeps'
    WHERE b.is_broker AND array_contains(:clusters, b.cluster)
    GROUP BY b.cluster, b.broker
),

brokers AS (
    SELECT
        cluster,
        count_if(has_pair) / count(*) AS paired_share,
        sort_array(
            collect_list(
                CASE
                    WHEN NOT has_pair
                        THEN concat('broker ', broker, ': no two reads, so whether it was restarted is not known')
                END
            )
        ) AS missing
    FROM paired
    GROUP BY cluster
),

told AS (
    SELECT
        j.cluster,
        j.broker,
        -- where nothing counts how processes end, the length of a start is compared all the same
        j.judged_as != 'unknown'
        OR coalesce(
            NOT j.has_counter
            AND coalesce(d.cluster_mode, 'KRaft') = 'KRaft'
            AND j.start_seconds > 0
            AND j.usual_seconds > 0,
            FALSE
        ) AS is_told,
        CASE
            WHEN j.judged_as != 'unknown' THEN NULL
            WHEN NOT j.has_counter
                THEN 'no controller of this cluster counts controlled shutdowns (KRaft controllers do not)'
            WHEN j.was_controller
                THEN 'it was the active controller, and its count of controlled shutdowns went with its process'
            WHEN j.controlled_shutdowns IS NOT NULL
                THEN 'other brokers may have stopped at the same time, and the count fits more than one of them'
            ELSE 'the active controller was not read both before and after'
        END AS reason
    FROM judged_restarts AS j
    LEFT JOIN cluster_days AS d ON j.cluster = d.cluster
    WHERE j.judged_as != 'first_read'
),

restarted AS (
    SELECT
        cluster,
        count_if(is_told) / count(*) AS told_share
    FROM told
    GROUP BY cluster
),

reasons AS (
    SELECT
        cluster,
        reason,
        sort_array(collect_set(broker)) AS brokers
    FROM told
    WHERE reason IS NOT NULL
    GROUP BY cluster, reason
),

untold AS (
    SELECT
        cluster,
        sort_array(
            collect_list(
                concat(
                    'broker ',
                    array_join(slice(brokers, 1, 20), ', '),
                    CASE WHEN size(brokers) > 20 THEN concat(' and ', size(brokers) - 20, ' more') ELSE '' END,
                    ' restarted; whether it was stopped in a controlled way is not known: ',
                    reason
                )
            )
        ) AS missing
    FROM reasons
    GROUP BY cluster
)

SELECT
    b.cluster,
    b.paired_share >= :min_coverage AND coalesce(r.told_share, 1) >= :min_coverage AS evaluated,
    concat(b.missing, coalesce(u.missing, array())) AS missing
FROM brokers AS b
LEFT JOIN restarted AS r ON b.cluster = r.cluster
LEFT JOIN untold AS u ON b.cluster = u.cluster
