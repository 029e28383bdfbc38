"""Letters by mail: who gets which one when, the outbox, the digest, delivery over SMTP."""
