"""Documents of a judged day: takes a home, gives summaries, timelines, replays and what is published."""
