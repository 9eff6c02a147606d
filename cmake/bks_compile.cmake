# SPDX-License-Identifier: MIT
#
# bks_compile: how every source of ours is compiled, as an interface target.

# bks_arithmetic_options: what makes all machines calculate alike; games need it too, so both packages hand it on.
# Fused multiply-adds round once where two machines without them round twice: a desync.
set(bks_arithmetic_options -ffp-contract=off)
# The x87 rounds twice, and keeps more digits the longer a number stays in it.
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "86")
    list(APPEND bks_arithmetic_options -msse2 -mfpmath=sse)
endif()

add_library(bks_compile INTERFACE)
target_compile_options(bks_compile INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    # A call without a declaration gives an int, also where a pointer is wanted: never only a warning.
    -Werror=implicit-function-declaration
    ${bks_arithmetic_options})
if(MINGW)
    target_compile_definitions(bks_compile INTERFACE __USE_MINGW_ANSI_STDIO=1) # C17's formats, as %zu
    target_compile_options(bks_compile INTERFACE -Wno-float-conversion) # isfinite() of its own headers
endif()
if(BKS_WERROR)
    target_compile_options(bks_compile INTERFACE -Werror)
endif()

# What is built does not say where: asserts and debuggers get paths from the tree's root.
if(NOT BKS_COVERAGE)
    add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endif()

# What a fault of ours that corrupts memory meets. _FORTIFY_SOURCE needs an optimiser and confuses sanitizers.
if(BKS_HARDEN AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES C)
    add_compile_options(-fstack-protector-strong)
    include(CheckCCompilerFlag)
    foreach(option stack-clash-protection cf-protection) # the second is of x86
        string(MAKE_C_IDENTIFIER bks_has_${option} bks_has)
        check_c_compiler_flag(-f${option} ${bks_has})
        if(${bks_has})
            add_compile_options(-f${option})
        endif()
    endforeach()
    add_link_options(-Wl,-z,relro,-z,now)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" bks_type)
    if(NOT BKS_SANITIZE AND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${bks_type}}" MATCHES "-O[1-3sz]")
        set(bks_fortify 3)
        if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
            set(bks_fortify 2)
        endif()
        add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${bks_fortify})
    endif()
endif()

# These go to all targets, modules and their host alike, or the sanitizer's runtime is missing.
if(BKS_SANITIZE)
    add_compile_options(-fsanitize=${BKS_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${BKS_SANITIZE})
    include(CheckLinkerFlag)
    check_linker_flag(C -fuse-ld=gold bks_has_gold) # takes half of the time for these programs
    if(bks_has_gold)
        add_link_options(-fuse-ld=gold)
    endif()
endif()
if(BKS_SANITIZE STREQUAL "memory")
    add_library(bks_msan STATIC cmake/msan/msan_zstd.c cmake/msan/msan_zlib.c)
    link_libraries(bks_msan)
    foreach(call ZSTD_compress ZSTD_decompress ZSTD_compressCCtx ZSTD_decompressDCtx gzread gzgets deflate compress2 uncompress)
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

# bks_lto: whether the program is optimised as a whole, which takes 4 % of the instructions of a match in the lab. Tests
# are built without: they want each object to itself.
set(bks_lto OFF)
if(BKS_LTO AND NOT BKS_TESTS AND CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$")
    include(CheckIPOSupported)
    check_ipo_supported(RESULT bks_lto LANGUAGES C)
endif()

# Sources by pattern, looked for anew at every build.
function(bks_glob_sources out)
    file(GLOB found CONFIGURE_DEPENDS ${ARGN})
    list(SORT found)
    set(${out} ${found} PARENT_SCOPE)
endfunction()
