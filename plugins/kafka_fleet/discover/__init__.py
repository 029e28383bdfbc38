"""Clusters that other files know: takes manifests, inventories and lists, gives blocks of the fleet file."""
