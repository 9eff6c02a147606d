// SPDX-License-Identifier: MIT

#include "feed/feed_text.h"

#include "feed/feed_wire.h"

const char *bksi_feed_text(const bksi_feed_receiver *receiver)
{
    static const char *const reasons[] = {
        [BKSI_FEED_LEAVES] = "the source has ended the feed",
        [BKSI_FEED_FULL] = "all places for watchers are taken, also at the other machines that "
                           "answer: try again later",
        [BKSI_FEED_VERSIONS] = "the source has another version of Backstitch",
        [BKSI_FEED_NO_STATE] = "the source has no memory to be watched",
        [BKSI_FEED_TOO_LONG] =
            "the state of this game cannot be sent, so it is watched from its first "
            "tick, and the match is too long for that",
        [BKSI_FEED_TOO_SLOW] = "our line is too slow for the feed, or those of all machines that "
                               "answer are",
        [BKSI_FEED_REPAIRED] = "the source's own state was wrong and has been repaired: open the "
                               "feed again",
        [BKSI_FEED_OVER] = "the match is over",
        [BKSI_FEED_NOT_HELD] = "no other machine of the match holds what comes next: open the feed "
                               "again",
        [BKSI_FEED_NOBODY] = "the match there takes no watchers",
        [BKSI_FEED_TOO_FAR] = "too many watchers in a row serve this one: watch nearer to the "
                              "match",
        [BKSI_FEED_REASONS] = "the source gave no reason that is known here",
    };
    switch (receiver->status) {
    case BKS_OK:
        return receiver->search.is_on  ? "looking for another machine of the match to watch from"
               : receiver->count > 0   ? "the match is being watched"
               : receiver->is_answered ? "waiting for the first state"
                                       : "asking for the match";
    case BKS_OVER:
        return "the match is over";
    case BKS_ERR_TIMEOUT:
        return "nobody answers";
    case BKS_ERR_REFUSED:
        return reasons[receiver->reason];
    case BKS_ERR_PEER_LOST:
        return receiver->reason < BKSI_FEED_REASONS ? reasons[receiver->reason]
                                                    : "the source fell silent, and nobody else "
                                                      "goes on";
    case BKS_ERR_DAMAGED:
        return "the source sent what is no recording, or too much";
    default:
        return bks_status_text(receiver->status);
    }
}
