import socket

from tools.stack.ports import HIGHEST, HOST, LOWEST, free_port, is_free, is_open


def test_a_free_port_can_be_listened_on() -> None:
    port = free_port()
    assert LOWEST <= port <= HIGHEST
    assert not is_open(port)
    with socket.create_server((HOST, port)):
        assert is_open(port)
        assert not is_free(port)
    assert is_free(port)


def test_ports_lie_below_those_of_outgoing_connections() -> None:
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:  # noqa: PTH123 - a kernel value
        assert int(file.read().split()[0]) > HIGHEST
