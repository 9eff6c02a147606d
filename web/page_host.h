// SPDX-License-Identifier: MIT

/// @file page_host.h
/// What the player of recordings that the page shares with `bks` calls of the program around it
/// (tools/bks/base/tool.h, sound/ears.h): here a page, which has no stderr and hears nothing.

#ifndef BKS_WEB_PAGE_HOST_H
#define BKS_WEB_PAGE_HOST_H

/// Keep the library's warnings and errors for page_host_logged(). Call it first of all.
void page_host_open(void);

/// Return the newest error of the program.
/// @return a sentence, "" when there is none; the same memory each time
const char *page_host_complaint(void);

/// The library's newest warning or error that was not dropped since.
/// @return a sentence, "" when there is none; the same memory each time
const char *page_host_logged(void);

#endif
