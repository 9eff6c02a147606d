// SPDX-License-Identifier: MIT

// The keys of the viewer, pressed in a pseudo terminal.

#define _GNU_SOURCE

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cmocka.h>

#include "base/tool.h"
#include "cli.h"

/// Text that the program wrote to the terminal.
static char shown[CLI_TEXT_BYTES];
static size_t shown_bytes;

static int record(void **state)
{
    return cli_setup(state) != 0 ||
                   cli("monkey duel --ticks 600 --record whole.bks")->status != TOOL_OK
               ? -1
               : 0;
}

static pid_t start(const char *arguments, int *out_terminal)
{
    const struct winsize size = {.ws_row = 24, .ws_col = 90};
    const int outside = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(outside >= 0 && grantpt(outside) == 0 && unlockpt(outside) == 0);
    char command[1024];
    snprintf(command, sizeof(command), "exec '%s/bks' %s", BKS_TEST_BINARY_DIR, arguments);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
#ifdef __linux__
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves no process behind
#endif
        const int inside = open(ptsname(outside), O_RDWR | O_NOCTTY);
        (void)ioctl(inside, TIOCSWINSZ, &size);
        (void)dup2(inside, STDIN_FILENO);
        (void)dup2(inside, STDOUT_FILENO);
        (void)setenv("TERM", "xterm-256color", 1);
        (void)unsetenv("NO_COLOR");
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    shown_bytes = 0;
    shown[0] = '\0';
    *out_terminal = outside;
    return process;
}

// Take in what is shown, for a while; only the newest is kept when it is much.
static void look(int terminal, int times)
{
    for (int i = 0; i < times; i++) {
        if (shown_bytes > sizeof(shown) / 2) {
            shown_bytes = 0;
        }
        const ssize_t count = read(terminal, shown + shown_bytes, sizeof(shown) - 1 - shown_bytes);
        shown_bytes += count > 0 ? (size_t)count : 0;
        tool_sleep_ns(UINT64_C(5000000));
    }
    shown[shown_bytes] = '\0';
}

static void wait_for(int terminal, const char *text)
{
    for (int i = 0; i < 400 && strstr(shown, text) == NULL; i++) {
        look(terminal, 5);
    }
    cli_expect(shown, text);
}

static void press(int terminal, const char *keys)
{
    assert_int_equal(write(terminal, keys, strlen(keys)), strlen(keys));
    look(terminal, 30);
}

static int end(pid_t process, int terminal)
{
    int status = 0;
    for (int i = 0; i < 1000 && waitpid(process, &status, WNOHANG) == 0; i++) {
        look(terminal, 2);
    }
    look(terminal, 10);
    close(terminal);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void keys_lead_to_a_tick_and_nowhere_else(void **state)
{
    (void)state;
    int terminal = -1;
    const pid_t process = start("play duel --watch whole.bks", &terminal);
    wait_for(terminal, "t take over");
    press(terminal, "\033[H."); // the first tick, and one on: it stands then
    press(terminal, "\033[C");  // 5 s on
    press(terminal, "..,");
    wait_for(terminal, "tick 302/600");
    press(terminal, "q");
    assert_int_equal(end(process, terminal), TOOL_OK);
    cli_expect(shown, "whole.bks: duel from tick 0 to 302 of 600");
}

static void at_the_end_it_stays_until_a_key_closes_it(void **state)
{
    (void)state;
    int terminal = -1;
    const pid_t process = start("play duel --watch whole.bks --from 590", &terminal);
    wait_for(terminal, "at the end");
    assert_int_equal(kill(process, 0), 0);
    press(terminal, "\033[D"); // and 5 s back it plays on
    press(terminal, "q");
    assert_int_equal(end(process, terminal), TOOL_OK);
    const char *place = strstr(shown, "from tick 590 to ");
    assert_non_null(place);
    assert_in_range(strtol(place + strlen("from tick 590 to "), NULL, 10), 300, 599);
}

static void taking_over_plays_on_into_a_new_recording(void **state)
{
    (void)state;
    int terminal = -1;
    const pid_t process =
        start("play duel --watch whole.bks --input '*=bot' --record new.bks", &terminal);
    wait_for(terminal, "t take over");
    press(terminal, "\033[H,\033[C"); // stands at 5 s
    press(terminal, "t");
    wait_for(terminal, "live since tick 300");
    press(terminal, "q");
    assert_int_equal(end(process, terminal), TOOL_OK);
    cli_expect(shown, "to 300 of 600, then played on to tick ");
    assert_int_equal(cli("replay verify new.bks")->status, TOOL_OK);
    static char old[CLI_TEXT_BYTES];
    snprintf(old, sizeof(old), "%s", cli("replay cat --until 300 whole.bks")->out);
    assert_string_equal(cli("replay cat --until 300 new.bks")->out, old);
}

static void play_after_taking_over_can_be_paused(void **state)
{
    (void)state;
    int terminal = -1;
    const pid_t process =
        start("play duel --watch whole.bks --input '*=bot' --record paused.bks", &terminal);
    wait_for(terminal, "t take over");
    press(terminal, "\033[H,\033[C"); // stands at 5 s
    press(terminal, "t");
    wait_for(terminal, "live since tick 300");
    shown_bytes = 0; // it was paused before that, too
    shown[0] = '\0';
    press(terminal, " ");
    wait_for(terminal, "   paused");
    char *paused = strstr(shown, "   paused");
    *paused = '\0';
    long stands_at = 0; // "tick 312   0:05.2   live since tick 300   paused"
    for (const char *at = shown; (at = strstr(at, "tick ")) != NULL; at++) {
        stands_at = at[8] != '\0' ? strtol(at + strlen("tick "), NULL, 10) : stands_at;
    }
    *paused = ' ';
    look(terminal, 200); // a second
    press(terminal, "q");
    assert_int_equal(end(process, terminal), TOOL_OK);
    static const char said[] = "whole.bks: duel from tick 0 to 300 of 600, then played on to tick ";
    const char *place = strstr(shown, said);
    assert_non_null(place);
    assert_int_equal(strtol(place + strlen(said), NULL, 10), stands_at);
    assert_int_equal(cli("replay verify paused.bks")->status, TOOL_OK);
    char ticks[32];
    cli_value(cli("replay info --json paused.bks")->out, "ticks", ticks, sizeof(ticks));
    assert_int_equal(strtol(ticks, NULL, 10), stands_at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_lead_to_a_tick_and_nowhere_else),
        cmocka_unit_test(at_the_end_it_stays_until_a_key_closes_it),
        cmocka_unit_test(taking_over_plays_on_into_a_new_recording),
        cmocka_unit_test(play_after_taking_over_can_be_paused),
    };
    return cmocka_run_group_tests(tests, record, cli_teardown);
}
