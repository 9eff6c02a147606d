// SPDX-License-Identifier: MIT

/// @file folder.h
/// An empty folder for each test that writes files, which the test removes again.

#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/bks_test_XXXXXX";

static inline int enter_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) != NULL ? chdir(folder) : -1;
}

/// Fails where the test left anything in it.
static inline int leave_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

#endif
