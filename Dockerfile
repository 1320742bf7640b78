# Callboard on a board of its own: a user without rights, and an init that takes care of processes whose parents have gone.
FROM python:3.13-slim AS build
COPY . /source
RUN python -m venv /opt/callboard && /opt/callboard/bin/pip install --no-cache-dir "/source[node,mcp]"

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 callboard
COPY --from=build /opt/callboard /opt/callboard
ENV PATH="/opt/callboard/bin:$PATH"
USER callboard
WORKDIR /home/callboard
ENTRYPOINT ["tini", "--", "callboard"]
CMD ["--help"]
