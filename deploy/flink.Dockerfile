# What runs Flink on a cluster: Flink of the version that the job server holds, and the job server on its class path. If
# Beam's classes came with each job, Beam would end the workers after each stage, and every stage would start them anew.
#
#     make flink-jar
#     docker build -f deploy/flink.Dockerfile --build-arg VERSION --build-arg COMMIT -t REGISTRY/lexbeam-flink:TAG .
FROM flink:1.19.0-java17
COPY build/flink/job-server.jar /opt/flink/lib/job-server.jar
ARG VERSION
ARG COMMIT
LABEL org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${COMMIT}"
