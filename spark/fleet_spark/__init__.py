"""The Spark side: raw tables to facts, facts to signatures, signatures and advisories to findings."""
