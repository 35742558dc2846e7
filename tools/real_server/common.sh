# What the scripts of the real server share; sourced, not run.
root=${REALVLLM_ROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/realvllm}

die() {
  echo "$*" >&2
  exit 1
}

pid_file() { echo "$root/serve-$1.pid"; }
