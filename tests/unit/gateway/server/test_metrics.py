"""Counters as Prometheus reads them."""

from sdcdb.gateway.server.metrics import Metrics


def test_the_text_has_counters_gauges_and_a_histogram_that_adds_up() -> None:
    metrics = Metrics()
    metrics.count("sdcdb_questions_total", verdict="deny", rule='si"ze\n')
    metrics.gauge("sdcdb_x", "Some gauge.", lambda: 2.5)
    for seconds in (0.001, 0.02, 100.0):
        metrics.took(seconds)
    lines = metrics.text().splitlines()
    assert 'sdcdb_questions_total{rule="si\\"ze\\n",verdict="deny"} 1' in lines
    assert "sdcdb_x 2.5" in lines
    assert 'sdcdb_question_seconds_bucket{le="0.005"} 1' in lines
    assert 'sdcdb_question_seconds_bucket{le="+Inf"} 3' in lines
    assert "sdcdb_question_seconds_count 3" in lines
    assert metrics.total("sdcdb_questions_total", verdict="deny") == 1
