-- What each address showed of its certificate today, at the last handshake that showed one, and whether any was plain.
-- in:  raw_certificates
-- out: one row per address. not_after is null where no handshake of the day showed a certificate, and detail says why
SELECT
    cluster,
    service,
    address,
    max_by(broker, sweep_at) FILTER (WHERE broker IS NOT NULL) AS broker,
    max_by(tls, sweep_at) AS tls,
    max_by(not_after, sweep_at) FILTER (WHERE not_after IS NOT NULL) AS not_after,
    max_by(subject, sweep_at) FILTER (WHERE not_after IS NOT NULL) AS subject,
    max_by(issuer, sweep_at) FILTER (WHERE not_after IS NOT NULL) AS issuer,
    max_by(verified, sweep_at) FILTER (WHERE not_after IS NOT NULL) AS verified,
    max_by(read_at, sweep_at) FILTER (WHERE not_after IS NOT NULL) AS read_at,
    max_by(detail, sweep_at) AS last_detail
FROM raw_certificates
WHERE to_date(sweep_at) = :ds
GROUP BY cluster, service, address
