// SPDX-License-Identifier: MIT

/// @file page_host.h
/// Stand-ins for functions of `bks` (tools/bks/base/tool.h, tools/bks/sound/ears.h) that the
/// recording player calls. In a page there is no stderr and no sound.

#ifndef BKS_WEB_PAGE_HOST_H
#define BKS_WEB_PAGE_HOST_H

/// Keep the library's warnings and errors for page_host_logged(). Call it first of all.
void page_host_open(void);

/// Return the newest error of the program.
/// @return a sentence, "" when there is none; the same memory each time
const char *page_host_complaint(void);

/// Return the library's newest warning or error, unless it was dropped.
/// @return a sentence, "" when there is none; the same memory each time
const char *page_host_logged(void);

#endif
