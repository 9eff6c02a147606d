// SPDX-License-Identifier: MIT

// A match is watched through the public face, over the loopback address.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/replay.h"
#include "backstitch/session.h"
#include "match/some_match.h"

/// Turns that no test needs. A machine that is busy with other work may need many.
#define PATIENCE 10000000

typedef struct three {
    bks_match *host;
    bks_match *guest;
    bks_feed *feed;
    bks_status status[3];
} three;

static bks_feed *open_feed(const char *invitation)
{
    const bks_feed_config config = {.invitation = invitation, .timeout_ms = 2000};
    bks_feed *feed = NULL;
    bks_error error = {0};
    if (bks_feed_open(&config, &feed, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return feed;
}

static void open_match(three *all, uint32_t of_host, uint32_t of_guest)
{
    bks_match_config config = some_config();
    config.bind_address = "127.0.0.1:0";
    config.ticks = 500;
    config.watchers = of_host;
    all->host = some_open(&config);
    config.watchers = of_guest;
    config.invitation = bks_match_invitation(all->host);
    all->guest = some_open(&config);
}

static void turn(three *all)
{
    bks_match *matches[] = {all->host, all->guest};
    for (size_t i = 0; i < 2; i++) {
        if (matches[i] != NULL) {
            (void)bks_match_wait(matches[i]);
            all->status[i] = bks_match_update(matches[i]);
        }
    }
    all->status[2] = all->feed != NULL ? bks_feed_update(all->feed) : BKS_OK;
}

static void close_all(three *all)
{
    bks_match_close(all->guest);
    bks_match_close(all->host);
    bks_feed_close(all->feed);
}

static void a_match_is_watched_to_its_end(void **state)
{
    (void)state;
    three all = {0};
    open_match(&all, 1, 1);
    char text[BKS_INVITATION_BYTES_MAX];
    assert_int_equal(bks_invitation_to_watch(bks_match_invitation(all.host), text, sizeof(text)),
                     BKS_OK);
    all.feed = open_feed(text);
    for (int i = 0; i < PATIENCE && all.status[2] == BKS_OK; i++) {
        turn(&all);
    }
    assert_int_equal(all.status[2], BKS_OVER);
    assert_string_equal(bks_feed_text(all.feed), "the match is over");
    size_t count = 0;
    const void *bytes = bks_feed_bytes(all.feed, &count);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(bytes, count, NULL, &replay, NULL), BKS_OK);
    assert_true(bks_replay_info(replay)->is_complete);
    assert_int_equal(bks_replay_info(replay)->end, 500);
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    bks_tick tick = 0;
    const uint64_t wanted = some_final_hash(all.host, &tick);
    assert_int_equal(tick, 500);
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, 500, NULL), BKS_OK);
    assert_int_equal(bks_playback_hash(playback), wanted);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    close_all(&all);
}

/// Return true if a recording that grows has a note with this text.
static bool has_note(bks_feed *feed, const char *text)
{
    size_t count = 0;
    const void *bytes = bks_feed_bytes(feed, &count);
    const bks_replay_piece piece = {.bytes = bytes, .count = count};
    bks_replay *replay = NULL;
    if (count == 0 || bks_replay_open_growing(&piece, 1, NULL, &replay, NULL) != BKS_OK) {
        return false;
    }
    bool is_there = false;
    bks_replay_event event;
    for (uint32_t i = 0; i < bks_replay_info(replay)->event_count; i++) {
        is_there |= bks_replay_event_at(replay, i, &event) == BKS_OK &&
                    event.kind == BKS_REPLAY_NOTE && strcmp(event.text, text) == 0;
    }
    bks_replay_close(replay);
    return is_there;
}

static void a_note_of_a_player_reaches_those_who_watch_its_machine(void **state)
{
    (void)state;
    three all = {0};
    open_match(&all, 1, 1);
    all.feed = open_feed(bks_match_invitation(all.host));
    size_t count = 0;
    for (int i = 0; i < PATIENCE && count == 0; i++) {
        turn(&all);
        (void)bks_feed_bytes(all.feed, &count);
    }
    assert_int_equal(bks_match_note(all.guest, "Bob: not for you"), BKS_OK);
    assert_int_equal(bks_match_note(all.host, "Ann: well played"), BKS_OK);
    assert_int_equal(bks_match_note(all.host, "two\nlines"), BKS_ERR_BAD_ARGUMENT);
    for (int i = 0;
         i < PATIENCE && all.status[2] == BKS_OK && !has_note(all.feed, "Ann: well played"); i++) {
        turn(&all);
    }
    assert_true(has_note(all.feed, "Ann: well played"));
    assert_false(has_note(all.feed, "Bob: not for you"));
    close_all(&all);
}

static void a_match_without_watchers_says_so(void **state)
{
    (void)state;
    three all = {0};
    open_match(&all, 0, 0);
    all.feed = open_feed(bks_match_invitation(all.host));
    for (int i = 0; i < PATIENCE && all.status[2] == BKS_OK; i++) {
        turn(&all);
    }
    assert_int_equal(all.status[2], BKS_ERR_REFUSED);
    size_t count = 1;
    assert_null(bks_feed_bytes(all.feed, &count));
    assert_int_equal(count, 0);
    assert_string_equal(bks_feed_text(all.feed), "the match there takes no watchers");
    close_all(&all);
}

