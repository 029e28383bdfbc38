"""Upgrade plans: takes a day's findings, gives the release to upgrade to, and the steps that lead there."""
