# Sourced: apt PACKAGE... installs as root or with a sudo that asks for no password; false when neither is possible.
may_apt() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null
}

apt() {
  local as=()
  may_apt || return 1
  [ "$(id -u)" -eq 0 ] || as=(sudo -n)
  printf 'setup: installing %s with apt-get\n' "$*"
  "${as[@]}" apt-get update -qq >/dev/null || true # an old list may still do
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
