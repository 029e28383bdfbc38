# Airflow, Spark and this checkout in one image; every service of docker-compose.yml that is ours runs it.
# The run-time lock is the whole truth about Python packages, so the base image brings only the interpreter.
FROM python:3.11.15-slim-bookworm@sha256:d29f48a31a8b408ed19272ca1e7b10ebae13b240a27e862d3d4217c528e2e0c3 AS fleet

RUN apt-get update \
 && apt-get install -y --no-install-recommends openjdk-17-jre-headless procps tini \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/kafka-fleet
COPY requirements.runtime.lock ./
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.runtime.lock

COPY pyproject.toml README.md LICENSE ./
COPY dags dags
COPY plugins plugins
COPY spark spark
COPY sql sql
COPY templates templates
COPY tests/data/sweeps tests/data/sweeps
COPY scripts/job_alive.py scripts/clean-logs scripts/
# 1777: what is mounted at /opt/airflow has this mode under Podman, whatever is asked for
RUN pip install --no-cache-dir --no-deps --no-build-isolation -e . \
 && useradd --uid 50000 --home-dir /home/fleet --create-home fleet \
 && install -d -o fleet -g fleet /etc/kafka-fleet /opt/airflow /opt/airflow/logs /opt/airflow/secrets /opt/airflow/spark /var/lib/kafka-fleet \
 && chmod 1777 /opt/airflow

# classes as a day's queries load them: each driver starts in half of the time
RUN SPARK_SUBMIT_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ArchiveClassesAtExit=/usr/local/spark.jsa" \
    PYTHONPATH=/opt/kafka-fleet/plugins:/opt/kafka-fleet/spark SPARK_LOCAL_IP=127.0.0.1 \
    spark-submit --master 'local[2]' spark/class_archive.py

ENV AIRFLOW_HOME=/opt/airflow \
    AIRFLOW__CORE__DAGS_FOLDER=/opt/kafka-fleet/dags \
    AIRFLOW__CORE__LOAD_EXAMPLES=False \
    KAFKA_FLEET_FILE=/etc/kafka-fleet/fleet.yaml \
    KAFKA_FLEET_HOME=/var/lib/kafka-fleet \
    PYTHONDONTWRITEBYTECODE=1
USER fleet
ENTRYPOINT ["tini", "--"]
CMD ["airflow", "version"]

# The profile `demo`: the same image with the published jars of one Kafka release and of the Jolokia agent.
FROM fleet AS kafka
ARG KAFKA_RELEASE
ENV KAFKA_FLEET_ARTIFACTS=/opt/kafka \
    PYTHONPATH=/opt/kafka-fleet/demo
USER root
COPY demo demo
COPY docs/jolokia-access.xml docs/
RUN python -c "import os; from fleet_demo.artifacts import kafka_jars; kafka_jars(os.environ['KAFKA_RELEASE'])" \
 && echo "f5c4b31eeeb602888346ce7b545a885cb7caf932eff3b1b630e93cc720483429  /opt/kafka/${KAFKA_RELEASE}/jolokia-agent-jvm-2.2.9-javaagent.jar" | sha256sum --check \
 && rm -rf /opt/kafka/ivy
USER fleet
