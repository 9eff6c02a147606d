# SPDX-License-Identifier: MIT
#
# The enumerators of the page's headers as a JavaScript object, without PAGE_: what is a number in C has a name in the
# page, and its value stands in the headers alone.

function(bks_page_names out)
    set(pairs)
    foreach(header IN LISTS ARGN)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
        file(STRINGS ${header} lines REGEX "^typedef enum|^    PAGE_[A-Z_]+( = [0-9]+)?,")
        foreach(line IN LISTS lines)
            if(NOT line MATCHES "^    PAGE_([A-Z_]+)( = ([0-9]+))?,")
                set(next 0)
                continue()
            endif()
            set(name ${CMAKE_MATCH_1})
            if(NOT "${CMAKE_MATCH_3}" STREQUAL "")
                set(next ${CMAKE_MATCH_3})
            endif()
            list(APPEND pairs "${name}:${next}")
            math(EXPR next "${next} + 1")
        endforeach()
    endforeach()
    list(JOIN pairs "," pairs)
    set(${out} "{${pairs}}" PARENT_SCOPE)
endfunction()
