#!/usr/bin/env bash
# stop.sh [PORT]: end the server that serve.sh started on PORT, by its pid; no other process is touched.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

port=${1:-18431}
file=$(pid_file "$port")

main() {
  [ -f "$file" ] || die "no server was started on port $port by serve.sh"
  pid=$(<"$file")
  if ours; then
    kill -TERM "-$pid" # the whole process group: vLLM's engine runs in a child
    gone_within 20 || kill -KILL "-$pid"
  fi
  rm -f "$file"
}

# The number may have gone to another process since.
ours() { tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q -- "serve .*--port $port "; }

gone_within() {
  local _
  for _ in $(seq $(($1 * 5))); do
    kill -0 "-$pid" 2>/dev/null || return 0
    sleep 0.2
  done
  return 1
}

main
