"""A worker process of the direct runner that tells what it makes.

It stands in for `lexbeam.pipelines.runners.local_worker`.
"""

from lexbeam.pipelines.runners import local_worker
from lexbeam.transforms.common.spared_imports import spare_imports

if __name__ == "__main__":
    spare_imports()
    import scale_probe

    scale_probe.measure_worker()
    local_worker.run()
