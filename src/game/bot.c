// SPDX-License-Identifier: MIT

#include "backstitch/game.h"
#include "backstitch/toolkit/runner.h"
#include "base/report.h"

bks_status bks_bot_init(bks_bot *bot, const bks_game *game, bks_error *error)
{
    static const char call[] = "bks_bot_init";
    BKSI_REFUSE_NULL(error, bot);
    BKSI_REFUSE_NULL(error, game);
    if (game->bot == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, call, "game", "the game %s has no bots",
                         game->name != NULL ? game->name : "");
    }
    *bot = (bks_bot){.game = game};
    return BKS_OK;
}

static void bot_sample(void *context, const bks_sample *sample, int32_t *values)
{
    bks_bot *bot = context;
    if (bot != NULL) {
        bot->game->bot(sample->state, sample->player, sample->tick, bot->memory, values);
    }
}

bks_source bks_bot_source(bks_bot *bot)
{
    if (bot == NULL) {
        (void)bksi_fail_null(NULL, "bks_bot_source", "bot");
    }
    return (bks_source){.sample = bot_sample, .context = bot};
}
