#!/usr/bin/env bash
# serve.sh [PORT] [more arguments of "vllm serve"]: start the real server on 127.0.0.1 and wait
# until it answers. Prints its URL, pid and log; end it with stop.sh PORT. See README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

port=${1:-18431}
shift || true
kind=${KIND:-generate}
log=${LOG:-$root/serve-$kind-$port.log}
seconds=${START_TIMEOUT:-300}

main() {
  [ -x "$root/venv/bin/vllm" ] || die "no vLLM in $root; run install.sh first"
  ! answers || die "something answers on port $port already"
  quiet_and_offline
  of_kind=$(kind_arguments)
  # shellcheck disable=SC2086 # of_kind is several words
  setsid "$root/venv/bin/vllm" serve "${MODEL:-$root/model}" --port "$port" \
    "${common_arguments[@]}" $of_kind "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  echo "$pid" >"$(pid_file "$port")"
  wait_until_ready
  echo "url=http://127.0.0.1:$port pid=$pid kind=$kind log=$log"
}

common_arguments=(
  --host 127.0.0.1 --served-model-name tiny tiny-alias
  --dtype float32 --enforce-eager --max-model-len 2048 ${API_KEY:+--api-key "$API_KEY"}
)

kind_arguments() {
  case $kind in
    generate) # everything that a request can ask for is switched on
      echo --max-num-seqs 16 --max-num-batched-tokens 2048 --max-logprobs 20 \
        --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3 \
        --scheduling-policy priority --enable-prompt-tokens-details --enable-prompt-embeds \
        --enable-server-load-tracking --enable-tokenizer-info-endpoint \
        --enable-request-id-headers --trust-request-chat-template --enable-scale-out
      ;;
    bare) echo --max-num-seqs 8 ;;
    embed) echo --max-num-seqs 8 --runner pooling --convert embed ;;
    score) echo --max-num-seqs 8 --runner pooling --convert classify ;;
    *) die "unknown KIND $kind; take generate, bare, embed or score" ;;
  esac
}

quiet_and_offline() {
  export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 VLLM_NO_USAGE_STATS=1 DO_NOT_TRACK=1
  export VLLM_HOST_IP=127.0.0.1 VLLM_CACHE_ROOT=$root/cache
  export VLLM_CPU_KVCACHE_SPACE=${VLLM_CPU_KVCACHE_SPACE:-1} OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
  export VLLM_SERVER_DEV_MODE=${VLLM_SERVER_DEV_MODE:-1}
  export VLLM_ENABLE_RESPONSES_API_STORE=${VLLM_ENABLE_RESPONSES_API_STORE:-1}
}

wait_until_ready() {
  local end=$((SECONDS + seconds))
  until answers; do
    if ! kill -0 "$pid" 2>/dev/null; then
      tail -30 "$log" >&2
      die "the server ended before it answered; these are the last lines of $log"
    fi
    if [ "$SECONDS" -ge "$end" ]; then
      "$here/stop.sh" "$port"
      die "no answer in $seconds s; see $log"
    fi
    sleep 0.5
  done
}

answers() {
  "$root/venv/bin/python" - "http://127.0.0.1:$port/health" 2>/dev/null <<'PY'
import sys, urllib.request

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
opener.open(sys.argv[1], timeout=2)
PY
}

main "$@"
