import socket
import subprocess
import sys

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


def test_no_port_is_returned_twice() -> None:
    assert len({free_port() for _ in range(250)}) == 250


def test_processes_choose_from_different_ports() -> None:
    choose = "from tools.stack.ports import free_port; print(*(free_port() for _ in range(150)))"
    command = [sys.executable, "-c", f"{choose}; input()"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    processes = [subprocess.Popen(command, **pipes) for _ in range(4)]  # type: ignore[call-overload]
    chosen = [port for process in processes for port in process.stdout.readline().split()]
    for process in processes:
        process.communicate(b"\n", timeout=20)
    assert len(chosen) == len(set(chosen)) == 4 * 150
