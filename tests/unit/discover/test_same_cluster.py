"""Which entry of a fleet file a cluster of a source is: by its origin, else by its id or an address."""

from support.builders.discovered import BY_HAND, DATA, LIST


def test_a_cluster_that_is_there_by_another_id_is_not_written_again(call, tmp_path):
    (tmp_path / "fleet.yaml").write_text(BY_HAND.replace("127.0.0.1:9092", "b2:9092"))
    code, said, text = call(LIST, "--write")
    assert code == 0
    assert "- id: payments" not in text
    assert "lab differs from payments" in said
    assert "- id: orders" in text


def test_a_block_keeps_its_origin_when_its_id_is_changed(call, tmp_path):
    _, _, text = call(LIST, "--write")
    (tmp_path / "fleet.yaml").write_text(text.replace("- id: payments", "- id: payments-eu"))
    assert call(LIST)[0] == 0


def test_the_same_name_in_another_place_is_another_cluster(call):
    manifest = (DATA / "strimzi-manifests.yaml").read_text()
    options = ("--write", "--owner", "a@example.org", "--environment", "staging")
    for prefix, identity in (("eu-", "eu-orders"), ("us-", "us-orders")):
        _, said, text = call(manifest, *options, "--prefix", prefix, source="strimzi")
        assert f"{identity} (orders): appended" in said
    for name in ("a", "b"):
        placed = manifest.replace("  name: orders\n", f"  name: orders\n  namespace: {name}\n")
        _, said, text = call(placed, *options, source="strimzi")
    assert [line.strip() for line in text.splitlines() if "- id:" in line] == [
        "- id: eu-orders", "- id: us-orders", "- id: orders", "- id: b-orders",
    ]  # fmt: skip


def test_two_clusters_of_one_name_are_told_apart_by_a_prefix(call):
    inventory = (DATA / "confluent-hosts.yml").read_text()
    call(inventory, "--write", source="confluent")
    other = inventory.replace("broker-", "staging-broker-")
    code, said, _ = call(other, source="confluent")
    assert code == 1
    assert "no address is the same: where it is another cluster of that name, --prefix tells them apart" in said
    code, said, text = call(other, "--write", "--prefix", "staging-", source="confluent")
    assert "- id: staging-confluent\n" in text
    assert call(other, "--prefix", "staging-", source="confluent")[0] == 0
    assert call(inventory, source="confluent")[0] == 0


def test_a_cluster_that_a_source_has_twice_is_written_once(call):
    manifest = (DATA / "strimzi-manifests.yaml").read_text()
    options = ("--write", "--owner", "a@example.org", "--environment", "staging")
    code, said, text = call(f"{manifest}---\n{manifest}", *options, source="strimzi")
    assert (code, text.count("- id: ")) == (0, 1)
    assert "orders is there twice: the first one is taken" in said


def test_a_cluster_without_the_wanted_listener_says_so(call):
    lists = (DATA / "strimzi-list.yaml").read_text()
    _, _, text = call(lists, "--write", "--listener", "external", source="strimzi")
    assert text.count("there is no listener external: another one is used") == 1
