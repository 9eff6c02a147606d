// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

static char folder[512];
static char home[512];

int cli_setup(void **state)
{
    (void)state;
    (void)unsetenv("DISPLAY");
    (void)unsetenv("WAYLAND_DISPLAY");
    (void)unsetenv("SDL_VIDEODRIVER");
    (void)unsetenv("BKS_GAME_PATH");
    (void)setenv("XDG_STATE_HOME", BKS_TEST_BINARY_DIR "/state", 1);
    snprintf(folder, sizeof(folder), "/tmp/bks-test-XXXXXX");
    if (getcwd(home, sizeof(home)) == NULL || mkdtemp(folder) == NULL) {
        return -1;
    }
    return chdir(folder);
}

int cli_teardown(void **state)
{
    (void)state;
    char command[600];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    if (chdir(home) != 0) {
        return -1;
    }
    return system(command);
}

const char *cli_folder(void)
{
    return folder;
}

static void read_file(const char *name, char *out)
{
    FILE *file = fopen(name, "rb");
    size_t length = 0;
    if (file != NULL) {
        length = fread(out, 1, CLI_TEXT_BYTES - 1, file);
        fclose(file);
    }
    out[length] = '\0';
}

FILE *cli_open(const char *name, const char *mode)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", cli_folder(), name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    return file;
}

const char *cli_read(const char *name)
{
    static char text[CLI_TEXT_BYTES];
    read_file(name, text);
    return text;
}

void cli_write(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

pid_t cli_start(const char *arguments, const char *out)
{
    char command[4096];
    const int length =
        snprintf(command, sizeof(command), "exec '%s/bks' %s >%s 2>%s.err </dev/null",
                 BKS_TEST_BINARY_DIR, arguments, out, out);
    assert_in_range(length, 1, sizeof(command) - 1);
    (void)unlink(out); // or what an earlier run left would be taken for this one's
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
#ifdef __linux__
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves no process behind
#endif
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return process;
}

// The signals that a process handles, a bit each; 0 where the system does not say.
static unsigned long long handled_signals(pid_t process)
{
    char line[128];
    unsigned long long handled = 0;
    snprintf(line, sizeof(line), "/proc/%d/status", (int)process);
    FILE *file = fopen(line, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        (void)sscanf(line, "SigCgt: %llx", &handled);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return handled;
}

void cli_wait_for_handler(pid_t process, int number)
{
    for (int i = 0; i < 2000 && (handled_signals(process) >> (number - 1) & 1) == 0; i++) {
        tool_sleep_ns(UINT64_C(10000000));
    }
}

int cli_wait(pid_t process)
{
    int status = 0;
    assert_int_equal(waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const cli_run *cli(const char *arguments)
{
    static cli_run run;
    run.status = cli_wait(cli_start(arguments, "run.out"));
    read_file("run.out", run.out);
    read_file("run.out.err", run.err);
    return &run;
}

void cli_expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' is not in:\n%s", part, text);
    }
}

void cli_value(const char *text, const char *key, char *out, size_t capacity)
{
    char quoted[64];
    snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    out[0] = '\0';
    if (at != NULL) {
        at += strlen(quoted);
        snprintf(out, capacity, "%.*s", (int)strcspn(at, ",\n"), at);
    }
}

void cli_expect_value(const char *text, const char *key, const char *value)
{
    char found[1024];
    cli_value(text, key, found, sizeof(found));
    if (strcmp(found, value) != 0) {
        fail_msg("%s is %s, must be %s, in:\n%s", key, found, value, text);
    }
}

void cli_expect_status(const cli_run *run, int status)
{
    if (run->status != status) {
        fail_msg("exit %d, must be %d:\n%s\n%s", run->status, status, run->out, run->err);
    }
}

void cli_invitation(const char *file, char *out, size_t capacity)
{
    for (int i = 0; i < 500; i++) {
        const char *text = cli_read(file);
        if (strchr(text, '\n') != NULL) {
            snprintf(out, capacity, "%.*s", (int)strcspn(text, "\n"), text);
            return;
        }
        tool_sleep_ns(UINT64_C(10000000));
    }
    fail_msg("no invitation came: %s", cli_read(file));
}
