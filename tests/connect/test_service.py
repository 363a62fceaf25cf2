"""The worker that tests start."""

import psutil
import pytest

from testing.services.connect import Connect

pytestmark = pytest.mark.integration


def test_listens_on_the_loopback_address_only(connect: Connect) -> None:
    connections = psutil.Process(connect.pid).net_connections("inet")
    listening = {each.laddr for each in connections if each.status == psutil.CONN_LISTEN}
    assert {(host.removeprefix("::ffff:"), port) for host, port in listening} == {
        ("127.0.0.1", connect.port)
    }


def test_has_our_plugin_and_what_it_is_tested_with(connect: Connect) -> None:
    log = connect.log()
    assert "Added plugin 'io.headwater.connect.HeadwaterTransform'" in log
    assert "Added plugin 'org.apache.kafka.connect.file.FileStreamSourceConnector'" in log


def test_a_connector_that_is_not_there_is_absent(connect: Connect) -> None:
    assert connect.state("nobody") == ("ABSENT", [])
    with pytest.raises(LookupError):
        connect.delete("nobody")
