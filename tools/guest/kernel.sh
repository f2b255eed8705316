# shellcheck shell=bash disable=SC2154
# Provides the kernel of Debian 12 and the initramfs that tools/rxe-guest boots; `cache` stores them
# between runs. That script sources this file after tools/lib.sh; `work` is a folder of one run.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/latchlab/rxe-guest

# newest_kernel DIR: sets base and version to the newest kernel of DIR that has the drivers for
# soft-RoCE and the network card.
newest_kernel() {
  local image modules
  while IFS= read -r image; do
    version=${image##*/vmlinuz-}
    base=${image%/boot/vmlinuz-*}
    modules=$base/lib/modules/$version
    if [[ -r $image && -f $modules/modules.dep && -f $modules/kernel/drivers/net/virtio_net.ko &&
      -f $modules/kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko ]]; then return 0; fi
  done < <(printf '%s\n' "$1"/boot/vmlinuz-6.1*-amd64 | sort -Vr)
  return 1
}

download_kernel() {
  local package
  package=$(apt-cache depends linux-image-amd64 2>/dev/null |
    awk '/Depends: linux-image-6\.1\..*-amd64$/ {print $2; exit}') && [[ -n $package ]] &&
    apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$package"
}

# Unpacks the part of the package that a guest needs; the directory appears only once it is
# complete.
fetch_kernel() {
  [[ ${LATCHLAB_INSTALL:-yes} != no ]] || fail "needs the kernel of Debian 12's package" \
    "linux-image-amd64, in $cache; LATCHLAB_INSTALL=no forbids to download it there"
  command -v apt-get >/dev/null || fail "needs apt-get, for Debian 12's package linux-image-amd64"
  echo 'rxe-guest: downloading the kernel (70 MB), once' >&2
  place=$cache/new.$$
  mkdir -p "$place"
  trap 'rm -rf "$place"' EXIT
  (cd "$place" && { download_kernel || { apt_get update && download_kernel; }; }) >&2 ||
    fail "apt-get could not download Debian 12's kernel"
  dpkg-deb --fsys-tarfile "$place"/linux-image-*.deb | tar -x -C "$place" --wildcards \
    './boot/vmlinuz-*' './lib/modules/*/modules.*' \
    './lib/modules/*/kernel/'{crypto,fs,lib,net}'/*' \
    './lib/modules/*/kernel/drivers/'{char,infiniband,virtio}'*' \
    './lib/modules/*/kernel/drivers/net/'{dummy,net_failover,veth,virtio_net}.ko
  rm "$place"/linux-image-*.deb
  version=$(cd "$place/lib/modules" && echo *)
  depmod -b "$place" "$version"
  # An existing directory is incomplete, or another run has finished before this one.
  (newest_kernel "$cache/debian-12") || rm -rf "$cache/debian-12"
  mv -T "$place" "$cache/debian-12" 2>/dev/null || [[ -d $cache/debian-12 ]] ||
    fail "cannot write $cache"
}

# Sets image: the kernel, decompressed, because an emulated processor takes 4 s for that.
unpack_image() {
  local packed=$base/boot/vmlinuz-$version start
  image=$cache/vmlinux-$version
  if [[ $image -nt $packed ]]; then return; fi
  mkdir -p "$cache"
  start=$(LC_ALL=C grep -aboP -m 1 '\xfd7zXZ\x00' "$packed" | cut -d : -f 1 | head -n 1)
  # The data after the compressed part is not read.
  if [[ -n $start ]] && xz -dc --single-stream < <(tail -c +$((start + 1)) "$packed") \
    >"$image.$$" 2>/dev/null && [[ $(head -c 4 "$image.$$") == $'\x7fELF' ]]; then
    mv "$image.$$" "$image"
  else
    rm -f "$image.$$"
    image=$packed
  fi
}

needed_modules=(virtio_pci virtio_console virtio_net 9p 9pnet_virtio overlay crc32_generic dummy
                rdma_rxe ib_uverbs rdma_ucm)

# The modules of the initramfs, one a line with its arguments, what it depends on before it.
module_order() {
  local module
  for module in "${needed_modules[@]}"; do
    modprobe -d "$base/" -S "$version" --show-depends "$module"
  done | awk '$1 == "insmod" && !seen[$2]++ { $1 = ""; print substr($0, 2) }'
}

# find_kernel: sets base and version, by a download if there is no other way.
find_kernel() {
  newest_kernel '' || newest_kernel "$cache/debian-12" || {
    (fetch_kernel) || exit
    newest_kernel "$cache/debian-12" || fail "$cache/debian-12 has no kernel: remove it"
  }
}

# Busybox, the modules and tools/guest/init; sets initramfs. A change of any makes another file.
build_initramfs() {
  local busybox identity tree module arguments
  busybox=$(command -v busybox) || fail 'needs busybox-static'
  identity=$(cat "$root/tools/guest/init" "${BASH_SOURCE[0]}" "$busybox" \
    "$base/boot/vmlinuz-$version" | sha256sum)
  initramfs=$cache/initramfs-$version-${identity:0:16}
  if [[ -f $initramfs ]]; then return; fi
  find "$cache" -maxdepth 1 -name 'initramfs-*' -mtime +7 -delete 2>/dev/null || true
  tree=$work/initramfs
  mkdir -p "$tree/bin" "$tree/modules" "$cache"
  cp "$busybox" "$tree/bin/busybox"
  "$busybox" --list | while IFS= read -r name; do
    if [[ $name != busybox ]]; then ln -s busybox "$tree/bin/$name"; fi
  done
  install "$root/tools/guest/init" "$tree/init"
  module_order | while read -r module arguments; do
    cp "$module" "$tree/modules"
    echo "${module##*/} $arguments"
  done >"$tree/modules/needed"
  (cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) >"$initramfs.$$"
  mv "$initramfs.$$" "$initramfs"
}
