#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets for OSS-Fuzz, which sets CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT:
#     tests/fuzz/oss-fuzz/build.sh
# The targets are those of tools/fuzz.sh but vector_calls, which loads the plugin and needs a driver. A corpus is a zip beside its target.
set -eu

root=${PAIL_SOURCE:-$SRC/pail}
build=${WORK:?}/pail
targets=$("$root/tools/fuzz.sh" --list | grep -v -x vector_calls)

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_FLAGS="${CFLAGS:-}" \
    -DCMAKE_CXX_FLAGS="${CXXFLAGS:-}" -DPAIL_FUZZ=ON -DPAIL_FUZZ_ENGINE="${LIB_FUZZING_ENGINE:?}" -DPAIL_MPI=OFF -DPAIL_WITNESS=OFF
for target in $targets; do
    cmake --build "$build" --target "fuzz_$target"
    cp "$build/fuzz/fuzz_$target" "${OUT:?}/"
    python3 -m zipfile -c "$OUT/fuzz_${target}_seed_corpus.zip" "$root/tests/fuzz/corpus/$target"/*
done
