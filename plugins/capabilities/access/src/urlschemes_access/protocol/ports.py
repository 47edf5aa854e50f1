"""Ports from 1024 up that are known for a protocol: a URL of another scheme could talk to a server of it.

A URL names any port, and its author chooses what is sent there (RFC 1738 section 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OTHER_PROTOCOLS = frozenset(
    (1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080)
)
"""Ports that no other scheme may reach: the "bad ports" of the Fetch standard from 1024 up."""

LINE_SERVICES: Mapping[int, str] = MappingProxyType(
    {
        1978: "Tokyo Tyrant",  # its protocol: compatible with that of memcached
        1984: "Xymon",  # IANA: bb; manual page xymon(1): one message is a line such as `disable`
        2003: "Carbon",  # Graphite, "Feeding In Your Data": the plaintext protocol
        2181: "ZooKeeper",  # Administrator's Guide: the four letter words
        2947: "gpsd",  # IANA: gpsd; manual page gpsd_json(5)
        3310: "ClamAV",  # manual page clamd(8): commands such as `SHUTDOWN`
        3493: "Network UPS Tools",  # IANA: nut; RFC 9271
        4028: "cgminer",  # API-README
        4222: "NATS",  # Client Protocol
        4242: "OpenTSDB",  # "Writing Data": the command `put`
        4730: "Gearman",  # IANA: gearman; PROTOCOL: administrative protocol
        4949: "Munin",  # IANA: munin; "Data exchange between master and node"
        5037: "adb",  # Android, SERVICES.TXT: requests of hexadecimal digits and text
        5038: "Asterisk",  # Asterisk Manager Interface
        6082: "Varnish",  # manual page varnish-cli(7)
        6379: "Redis",  # IANA: redis; protocol specification: inline commands
        6557: "Livestatus",  # Checkmk, "Retrieving status data via Livestatus": `COMMAND`
        6600: "MPD",  # The Music Player Daemon protocol
        7656: "I2P",  # SAM V3
        8021: "FreeSWITCH",  # mod_event_socket
        8126: "StatsD",  # admin_interface.md
        9009: "QuestDB",  # InfluxDB line protocol over TCP
        9051: "Tor",  # control-spec: SIGNAL and other commands
        9100: "a printer",  # IANA: pdl-datastream; what is sent there is printed
        9851: "Tile38",  # network protocols: telnet
        10011: "TeamSpeak",  # ServerQuery manual
        10050: "Zabbix",  # IANA: zabbix-agent; "Passive and active agent checks": the key as a line
        11211: "memcached",  # IANA: memcache; doc/protocol.txt
        11300: "beanstalkd",  # doc/protocol.txt
        12489: "NSClient++",  # NSClientServer: password, command and arguments between `&`
        26379: "Redis Sentinel",  # Redis documentation, "High availability with Redis Sentinel"
    }
)
"""Services, by their usual port, that obey a line of text: not to be reached by schemes that send decoded parts."""
