# What runs Lexbeam's Python on a cluster: Beam's boot program, and Lexbeam with its locked packages.
#
#     docker build -f deploy/worker.Dockerfile --build-arg VERSION --build-arg COMMIT \
#         --target worker -t REGISTRY/lexbeam-worker:TAG .
#
# `--target dataflow` makes what Dataflow takes. VERSION and COMMIT are variables of the shell: docs/deploy.md has the line
# that sets them.
#
# Build driver and worker from one checkout: a worker with other code is refused.
FROM apache/beam_python3.11_sdk:2.77.0 AS lexbeam
ARG EXTRAS=objects
WORKDIR /opt/lexbeam
COPY requirements requirements
RUN pip install --no-cache-dir --require-hashes --requirement requirements/uv.lock \
    && uv pip install --system --no-cache --require-hashes --requirement requirements/core.lock
COPY setup.py pyproject.toml README.md ./
COPY lexbeam lexbeam
COPY pipelines pipelines
COPY runner_configs runner_configs
COPY schemas schemas
COPY transforms transforms
ARG VERSION
ARG COMMIT
LABEL org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${COMMIT}"
# Beam's image has a compiler, for the loops of `--trainer fast`.
RUN LEXBEAM_COMMIT="${COMMIT}" uv pip install --system --no-cache --constraint requirements/all.lock ".[${EXTRAS}]" \
    && python -I -c "from lexbeam.transforms.embeddings.trainers import compiled; compiled()"
# One BLAS thread a process: sums have one order, and processes do not fight for cores. One kind of kernel, which every
# x86 of ten years has: products have the same last bits on all machines, the driver's too. No environment is made for each
# worker: nothing is installed when they start, and only root could make one.
ENV OPENBLAS_NUM_THREADS=1 \
    OPENBLAS_CORETYPE=Haswell \
    RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1

# Dataflow mounts folders that only root may write to.
FROM lexbeam AS dataflow

FROM lexbeam AS worker
RUN useradd --uid 10001 --create-home lexbeam
USER 10001
WORKDIR /home/lexbeam
EXPOSE 50000
# Beam's pool (`boot --worker_pool`), but that each worker has a folder of its own for what it fetches and its options.
ENV LEXBEAM_BOOT=/opt/apache/beam/boot
ENTRYPOINT ["python", "-m", "apache_beam.runners.worker.worker_pool_main"]
CMD ["--service_port=50000", "--container_executable=/opt/lexbeam/runner_configs/flink/boot"]
