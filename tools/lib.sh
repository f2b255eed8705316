# shellcheck shell=bash disable=SC2034
# Shared by the scripts of this folder; sourced, never run. Everything here works from any current
# directory and leaves that directory alone.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cores=${JOBS:-$(nproc)}

# Names in Debian 12. libsimgrid-dev brings the Boost headers it needs.
build_packages=(g++ cmake ninja-build ccache pkg-config libsimgrid-dev libyaml-cpp-dev libfmt-dev
                libcli11-dev nlohmann-json3-dev libeigen3-dev libssl-dev node-d3
                libibverbs-dev ibverbs-providers)
test_packages=(libgtest-dev libgmock-dev gnuplot-nox chromium python3-jsonschema python3-yaml
               libhiredis-dev redis-server)
guest_packages=(qemu-system-x86 busybox-static cpio kmod iproute2 ibverbs-providers ibverbs-utils
                perftest)
check_packages=(clang-19 clang-tidy-19 clang-format libclang-rt-19-dev jq)

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# missing_packages NAME...: those that are not installed, one a line.
missing_packages() {
  local name
  for name in "$@"; do
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) != installed ]]; then
      printf '%s\n' "$name"
    fi
  done
}

# apt_get ARGUMENT...: apt-get as root, or not at all; never asks a question.
apt_get() {
  local command=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120
                 -o Dpkg::Use-Pty=0 "$@")
  if [[ $(id -u) == 0 ]]; then
    "${command[@]}"
  else
    sudo -n "${command[@]}"
  fi
}

may_install() {
  [[ ${LATCHLAB_INSTALL:-yes} != no ]] && command -v apt-get >/dev/null &&
    { [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null; }
}

# ensure_packages NAME...: installs what is missing where that is allowed; else says what is missing
# and goes on, because it may be there by another way (another distribution, a build by hand).
ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "No Debian packages here; needed, by their Debian 12 names: $*"
    return 0
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if may_install; then
    echo "Installing: ${missing[*]}"
    # An update that fails (no network) is no reason to give up: the packages may be in the cache.
    apt_get update || true
    apt_get install --no-install-recommends "${missing[@]}" || true
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    echo "apt-get could not install all of it; going on with what is there."
  fi
  echo "Missing packages; to install them:"
  echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}"
}

# configure_and_build PRESET [TARGET...]
configure_and_build() {
  local preset=$1
  shift
  configure "$preset" && build "$preset" "$@"
}
configure() { (cd "$root" && cmake --preset "$1"); }
build() {
  local preset=$1 targets=()
  shift
  (($# == 0)) || targets=(--target "$@")
  (cd "$root" && cmake --build --preset "$preset" --parallel "$cores" "${targets[@]}")
}

# source_files: all C++ files of the project, one a line, relative to the root.
source_files() {
  (cd "$root" && find core backends models tools tests -name '*.cc' -o -name '*.h' | LC_ALL=C sort)
}
