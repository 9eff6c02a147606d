// SPDX-License-Identifier: MIT

#include "duel/duel_cues.h"

const bks_cue_type duel_cue_types[DUEL_CUES] = {
    [DUEL_CUE_SHOT] = {.name = "shot"},
    [DUEL_CUE_VOLLEY] = {.name = "volley"},
    [DUEL_CUE_CHARGED] = {.name = "charged"},
    [DUEL_CUE_SHIELD] = {.name = "shield"},
    [DUEL_CUE_LOSS] = {.name = "loss"},
    [DUEL_CUE_BACK] = {.name = "back"},
    [DUEL_CUE_PICKUP] = {.name = "pickup"},
    [DUEL_CUE_ROUND] = {.name = "round", .when = BKS_CUE_CONFIRMED},
    [DUEL_CUE_MATCH] = {.name = "match", .when = BKS_CUE_CONFIRMED},
};
