"""How far a stream is, by a clock that may be set back; what it lands is tested with whole streams."""

from apache_beam.io.restriction_trackers import OffsetRange
from apache_beam.io.watermark_estimators import ManualWatermarkEstimator
from apache_beam.utils.timestamp import Timestamp

from lexbeam.transforms.stream.ptransforms import CALLS, advance


def test_a_clock_that_goes_back_stops_no_stream(monkeypatch):
    watermark, now = ManualWatermarkEstimator(None), iter([100, 90, 100, 101])
    monkeypatch.setattr(Timestamp, "now", lambda: Timestamp(next(now)))
    assert [advance(watermark) for _ in range(4)] == [100, 100, 100, 101]
    assert watermark.current_watermark() == 101


def test_no_call_is_made_beside_another():
    provider = CALLS.restriction_provider
    tracker = provider.create_tracker(provider.initial_restriction(None))
    assert tracker.try_claim(0)
    assert tracker.try_split(0.5) is None, "the runner asks, since the call takes long"
    assert tracker.try_split(0) == (OffsetRange(0, 1), OffsetRange(1, 1 << 62)), "the call is to be made again"
