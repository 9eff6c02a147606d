# SPDX-License-Identifier: MIT
#
# Installs the library into a fresh prefix and builds this folder against nothing but that prefix,
# by find_package and by pkg-config. Run as
#     cmake -D LIBRARY_BUILD=DIR -D WORK=DIR -D CC=COMPILER -D MODE=static|shared -P check.cmake
# MODE shared builds the shared library first, from SOURCE, and looks at what it exports.

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGN " " line)
        message(FATAL_ERROR "failed: ${line}\n${output}")
    endif()
    set(run_output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(prefix ${WORK}/prefix)

if(MODE STREQUAL "shared")
    set(LIBRARY_BUILD ${WORK}/library)
    # Names and files are looked at, not speed: what the optimiser takes is half of the time.
    run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${LIBRARY_BUILD} -D CMAKE_C_COMPILER=${CC}
        -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_FLAGS_RELEASE=-DNDEBUG -D BUILD_SHARED_LIBS=ON -D BKS_TESTS=OFF -D BKS_TOOLS=OFF
        -D CMAKE_INSTALL_PREFIX=${prefix} -D CMAKE_INSTALL_LIBDIR=lib)
    run(${CMAKE_COMMAND} --build ${LIBRARY_BUILD})
endif()
run(${CMAKE_COMMAND} --install ${LIBRARY_BUILD} --prefix ${prefix})

run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build
    -D CMAKE_C_COMPILER=${CC} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
file(READ ${WORK}/build/compile_commands.json compiled)
if(NOT compiled MATCHES " -ffp-contract=off ")
    message(FATAL_ERROR "the package does not keep a game from being contracted: ${compiled}")
endif()
if(NOT run_output MATCHES "it links")
    message(FATAL_ERROR "the consumer printed: ${run_output}")
endif()

set(docs README.md LICENSE SECURITY.md CHANGELOG.md examples/tag.c examples/pull.c)
list(TRANSFORM docs PREPEND share/doc/backstitch/)
if(MODE STREQUAL "static")
    list(APPEND docs share/man/man1/bks.1 share/bash-completion/completions/bks bin/bks bin/bks-check bin/duel.so)
endif()
foreach(file IN LISTS docs)
    if(NOT EXISTS ${prefix}/${file})
        message(FATAL_ERROR "${file} is not installed")
    endif()
endforeach()

# This install went elsewhere than was configured: the .pc file must find it from its own place.
file(GLOB_RECURSE pc_file ${prefix}/*/backstitch.pc)
get_filename_component(pc_folder ${pc_file} DIRECTORY)
get_filename_component(library_folder ${pc_folder} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
run(pkg-config --cflags --libs backstitch)
if(NOT run_output MATCHES "-ffp-contract=off")
    message(FATAL_ERROR "pkg-config does not keep a game from being contracted: ${run_output}")
endif()
separate_arguments(flags UNIX_COMMAND "${run_output}")
run(${CC} -std=c17 -Wall -Wextra -Wpedantic -Werror ${CMAKE_CURRENT_LIST_DIR}/main.c
    -o ${WORK}/by_pkg_config ${flags} -Wl,-rpath,${library_folder})
run(${WORK}/by_pkg_config)
if(MODE STREQUAL "static")
    run(${WORK}/build/tool)
    run(pkg-config --cflags --libs backstitch-toolkit)
    separate_arguments(flags UNIX_COMMAND "${run_output}")
    run(${CC} -std=c17 -Wall -Wextra -Wpedantic -Werror ${CMAKE_CURRENT_LIST_DIR}/tool.c -o ${WORK}/tool_by_pkg_config ${flags})
    run(${WORK}/tool_by_pkg_config)
endif()

if(MODE STREQUAL "shared")
    file(GLOB library ${library_folder}/libbackstitch.so)
    run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/exports.py ${prefix}/include/backstitch ${library})
endif()
