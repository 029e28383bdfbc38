"""One broker's MBeans over Jolokia: requests, responses, rows of raw tables."""
