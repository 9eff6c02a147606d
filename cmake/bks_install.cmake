# SPDX-License-Identifier: MIT
#
# bks_install: `cmake --install`, and what lets others find the library afterwards: a CMake package
# and pkg-config files.

if(TARGET bks_msan) # a build to run tests in, and it needs a helper that no user has
    return()
endif()
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/backstitch)

set(installed backstitch)
set(headers_left_out "")
if(TARGET backstitch_toolkit)
    list(APPEND installed backstitch_toolkit)
else()
    set(headers_left_out PATTERN toolkit EXCLUDE)
endif()
install(TARGETS ${installed} EXPORT backstitch_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/backstitch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${headers_left_out})
install(EXPORT backstitch_targets NAMESPACE backstitch:: DESTINATION ${package_dir}
    FILE backstitch-targets.cmake)

configure_package_config_file(cmake/backstitch-config.cmake.in backstitch-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(backstitch-config-version.cmake
    COMPATIBILITY SameMinorVersion) # before 1.0 a minor version may break things
install(FILES ${PROJECT_BINARY_DIR}/backstitch-config.cmake
    ${PROJECT_BINARY_DIR}/backstitch-config-version.cmake
    DESTINATION ${package_dir})

# pkg-config wants paths below ${prefix}; the CMAKE_INSTALL_ variables may be absolute.
foreach(kind LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
        set(pc_${kind} "${CMAKE_INSTALL_${kind}}")
    else()
        set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
# Where `cmake --install --prefix` puts it is not known yet, so the file finds it from its own place.
set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    set(pc_prefix "\${pcfiledir}/${pc_up}")
    string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
endif()
# A program that links the archive must link what it calls too; one with the shared library need not.
set(pc_requires Requires)
set(pc_libs_static " -lm")
if(Threads_FOUND)
    set(pc_libs_static " -pthread -lm")
endif()
if(WIN32)
    string(APPEND pc_libs_static " -lws2_32 -liphlpapi")
endif()
if(BUILD_SHARED_LIBS)
    set(pc_requires Requires.private)
    set(pc_libs_static "")
endif()
list(JOIN bks_arithmetic_options " " pc_arithmetic_options)
foreach(target IN LISTS installed)
    string(REPLACE _ - package ${target})
    configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(FILES README.md LICENSE SECURITY.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# README and the headers point into it.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "bks.1")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c")

if(TARGET bks)
    get_property(modules GLOBAL PROPERTY bks_game_modules)
    set(programs bks)
    if(TARGET bks_check)
        list(APPEND programs bks_check)
    endif()
    install(TARGETS ${programs} ${modules}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR}) # games lie beside the program
endif()
