"""The agent's policy file: takes mbeans.yaml, gives XML that lets the collector's own reads pass and nothing else.

No command is allowed as such, so a read passes only where `allow` names MBean and attribute. `mode="read"` keeps the
same entry from allowing a write of the attribute.
"""

from xml.sax.saxutils import escape

from kafka_fleet.schema import mbeans

_HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!-- Access policy for the Jolokia agent: what the collector reads, and nothing else. Put the collector's address in the
     place of 127.0.0.1. Generated from plugins/kafka_fleet/schema/mbeans.yaml by docs/generate.py. -->
<restrict>
  <remote>
    <host>127.0.0.1</host>
  </remote>
  <http>
    <method>post</method>
  </http>
  <commands/>
  <allow>
"""


def access_policy() -> str:
    """The whole file. Names are those that requests are sent with, so wildcards may be wider than the columns need."""
    attributes: dict[str, dict[str, None]] = {}
    for request in (mbeans.PARTITIONS, mbeans.BROKER):
        for bean in mbeans.beans(request):
            attributes.setdefault(mbeans.requested_name(bean), {}).update(
                {column.attribute: None for column in bean.columns}
            )
    entries = [
        f"    <mbean><name>{escape(name)}</name>"
        + "".join(f'<attribute mode="read">{escape(attribute)}</attribute>' for attribute in sorted(wanted))
        + "</mbean>\n"
        for name, wanted in sorted(attributes.items())
    ]
    return f"{_HEAD}{''.join(entries)}  </allow>\n</restrict>\n"
