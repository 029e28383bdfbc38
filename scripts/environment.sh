# Sourced by the other scripts after ROOT is set: programs of .venv, the Java that setup found, no Airflow of the user's.
for name in $(compgen -e | grep -E '^AIRFLOW(_|$)' || true); do
  unset "$name" # a variable of the user's could lead to the user's database
done
unset name PYTHONHOME VIRTUAL_ENV
# setup leaves compiling to the first import: without a place for it, each process would compile all of Airflow anew
unset PYTHONDONTWRITEBYTECODE
JAVA_HOME="$(cat "$ROOT/.venv/java_home")"
if [ -z "${HOME:-}" ] || [ ! -d "$HOME" ] || [ ! -w "$HOME" ]; then
  mkdir -p "$ROOT/.venv/home"
  HOME="$ROOT/.venv/home"
fi
PATH="$ROOT/.venv/bin:$JAVA_HOME/bin:$PATH" # Airflow looks for spark-submit on PATH
PYTHONPATH="$ROOT/plugins:$ROOT/spark:$ROOT/demo"
# small days are over before the optimizing compiler pays; without it the JVM keeps too little room for code,
# and for classes it always begins with too little
SPARK_SUBMIT_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m -XX:MetaspaceSize=256m -XX:NewSize=340m"
# classes as scripts/class-archive left them: Spark starts in half of the time; without them it reads its jars
SPARK_SUBMIT_OPTS="$SPARK_SUBMIT_OPTS -XX:SharedArchiveFile=$ROOT/.venv/spark.jsa -Xlog:cds=off -Xlog:cds+dynamic=off"
PYTHONNOUSERSITE=1
AIRFLOW__CORE__LOAD_EXAMPLES=False
export SPARK_SUBMIT_OPTS HOME PATH PYTHONPATH PYTHONNOUSERSITE JAVA_HOME AIRFLOW__CORE__LOAD_EXAMPLES
