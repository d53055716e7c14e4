"""How far a stream is, by a clock that may be set back; what it lands is tested with whole streams."""

from apache_beam.io.watermark_estimators import ManualWatermarkEstimator
from apache_beam.utils.timestamp import Timestamp

from transforms.stream.ptransforms import advance


def test_a_clock_that_goes_back_stops_no_stream(monkeypatch):
    watermark, now = ManualWatermarkEstimator(None), iter([100, 90, 100, 101])
    monkeypatch.setattr(Timestamp, "now", lambda: Timestamp(next(now)))
    assert [advance(watermark) for _ in range(4)] == [100, 100, 100, 101]
    assert watermark.current_watermark() == 101
