// SPDX-License-Identifier: MIT

#include "base/command.h"

#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/tool.h"
#include "play/demo.h"
#include "screen/player/play_view.h"

// Show the start menu, as `bks play GAME` does.
static int show_menu(const char *game)
{
    char name[4096];
    snprintf(name, sizeof(name), "%s", game);
    char *arguments[] = {(char[]){"play"}, name, NULL};
    return cmd_play(2, arguments);
}

int cmd_demo(int argc, char **argv)
{
    demo_config config = {.game = "duel"};
    bool is_unseen = false;
    bool has_menu = false;
    const args_option options[] = {
        ARGS_TEXT("--game", "GAME", &config.game, "another game that has bots (default duel)"),
        ARGS_INT("--ticks", "N", &config.ticks, 1, INT32_MAX,
                 "length of the match (default: 1800 without a window, no end with one)"),
        ARGS_FLAG("--menu", &has_menu, "with a display, show the start menu of 'bks play' instead"),
        ARGS_FLAG("--no-window", &is_unseen, "watch four bots in the terminal"),
        ARGS_TEXT("--record", "FILE.bks", &config.record,
                  "where the recording goes (default: demo.bks beside the program)"),
        ARGS_TEXT("--wav", "FILE", &config.wav,
                  "write what you hear, or the first bot: 16-bit PCM, stereo, 48 kHz"),
    };
    const args_spec spec = {
        .command = "demo",
        .usage = "[options]",
        .about = "Show a match of four peers, each in its own process, over a bad "
                 "connection:\n" DEMO_LINK_TEXT ".\n"
                 "With a display you play against three bots; without "
                 "one, four bots play in the\n"
                 "terminal for half a minute. The end says whether all "
                 "peers computed the same.",
        ARGS_OPTIONS(options),
    };
    const int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    if (config.wav != NULL && config.record != NULL && strcmp(config.wav, config.record) == 0) {
        tool_complain("--wav and --record", "given with the same path, expected two");
        return TOOL_MISUSE;
    }
    if (config.wav != NULL && has_menu) {
        tool_complain("--wav and --menu", "given together, expected one of them");
        return TOOL_MISUSE;
    }
    config.has_window = !is_unseen && play_view_best() == PLAY_VIEW_WINDOW;
    user_settings mine;
    settings_usual(&mine);
    if (config.has_window) {
        settings_load(&mine);
        config.settings = &mine;
    }
    if (has_menu && config.has_window) {
        return show_menu(config.game);
    }
    const user_settings before = mine;
    char recorded[PLAY_RECORDED_BYTES];
    const int played = demo_run(&config, recorded);
    if (!settings_same(&before, &mine)) {
        (void)settings_save(&mine); // keys pressed in the window may have changed the settings
    }
    return played;
}
