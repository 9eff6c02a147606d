// SPDX-License-Identifier: MIT

// The terminal view, in a pseudo terminal.

#define _GNU_SOURCE

#include "base/crash.h"
#include "screen/window/term.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stop.h"
#include "base/tool.h"
#include "cli.h"
#include "screen/player/play_view.h"

enum { COLUMNS = 40, ROWS = 20 };

// A terminal's two ends, and what came out of it.
typedef struct terminal {
    int outside;
    int inside;
    char shown[CLI_TEXT_BYTES];
    size_t shown_bytes;
} terminal;

static terminal here;

static int open_terminal(void **state)
{
    (void)state;
    const struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    (void)setenv("TERM", "xterm-256color", 1);
    (void)unsetenv("NO_COLOR");
    here = (terminal){.outside = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)};
    if (here.outside < 0 || grantpt(here.outside) != 0 || unlockpt(here.outside) != 0) {
        return -1;
    }
    here.inside = open(ptsname(here.outside), O_RDWR | O_NOCTTY);
    return here.inside >= 0 ? ioctl(here.inside, TIOCSWINSZ, &size) : -1;
}

static int close_terminal(void **state)
{
    (void)state;
    close(here.inside);
    close(here.outside);
    return 0;
}

// Take in what has been shown so far.
static void look(void)
{
    for (int quiet = 0; quiet < 10 && here.shown_bytes + 1 < sizeof(here.shown);) {
        const ssize_t count = read(here.outside, here.shown + here.shown_bytes,
                                   sizeof(here.shown) - 1 - here.shown_bytes);
        if (count > 0) {
            here.shown_bytes += (size_t)count;
            quiet = 0;
        } else {
            quiet++;
            tool_sleep_ns(UINT64_C(5000000));
        }
    }
    here.shown[here.shown_bytes] = '\0';
}

static void forget(void)
{
    look();
    here.shown_bytes = 0;
    here.shown[0] = '\0';
}

// Run a scene in a process whose terminal this is. Its exit status is 0 when all went well.
static pid_t play_scene(void (*scene)(void))
{
    fflush(NULL);
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        (void)signal(SIGSEGV, SIG_DFL); // cmocka has its own
        dup2(here.inside, STDIN_FILENO);
        dup2(here.inside, STDOUT_FILENO);
        scene();
        exit(0);
    }
    return process;
}

static void draw_half(term *screen)
{
    const bks_canvas canvas = term_canvas(screen);
    canvas.clear(canvas.context, 0x102030FF);
    canvas.rectangle(canvas.context, 0, 1, 1, 1, 0xFF0000FF);
    term_line(screen, 0, "first line");
    term_present(screen);
}

static void show_two_frames(void)
{
    term *screen = term_open();
    draw_half(screen);
    tool_sleep_ns(UINT64_C(50000000));
    draw_half(screen);
    tool_sleep_ns(UINT64_C(50000000));
    term_close(screen);
}

static void pictures_are_half_blocks_and_the_screen_is_given_back(void **state)
{
    (void)state;
    struct termios before;
    struct termios after;
    assert_int_equal(tcgetattr(here.inside, &before), 0);
    assert_int_equal(cli_wait(play_scene(show_two_frames)), 0);
    look();
    cli_expect(here.shown, "\033[?1049h"); // the other screen
    cli_expect(here.shown, "\033[48;2;255;0;0m\033[38;2;16;32;48m\xE2\x96\x80");
    cli_expect(here.shown, "first line");
    cli_expect(here.shown, "\033[?1049l"); // and back
    assert_int_equal(tcgetattr(here.inside, &after), 0);
    assert_int_equal(before.c_lflag, after.c_lflag);
    // The second frame is the same: nothing of it was sent.
    const char *first = strstr(here.shown, "first line");
    assert_null(strstr(first + 1, "first line"));
    const char *block = strstr(here.shown, "\xE2\x96\x80");
    assert_null(strstr(block + 1, "\xE2\x96\x80"));
}

static void crash_while_shown(void)
{
    crash_catch(); // as main() does
    term *screen = term_open();
    draw_half(screen);
    (void)raise(SIGSEGV);
}

static void a_crash_gives_the_screen_back(void **state)
{
    (void)state;
    struct termios before;
    struct termios after;
    assert_int_equal(tcgetattr(here.inside, &before), 0);
    assert_int_not_equal(cli_wait(play_scene(crash_while_shown)), 0);
    look();
    cli_expect(here.shown, "\033[?1049l");
    assert_int_equal(tcgetattr(here.inside, &after), 0);
    assert_int_equal(before.c_lflag, after.c_lflag);
}

static void wait_for_a_key(void)
{
    stop_catch();
    term *screen = term_open();
    draw_half(screen);
    for (int i = 0; i < 500; i++) {
        if (term_wants_quit(screen, NULL)) {
            term_close(screen);
            exit(7);
        }
        tool_sleep_ns(UINT64_C(10000000));
    }
    term_close(screen);
}

