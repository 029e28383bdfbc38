-- How often each log was read for marks today, of brokers of which it is asked for.
-- in:  raw_log_marks
SELECT
    cluster,
    broker,
    log,
    count_if(outcome = 'ok') AS ok_reads,
    count_if(outcome = 'failed') AS failed_reads
FROM raw_log_marks
WHERE to_date(sweep_at) = :ds AND mark IS NULL
GROUP BY cluster, broker, log
