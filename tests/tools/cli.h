// SPDX-License-Identifier: MIT

/// @file cli.h
/// Runs the program `bks` as a user does, in a folder of its own.

#ifndef BKS_TEST_CLI_H
#define BKS_TEST_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { CLI_TEXT_BYTES = 1 << 18 };

/// Result of a run.
typedef struct cli_run {
    int status;               ///< exit status, -1 when a signal ended it
    char out[CLI_TEXT_BYTES]; ///< stdout
    char err[CLI_TEXT_BYTES]; ///< stderr
} cli_run;

/// Make the folder that programs run in, empty; a group setup of cmocka. It is not a terminal there
/// and there is no display.
int cli_setup(void **state);

/// Remove it; a group teardown.
int cli_teardown(void **state);

/// The folder, absolute.
const char *cli_folder(void);

/// Run the program with arguments as for a shell, and wait for it.
/// @return the same memory each time
const cli_run *cli(const char *arguments);

/// Fail, with what it printed, unless a run came to this exit status.
void cli_expect_status(const cli_run *run, int status);

/// Start it without waiting; cli_wait() waits for it.
/// @param out  file its stdout goes to, in the folder
pid_t cli_start(const char *arguments, const char *out);

/// Wait until a process handles a signal, for 20 seconds at most; before that the signal would end
/// it.
void cli_wait_for_handler(pid_t process, int number);

/// Wait for a process to end.
/// @return its exit status, -1 when a signal ended it
int cli_wait(pid_t process);

/// Write a file into the folder.
void cli_write(const char *name, const char *text);

/// Read a file of the folder as text; "" when it is not there.
/// @return the same memory each time
const char *cli_read(const char *name);

/// Open a file of the folder as fopen() does; fails the test when it cannot.
FILE *cli_open(const char *name, const char *mode);

/// Wait for the invitation that a host prints as its first line.
/// @param file  file of the host's stdout
/// @param out   receives the invitation
void cli_invitation(const char *file, char *out, size_t capacity);

/// Fail the test unless `text` holds `part`.
void cli_expect(const char *text, const char *part);

/// The value of a key in JSON that the program wrote, up to the end of its line, commas cut.
/// @param out  receives it, "" when the key is not there
void cli_value(const char *text, const char *key, char *out, size_t capacity);

/// Fail unless a key has this value.
void cli_expect_value(const char *text, const char *key, const char *value);

#endif
