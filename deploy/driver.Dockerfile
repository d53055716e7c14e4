# What runs `lexbeam` itself on a cluster: Lexbeam with its locked packages, Java, and the job server for Flink.
#
#     make flink-jar
#     docker build -f deploy/driver.Dockerfile --build-arg VERSION --build-arg COMMIT -t REGISTRY/lexbeam-driver:TAG .
#
# VERSION and COMMIT are variables of the shell: docs/deploy.md has the line that sets them.
FROM eclipse-temurin:17.0.15_6-jre AS java

# The slim image has no compiler: what of Lexbeam is compiled is built here.
FROM python:3.11.13-bookworm AS compiled
WORKDIR /opt/lexbeam
COPY setup.py pyproject.toml README.md ./
COPY lexbeam lexbeam
COPY pipelines pipelines
COPY runner_configs runner_configs
COPY schemas schemas
COPY transforms transforms
ARG COMMIT
RUN LEXBEAM_COMMIT="${COMMIT}" pip wheel --no-cache-dir --no-deps --wheel-dir /opt/wheels .

FROM python:3.11.13-slim-bookworm
ARG EXTRAS=objects
COPY --from=java /opt/java/openjdk /opt/java/openjdk
WORKDIR /opt/lexbeam
COPY requirements requirements
RUN pip install --no-cache-dir --require-hashes --requirement requirements/uv.lock \
    && uv pip install --system --no-cache --require-hashes --requirement requirements/core.lock
COPY --from=compiled /opt/wheels /opt/wheels
# The wheel has no hash in the lock, and what it needs has.
RUN uv pip install --system --no-cache --constraint requirements/all.lock "$(ls /opt/wheels/lexbeam-*.whl)[${EXTRAS}]" \
    && python -I -c "from lexbeam.transforms.embeddings.trainers import compiled; compiled()" \
    && useradd --uid 10001 --create-home lexbeam
COPY build/flink/job-server.jar /opt/lexbeam/job-server.jar
ENV JAVA_HOME=/opt/java/openjdk \
    PATH=/opt/java/openjdk/bin:$PATH \
    LEXBEAM_FLINK_JAR=/opt/lexbeam/job-server.jar \
    OPENBLAS_NUM_THREADS=1 \
    OPENBLAS_CORETYPE=Haswell
ARG VERSION
ARG COMMIT
LABEL org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${COMMIT}"
USER 10001
WORKDIR /home/lexbeam
ENTRYPOINT ["lexbeam"]
