# SPDX-License-Identifier: MIT
#
# bks_compile: how every source of ours is compiled, as an interface target.

add_library(bks_compile INTERFACE)
target_compile_options(bks_compile INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    # Fused multiply-adds round once where two machines without them round twice: a desync.
    -ffp-contract=off)
# The x87 rounds twice, and keeps more digits the longer a number stays in it.
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "86")
    target_compile_options(bks_compile INTERFACE -msse2 -mfpmath=sse)
endif()
if(BKS_WERROR)
    target_compile_options(bks_compile INTERFACE -Werror)
endif()

# These go to all targets, modules and their host alike, or the sanitizer's runtime is missing.
if(BKS_SANITIZE)
    add_compile_options(-fsanitize=${BKS_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${BKS_SANITIZE})
endif()
if(BKS_SANITIZE STREQUAL "memory")
    add_library(bks_msan STATIC cmake/msan/msan_zstd.c cmake/msan/msan_zlib.c)
    link_libraries(bks_msan)
    foreach(call ZSTD_compress ZSTD_decompress gzread gzgets deflate compress2 uncompress)
        add_link_options(-Wl,--wrap=${call})
    endforeach()
endif()
if(BKS_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
endif()
if(BKS_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "BKS_FUZZ needs clang, the compiler is ${CMAKE_C_COMPILER_ID}")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Sources by pattern, looked for anew at every build.
function(bks_glob_sources out)
    file(GLOB found CONFIGURE_DEPENDS ${ARGN})
    list(SORT found)
    set(${out} ${found} PARENT_SCOPE)
endfunction()