static void assert_ends_by(const char *keys, size_t count)
{
    const pid_t process = play_scene(wait_for_a_key);
    look();
    assert_int_equal(write(here.outside, keys, count), count);
    assert_int_equal(cli_wait(process), 7);
    forget();
}

static void keys_end_it(void **state)
{
    (void)state;
    assert_ends_by("q", 1);
    assert_ends_by("\033", 1);
    assert_ends_by("xyzq", 4);
}

static void a_signal_ends_it(void **state)
{
    (void)state;
    const pid_t process = play_scene(wait_for_a_key);
    look();
    assert_int_equal(kill(process, SIGTERM), 0);
    assert_int_equal(cli_wait(process), 7);
}

static void wait_and_see_nothing(void)
{
    term *screen = term_open();
    tool_sleep_ns(UINT64_C(100000000));
    if (term_wants_quit(screen, NULL)) {
        exit(7);
    }
    term_close(screen);
}

static void an_arrow_key_does_not_end_it(void **state)
{
    (void)state;
    const pid_t process = play_scene(wait_and_see_nothing);
    assert_int_equal(write(here.outside, "\033[A", 3), 3);
    assert_int_equal(cli_wait(process), 0);
}

static void resize_while_shown(void)
{
    term *screen = term_open();
    draw_half(screen);
    const struct winsize larger = {.ws_row = 50, .ws_col = 100};
    (void)ioctl(STDOUT_FILENO, TIOCSWINSZ, &larger);
    const bks_canvas canvas = term_canvas(screen);
    const bool is_larger = canvas.width == 100.0F && canvas.height > 90.0F && canvas.is_coarse;
    draw_half(screen);
    term_close(screen);
    exit(is_larger ? 0 : 1);
}

static void the_picture_follows_the_terminals_size(void **state)
{
    (void)state;
    const pid_t process = play_scene(resize_while_shown);
    look();
    look();
    assert_int_equal(cli_wait(process), 0);
}

static void without_colour_there_is_no_picture(void **state)
{
    (void)state;
    assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
    assert_false(term_can_open());
    (void)unsetenv("NO_COLOR");
}

#define IN_A_TERMINAL(test) cmocka_unit_test_setup_teardown(test, open_terminal, close_terminal)

static void wait_for_a_peer_that_loads(void)
{
    static const bks_game game = {.name = "odd"};
    static const bks_plugin plugin = {.abi = BKS_PLUGIN_ABI, .game = &game};
    const play_view_config config = {
        .kind = PLAY_VIEW_TERM, .plugin = &plugin, .remark = "no keys"};
    play_view *view = play_view_open(&config);
    play_view_say(view, "peer 1 is loading");
    play_view_gather(view, "bks://x");
    play_view_present(view);
    play_view_close(view);
}

static void messages_are_shown_while_players_wait(void **state)
{
    (void)state;
    assert_int_equal(cli_wait(play_scene(wait_for_a_peer_that_loads)), 0);
    look();
    cli_expect(here.shown, "bks://x");
    cli_expect(here.shown, "peer 1 is loading   no keys");
}

static void wait_for_a_pause(void)
{
    static const bks_game game = {.name = "odd"};
    static const bks_plugin plugin = {.abi = BKS_PLUGIN_ABI, .game = &game};
    const play_view_config config = {.kind = PLAY_VIEW_TERM, .plugin = &plugin};
    play_view *view = play_view_open(&config);
    play_view_gather(view, "");
    play_view_present(view);
    for (int i = 0; i < 500 && play_view_poll(view); i++) {
        if (play_view_takes_pause(view)) {
            const bool again = play_view_takes_pause(view);
            play_view_close(view);
            exit(again ? 8 : 7);
        }
        tool_sleep_ns(UINT64_C(10000000));
    }
    play_view_close(view);
}

static void p_pauses_once(void **state)
{
    (void)state;
    const pid_t process = play_scene(wait_for_a_pause);
    look();
    assert_int_equal(write(here.outside, "xp", 2), 2);
    assert_int_equal(cli_wait(process), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_TERMINAL(pictures_are_half_blocks_and_the_screen_is_given_back),
        IN_A_TERMINAL(a_crash_gives_the_screen_back),
        IN_A_TERMINAL(keys_end_it),
        IN_A_TERMINAL(a_signal_ends_it),
        IN_A_TERMINAL(an_arrow_key_does_not_end_it),
        IN_A_TERMINAL(the_picture_follows_the_terminals_size),
        IN_A_TERMINAL(messages_are_shown_while_players_wait),
        IN_A_TERMINAL(p_pauses_once),
        cmocka_unit_test(without_colour_there_is_no_picture),
    };
    return cmocka_run_group_tests(tests, cli_setup, cli_teardown);
}