static void a_wrong_key_and_a_gone_host_look_alike(void **state)
{
    (void)state;
    three all = {0};
    open_match(&all, 1, 1);
    bks_invitation invitation;
    char text[2][BKS_INVITATION_BYTES_MAX];
    assert_int_equal(bks_invitation_parse(bks_match_invitation(all.host), &invitation, NULL),
                     BKS_OK);
    invitation.key[0] ^= 1;
    char wanted[BKS_INVITATION_BYTES_MAX + 32];
    (void)snprintf(wanted, sizeof(wanted), "nobody answers at %s:", invitation.address);
    assert_int_equal(bks_invitation_format(&invitation, text[0], sizeof(text[0])), BKS_OK);
    (void)snprintf(text[1], sizeof(text[1]), "%s", bks_match_invitation(all.host));
    for (size_t k = 0; k < 2; k++) {
        if (k == 1) {
            bks_match_close(all.guest);
            bks_match_close(all.host);
            all.host = all.guest = NULL;
        }
        all.feed = open_feed(text[k]);
        all.status[2] = BKS_OK;
        for (int i = 0; i < PATIENCE && all.status[2] == BKS_OK; i++) {
            turn(&all);
        }
        assert_int_equal(all.status[2], BKS_ERR_TIMEOUT);
        assert_non_null(strstr(bks_feed_text(all.feed), wanted));
        bks_feed_close(all.feed);
        all.feed = NULL;
    }
    close_all(&all);
}

/// Watch a match from its host, which leaves it early.
/// @param of_guest  watchers that the guest takes
/// @return end of the complete recording that the watcher then has
static bks_tick watch_a_host_that_leaves(uint32_t of_guest)
{
    three all = {0};
    open_match(&all, 1, of_guest);
    all.feed = open_feed(bks_match_invitation(all.host));
    size_t count = 0;
    for (int i = 0; i < PATIENCE && count == 0; i++) {
        turn(&all);
        (void)bks_feed_bytes(all.feed, &count);
    }
    bks_match_close(all.host); // lingers, and sends what is left
    all.host = NULL;
    for (int i = 0; i < PATIENCE && all.status[2] == BKS_OK; i++) {
        turn(&all);
    }
    assert_int_equal(all.status[2], BKS_OVER);
    const void *bytes = bks_feed_bytes(all.feed, &count);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(bytes, count, NULL, &replay, NULL), BKS_OK);
    assert_true(bks_replay_info(replay)->is_complete);
    const bks_tick end = bks_replay_info(replay)->end;
    bks_replay_close(replay);
    close_all(&all);
    return end;
}

static void a_watcher_goes_on_with_the_guest_when_the_host_leaves(void **state)
{
    (void)state;
    assert_int_equal(watch_a_host_that_leaves(1), 500); // the guest plays on to the end
}

static void one_who_closes_the_match_completes_the_feed(void **state)
{
    (void)state;
    assert_in_range(watch_a_host_that_leaves(0), 1, 499);
}

static void an_invitation_to_watch_opens_no_seat(void **state)
{
    (void)state;
    three all = {0};
    open_match(&all, 1, 1);
    char text[BKS_INVITATION_BYTES_MAX];
    char again[BKS_INVITATION_BYTES_MAX];
    assert_int_equal(bks_invitation_to_watch(bks_match_invitation(all.host), text, sizeof(text)),
                     BKS_OK);
    assert_non_null(strstr(text, "/watch#"));
    assert_int_equal(bks_invitation_to_watch(text, again, sizeof(again)), BKS_OK);
    assert_string_equal(text, again);
    bks_match_config config = some_config();
    config.invitation = text;
    bks_match *match = NULL;
    bks_error error = {0};
    assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "invitation");
    assert_non_null(strstr(error.text, "opens no seat"));
    close_all(&all);
}

static void numbers_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const struct {
        uint32_t watchers, delay_ms, bytes_per_s;
        const char *field;
    } wrong[] = {{BKS_WATCHERS_MAX + 1, 0, 64000, "watchers"},
                 {1, 600001, 64000, "watch_delay_ms"},
                 {1, 0, 999, "watch_bytes_per_s"},
                 {1, 0, 12500001, "watch_bytes_per_s"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        bks_match_config config = some_config();
        config.watchers = wrong[i].watchers;
        config.watch_delay_ms = wrong[i].delay_ms;
        config.watch_bytes_per_s = wrong[i].bytes_per_s;
        bks_match *match = NULL;
        bks_error error = {0};
        assert_int_equal(bks_match_open(&config, &match, &error), BKS_ERR_BAD_CONFIG);
        assert_string_equal(error.field, wrong[i].field);
    }
    bks_feed *feed = NULL;
    bks_error error = {0};
    const bks_feed_config none = {.invitation = "bks://here"};
    assert_int_equal(bks_feed_open(&none, &feed, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "invitation");
    assert_null(feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_is_watched_to_its_end),
        cmocka_unit_test(a_note_of_a_player_reaches_those_who_watch_its_machine),
        cmocka_unit_test(a_match_without_watchers_says_so),
        cmocka_unit_test(a_wrong_key_and_a_gone_host_look_alike),
        cmocka_unit_test(a_watcher_goes_on_with_the_guest_when_the_host_leaves),
        cmocka_unit_test(one_who_closes_the_match_completes_the_feed),
        cmocka_unit_test(an_invitation_to_watch_opens_no_seat),
        cmocka_unit_test(numbers_out_of_range_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
