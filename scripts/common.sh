# SPDX-License-Identifier: MIT
# What ./test and ./play share. Sourced by bash, from the root of the tree.
# shellcheck shell=bash

# shellcheck disable=SC2034
packages_to_build=(cmake ninja-build gcc libc6-dev pkgconf libxxhash-dev libzstd-dev
    libsodium-dev zlib1g-dev libcjson-dev libcurl4-openssl-dev libmicrohttpd-dev libdw-dev libelf-dev libsdl2-dev)

# shellcheck disable=SC2034
packages_for_32_bits=(gcc-12-multilib libxxhash-dev:i386 libzstd-dev:i386 libsodium-dev:i386
    libcmocka-dev:i386)

# Install the Debian packages named that are missing.
install_missing()
{
    local missing=() package
    for package in "$@"; do
        if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$'; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return 0
    fi

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "$0: needs root or sudo to run: apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
    step "installing ${missing[*]}" install.log install_with "${missing[@]}"
}

# Old package lists may name versions that are gone, and hold nothing of an architecture that was
# not asked for before, so a refusal is answered by fresh lists, or as fresh as they come. What is there stays.
install_with()
{
    case $* in
    *:i386*) "${as_root[@]}" dpkg --add-architecture i386 ;;
    esac
    local install=("${apt[@]}" install --no-install-recommends --no-remove "$@")
    "${install[@]}" || { "${apt[@]}" update; "${install[@]}"; }
}

# step "what it does" LOG COMMAND...: one line while it runs, its time after, its log if it fails.
step()
{
    local what=$1 log=build/$2 begin=$SECONDS
    shift 2
    mkdir -p build
    printf '%s ... ' "$what" >&2
    if "$@" >"$log" 2>&1 </dev/null; then
        printf '%d s\n' $((SECONDS - begin)) >&2
        return 0
    fi
    printf 'failed after %d s\n' $((SECONDS - begin)) >&2
    tail -n 60 "$log" >&2
    printf 'The whole log is in %s.\n' "$log" >&2
    return 1
}

# Configure and build a preset on all processors.
build_preset()
{
    cmake --preset "$1" && cmake --build --preset "$1"
}
