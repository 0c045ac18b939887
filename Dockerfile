# syntax=docker/dockerfile:1
# SPDX-License-Identifier: MIT
# aaco in a container: scripts/package deb, then docker build --tag aaco . ; docker run --rm --volume "$PWD:/work" aaco trace report FILE
FROM debian:12-slim
# hadolint ignore=DL3008
RUN --mount=type=bind,source=dist,target=/dist \
    apt-get update \
    && apt-get install --yes --no-install-recommends /dist/aaco_*_amd64.deb libopenblas0-pthread \
    && rm -rf /var/lib/apt/lists/*
# No rights that a measurement does not need. A mounted folder that sessions are written to must be this user's: --user "$(id -u)".
RUN useradd --create-home --uid 10001 aaco && mkdir /work && chown aaco /work
USER 10001
WORKDIR /work
ENTRYPOINT ["/usr/bin/aaco"]
CMD ["--help"]
