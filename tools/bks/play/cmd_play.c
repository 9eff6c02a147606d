// SPDX-License-Identifier: MIT

#include "play/cmd_play.h"

#include "base/tool.h"
#include "play/play_start.h"
#include "play/start_menu.h"

int cmd_play(int argc, char **argv)
{
    const play_options *o = NULL;
    int status = play_options_read(argc, argv, &o);
    if (status != ARGS_GO) {
        return status;
    }
    const bool has_window = play_start_view(o) == PLAY_VIEW_WINDOW;
    const bool has_menu = has_window && play_options_name_no_match(o);
    if (!has_menu && play_options_check_network(o) != TOOL_OK) {
        return TOOL_MISUSE;
    }
    loaded_game game;
    status = loader_open(o->positionals.items[0], &game);
    if (status != TOOL_OK) {
        return status;
    }
    user_settings mine;
    if (has_window) {
        settings_load(&mine);
    }
    if (has_menu) {
        return start_menu(o, &game, &mine);
    }
    char recorded[PLAY_RECORDED_BYTES];
    if (!has_window) {
        return play_start(o, &game, NULL, NULL, recorded);
    }
    const user_settings before = mine;
    status = play_start(o, &game, &mine, NULL, recorded);
    if (!settings_same(&before, &mine)) {
        (void)settings_save(&mine); // keys of the window changed them
    }
    return status;
}
