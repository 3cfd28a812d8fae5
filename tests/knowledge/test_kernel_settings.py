"""The kernel setting behind a program's line: the address family is the refused address's."""

from __future__ import annotations

import pytest

from unstuck.causes._kernel_settings import _find_dependence

_SIX = "net.ipv6.conf.all.disable_ipv6"
_FOUR = "net.ipv4.ip_nonlocal_bind"


@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ("could not listen on ::1:7001: bind: Cannot assign requested address", _SIX),
        ("listen tcp [::1]:7001: bind: cannot assign requested address", _SIX),
        ("Error: listen EADDRNOTAVAIL: address not available :::3000", _SIX),
        ("bind fe80::1 failed (99: Cannot assign requested address)", _SIX),
        ("bind 2001:db8:1:2:3:4:5:6 failed: Cannot assign requested address", _SIX),
        ("bind() to 10.9.8.7:80 failed (99: Cannot assign requested address)", _FOUR),
        ("10:04:05.1 Errno::EADDRNOTAVAIL: bind(2) for 10.9.8.7:80", _FOUR),
        ("dial tcp 10.9.8.7:80: connect: cannot assign requested address", "net.ipv4.ip_local_port_range"),
        ("dial tcp [fd00::7]:80: connect: cannot assign requested address", _SIX),
        ("listening on ::1\nbind: Cannot assign requested address", ""),
        ("java.net.BindException: Cannot assign requested address", ""),
        ("std::bind failed at 10:04:05: Cannot assign requested address", ""),
    ],
)
def test_the_family_is_that_of_the_refused_address(line: str, setting: str) -> None:
    found = _find_dependence(line)
    assert (found.settings[0] if found else "") == setting
