"""The policy file of Jolokia agents: takes mbeans.yaml and hosts, gives XML that lets our own reads pass, nothing else.

No command is allowed as such, so a read passes only where `allow` names MBean and attribute, and a call where it names
MBean and operation. `mode="read"` keeps the same entry from allowing a write of the attribute.
"""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from kafka_fleet.schema import mbeans

_HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!-- Access policy for the Jolokia agent: what the collector reads, and nothing else. Put the collector's address in the
     place of 127.0.0.1. `kafka-fleet agent-policy` prints it. -->
<restrict>
  <remote>
"""
_METHODS = """  </remote>
  <http>
    <method>post</method>
  </http>
  <commands/>
  <allow>
"""


def access_policy(hosts: Sequence[str] = ("127.0.0.1",)) -> str:
    """The whole file. hosts: who may ask, as names, addresses or networks (10.1.0.0/16).

    Names of MBeans are those that requests are sent with, so wildcards may be wider than the columns need.
    """
    attributes: dict[str, dict[str, None]] = {}
    for request in (mbeans.PARTITIONS, mbeans.BROKER):
        for bean in (one for one in mbeans.beans(request) if one.operation is None):
            attributes.setdefault(mbeans.requested_name(bean), {}).update(
                {column.attribute: None for column in bean.columns}
            )
    entries = [
        f"    <mbean><name>{escape(name)}</name>"
        + "".join(f'<attribute mode="read">{escape(attribute)}</attribute>' for attribute in sorted(wanted))
        + "</mbean>\n"
        for name, wanted in sorted(attributes.items())
    ]
    entries += [
        f"    <mbean><name>{escape(bean.mbean)}</name>"
        + "".join(f"<operation>{escape(name)}</operation>" for name in (bean.operation, mbeans.THREAD_INFO))
        + "</mbean>\n"
        for bean in mbeans.beans(mbeans.BROKER)
        if bean.operation is not None
    ]
    remote = "".join(f"    <host>{escape(host)}</host>\n" for host in hosts)
    return f"{_HEAD}{remote}{_METHODS}{''.join(entries)}  </allow>\n</restrict>\n"
