// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/match.h"
#include "backstitch/record.h"
#include "backstitch/toolkit/links.h"
#include "backstitch/toolkit/writer.h"
#include "bad_arguments.h"

/// See bad_arguments_game.c.
bks_game bad_arguments_arena_game(void);

static void of_invitation(void)
{
    bks_invitation invitation = {.address = "host:1"};
    char text[BKS_INVITATION_BYTES_MAX];
    REFUSES(bks_invitation_parse(NULL, &invitation, &wrong) == BKS_ERR_BAD_ARGUMENT, "text", NULL);
    REFUSES(bks_invitation_parse("", NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_invitation_format(NULL, text, sizeof(text)) == BKS_ERR_BAD_ARGUMENT, "invitation",
            NULL);
    REFUSES(bks_invitation_format(&invitation, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_invitation_format(&invitation, text, 0) == BKS_ERR_BAD_ARGUMENT, "capacity",
            "at least 1");
    REFUSES(bks_invitation_format(&invitation, text, 57) == BKS_ERR_TOO_SMALL, "capacity",
            "at least 58");
    ALLOWS(bks_invitation_format(&invitation, text, 58) == BKS_OK);
    REFUSES(bks_invitation_to_watch(NULL, text, sizeof(text)) == BKS_ERR_BAD_ARGUMENT, "text",
            NULL);
    REFUSES(bks_invitation_to_watch("bks://host:1/#", NULL, 1) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_invitation_parse("bks://host:0/#", &invitation, &wrong) == BKS_ERR_BAD_ARGUMENT,
            "invitation", "1..65535");
    REFUSES(bks_invitation_format(&invitation, text, sizeof(text)) == BKS_ERR_BAD_ARGUMENT,
            "address", NULL);
}

static void of_no_peer(void)
{
    const bks_address from = {0};
    bks_address to;
    uint8_t bytes[BKS_PACKET_BYTES_MAX] = {0};
    const int32_t input[1] = {0};
    bks_costs costs;
    bks_cue_event cue;
    bks_frame frame;
    ALLOWS((bks_peer_destroy(NULL), true));
    REFUSES(bks_peer_receive(NULL, 0, &from, bytes, 1) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    REFUSES(bks_peer_update(NULL, 0) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    REFUSES(bks_peer_send(NULL, &to, bytes, sizeof(bytes)) == 0, "peer", NULL);
    REFUSES(bks_peer_wake(NULL) == UINT64_MAX, "peer", NULL);
    REFUSES(bks_peer_input(NULL, 0, input, &wrong) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    REFUSES(bks_peer_state(NULL) == NULL, "peer", NULL);
    REFUSES(bks_peer_frame(NULL, 0, &frame) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    REFUSES(bks_peer_session(NULL) == NULL, "peer", NULL);
    REFUSES(!bks_peer_started(NULL), "peer", NULL);
    REFUSES(bks_peer_leave(NULL) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    REFUSES(bks_peer_note(NULL, "x") == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    bks_feed *feed = NULL;
    size_t feed_bytes = 7;
    ALLOWS((bks_feed_close(NULL), true));
    REFUSES(bks_feed_open(NULL, &feed, &wrong) == BKS_ERR_BAD_ARGUMENT, "config", NULL);
    REFUSES(bks_feed_open(&(bks_feed_config){0}, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_feed_update(NULL) == BKS_ERR_BAD_ARGUMENT, "feed", NULL);
    REFUSES(bks_feed_bytes(NULL, &feed_bytes) == NULL && feed_bytes == 0, "feed", NULL);
    REFUSES(bks_feed_text(NULL)[0] == '\0', "feed", NULL);
    REFUSES(bks_feed_invitation(NULL)[0] == '\0', "feed", NULL);
    REFUSES(!bks_feed_opinion(NULL, &(bks_opinion){0}), "feed", NULL);
    REFUSES(bks_match_drop(NULL, 1) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_pause(NULL, true) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_speed(NULL, 100) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_note(NULL, "x") == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(!bks_peer_cue(NULL, &cue), "peer", NULL);
    REFUSES(bks_peer_cues_lost(NULL) == 0, "peer", NULL);
    REFUSES(bks_peer_costs(NULL, &costs) == BKS_ERR_BAD_ARGUMENT, "peer", NULL);
    static bks_sync_difference found;
    REFUSES(!bks_peer_sync_difference(NULL, &found), "peer", NULL);
}

static void of_peer(void)
{
    const bks_address from = {0};
    bks_address to;
    uint8_t bytes[BKS_PACKET_BYTES_MAX] = {0};
    bks_peer *peer = NULL;
    bks_peer_config config = bks_peer_config_default();
    peer = (void *)&wrong;
    REFUSES(bks_peer_create(NULL, &peer, &wrong) == BKS_ERR_BAD_ARGUMENT && peer == NULL, "config",
            NULL);
    REFUSES(bks_peer_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(bks_peer_create(&config, &peer, &wrong) < 0 && peer == NULL, "game", NULL);
    config.game = &good_game;
    config.session.is_host = true;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    config.session.players = 3;
    REFUSES(bks_peer_create(&config, &peer, &wrong) == BKS_ERR_BAD_CONFIG, "players", "1..2");
    config.session.players = 2;
    config.session.tuning.window_ticks = 65;
    REFUSES(bks_peer_create(&config, &peer, &wrong) == BKS_ERR_BAD_CONFIG, "tuning.window_ticks",
            "0..64");
    config.session.tuning.window_ticks = 4;
    config.start_tick = 1;
    REFUSES(bks_peer_create(&config, &peer, &wrong) == BKS_ERR_BAD_CONFIG, "start_tick",
            "0 without start_state");
    config.start_tick = 0;
    bad_arguments_need(bks_peer_create(&config, &peer, &wrong) == BKS_OK, "a peer");

    int32_t input[1] = {4};
    REFUSES(bks_peer_input(peer, 0, input, &wrong) == BKS_ERR_BAD_ARGUMENT, "run", "0..3");
    REFUSES(bks_peer_input(peer, 1, input, &wrong) == BKS_ERR_BAD_ARGUMENT, "local_player", "0..0");
    REFUSES(bks_peer_input(peer, 0, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "input", NULL);
    REFUSES(!bks_peer_cue(peer, NULL), "event", NULL);
    REFUSES(bks_peer_frame(peer, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "frame", NULL);
    REFUSES(bks_peer_costs(peer, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    REFUSES(!bks_peer_sync_difference(peer, NULL), "out", NULL);
    REFUSES(bks_peer_note(peer, NULL) == BKS_ERR_BAD_ARGUMENT, "text", NULL);
    REFUSES(bks_peer_note(peer, "a\nb") == BKS_ERR_BAD_ARGUMENT, "text", NULL); // none is recorded
    REFUSES(bks_peer_receive(peer, 0, NULL, bytes, 1) == BKS_ERR_BAD_ARGUMENT, "from", NULL);
    REFUSES(bks_peer_receive(peer, 0, &from, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(bks_peer_send(peer, NULL, bytes, sizeof(bytes)) == 0, "to", NULL);
    REFUSES(bks_peer_send(peer, &to, NULL, sizeof(bytes)) == 0, "bytes", NULL);
    REFUSES(bks_peer_send(peer, &to, bytes, 5) == 0, "capacity", "at least 1200");
    bad_arguments_need(bks_peer_update(peer, 5) == BKS_OK, "an update");
    REFUSES(bks_peer_update(peer, 4) == BKS_ERR_BAD_ARGUMENT, "now_ns", "at least 5");
    bks_peer_destroy(peer);
}

static void of_no_lab(void)
{
    uint64_t hash;
    bks_lab_result result;
    ALLOWS((bks_lab_destroy(NULL), true));
    REFUSES(bks_lab_link(NULL, "delay=1ms", &wrong) == BKS_ERR_BAD_ARGUMENT, "lab", NULL);
    REFUSES(bks_lab_fault(NULL, "flip=0@1:byte", &wrong) == BKS_ERR_BAD_ARGUMENT, "lab", NULL);
    REFUSES(!bks_lab_advance(NULL, 1), "lab", NULL);
    REFUSES(bks_lab_now(NULL) == 0, "lab", NULL);
    REFUSES(bks_lab_progress(NULL) == 0, "lab", NULL);
    REFUSES(bks_lab_acting(NULL) == BKS_PEERS_MAX, "lab", NULL);
    REFUSES(bks_lab_peer(NULL, 0) == NULL, "lab", NULL);
    REFUSES(bks_lab_hash(NULL, 0, 0, &hash) == BKS_ERR_BAD_ARGUMENT, "lab", NULL);
    REFUSES(bks_lab_outcome(NULL, &result) == BKS_ERR_BAD_ARGUMENT, "lab", NULL);
}

static void of_lab_config(const bks_lab_config *good)
{
    bks_lab *lab = NULL;
    bks_lab_config config = *good;
    lab = (void *)&wrong;
    REFUSES(bks_lab_create(NULL, &lab, &wrong) == BKS_ERR_BAD_ARGUMENT && lab == NULL, "config",
            NULL);
    REFUSES(bks_lab_create(&config, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    config.cookie = 0;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG && lab == NULL, "config",
            "bks_lab_config_default");
    config = *good;
    config.game = NULL;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "game", NULL);
    config = *good;
    config.peers = 9;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "peers", "1..8");
    config = *good;
    config.players_on[1] = 17;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "players_on[1]", "1..16");
    config = *good;
    config.ticks = 0;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "ticks", "1..10000000");
    config = *good;
    config.tuning.window_ticks = 65;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "tuning.window_ticks",
            "0..64");
    REFUSES(bks_lab_config_check(&config, &wrong) == BKS_ERR_BAD_CONFIG, "tuning.window_ticks",
            "0..64");
    config = *good;
    config.tuning.delay_ticks = 256;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "tuning.delay_ticks",
            "0..255");
    config = *good;
    config.tuning.save = (bks_save_policy)7;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "tuning.save", "0..3");
    config = *good;
    config.step_ns = 1000000001;
    REFUSES(bks_lab_create(&config, &lab, &wrong) == BKS_ERR_BAD_CONFIG, "step_ns",
            "0..1000000000");
}

static void of_lab_specs(bks_lab *lab)
{
    static const struct {
        const char *spec, *name, *range;
    } links[] = {
        {"loss", "loss", "NAME=VALUE"},  {"speed=1", "speed", "delay, jitter"},
        {"delay=-1ms", "delay", "0"},    {"delay=50", "delay", "ms"},
        {"loss=101%", "loss", "100"},    {"burst=0", "burst", "1"},
        {"dup=x", "dup", "100"},         {"mtu=1", "mtu", "1"},
        {"rate=0", "rate", "1"},         {"loss=1%,loss=2%", "loss", "once"},
        {"0>5:loss=1%", "0>5", "0..1"},  {"0>0:loss=1%", "0>0", "0..7"},
        {"corrupt=1", "corrupt", "100"}, {"reorder=200%", "reorder", "100"},
    };
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        REFUSES(bks_lab_link(lab, links[i].spec, &wrong) == BKS_ERR_BAD_ARGUMENT, links[i].name,
                links[i].range);
    }
    REFUSES(bks_lab_link(lab, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "spec", NULL);
    REFUSES(bks_lab_fault(lab, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "spec", NULL);
    REFUSES(bks_lab_fault(lab, "flip=2@1:byte", &wrong) == BKS_ERR_BAD_ARGUMENT, "flip", "0..1");
    REFUSES(bks_lab_fault(lab, "flip=0@61:byte", &wrong) == BKS_ERR_BAD_ARGUMENT, "flip", "0..");
    REFUSES(bks_lab_fault(lab, "burn=1@1s", &wrong) == BKS_ERR_UNSUPPORTED, "burn", "is no fault");
    REFUSES(bks_lab_bulk(lab, "0>1:1MiB@1s", &wrong) == BKS_ERR_BAD_ARGUMENT, "bulk_bytes", "1024");
}

static void of_lab_streams(const bks_lab_config *config)
{
    bks_lab_config with = *config;
    bks_lab_bulk_spec spec;
    bks_lab *lab = NULL;
    with.tuning.bulk_bytes = 1024;
    bad_arguments_need(bks_lab_create(&with, &lab, &wrong) == BKS_OK, "a lab");
    REFUSES(bks_lab_bulk(NULL, "0>1:1@1s", &wrong) == BKS_ERR_BAD_ARGUMENT, "lab", NULL);
    REFUSES(bks_lab_bulk(lab, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "spec", NULL);
    REFUSES(bks_lab_bulk(lab, "0>2:1@1s", &wrong) == BKS_ERR_BAD_ARGUMENT, "bulk", "0..1");
    ALLOWS(bks_lab_bulk(lab, "0>1:1@1s", &wrong) == BKS_OK);
    REFUSES(bks_lab_bulk(lab, "0>1:2@2s", &wrong) == BKS_ERR_BAD_ARGUMENT, "bulk", "once");
    REFUSES(bks_lab_bulk_parse(NULL, "0>1:1@1s", &spec, &wrong) == BKS_ERR_BAD_ARGUMENT, "config",
            NULL);
    REFUSES(bks_lab_bulk_parse(&with, NULL, &spec, &wrong) == BKS_ERR_BAD_ARGUMENT, "spec", NULL);
    REFUSES(bks_lab_bulk_parse(&with, "0>1:1@1s", NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out",
            NULL);
    REFUSES(bks_lab_bulk_parse(&with, "0>1:1kB@1s", &spec, &wrong) == BKS_ERR_BAD_ARGUMENT, "bulk",
            "1TiB");
    (void)bks_lab_advance(lab, 1);
    REFUSES(bks_lab_bulk(lab, "1>0:1@1s", &wrong) == BKS_ERR_BAD_ARGUMENT, "bks_lab_advance", NULL);
    bks_lab_destroy(lab);
}

static void of_lab(void)
{
    const bks_game game = bad_arguments_arena_game();
    bks_lab_config config = bks_lab_config_default();
    config.game = &game;
    config.ticks = 60;
    of_no_lab();
    of_lab_config(&config);
    of_lab_streams(&config);
    bks_lab *lab = NULL;
    uint64_t hash = 77;
    bad_arguments_need(bks_lab_create(&config, &lab, &wrong) == BKS_OK, "a lab");
    of_lab_specs(lab);
    REFUSES(bks_lab_peer(lab, 2) == NULL, "peer", "0..1");
    REFUSES(bks_lab_hash(lab, 0, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "out_hash", NULL);
    REFUSES(bks_lab_hash(lab, 2, 0, &hash) == BKS_ERR_BAD_ARGUMENT, "peer", "0..1");
    REFUSES(bks_lab_hash(lab, 0, 61, &hash) == BKS_ERR_BAD_ARGUMENT, "tick", "0..60");
    REFUSES(bks_lab_hash(lab, 0, -1, &hash) == BKS_ERR_BAD_ARGUMENT, "tick", "0..60");
    ALLOWS(bks_lab_hash(lab, 0, 60, &hash) == BKS_ERR_NOT_CONFIRMED); // an answer
    bad_arguments_need(hash == 77, "out_hash untouched");
    REFUSES(bks_lab_outcome(lab, NULL) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    while (bks_lab_advance(lab, bks_lab_now(lab) + 1000000000)) {
    }
    REFUSES(bks_lab_link(lab, "delay=1ms", &wrong) == BKS_ERR_BAD_ARGUMENT, "bks_lab_advance",
            NULL);
    REFUSES(bks_lab_fault(lab, "flip=0@1:byte", &wrong) == BKS_ERR_BAD_ARGUMENT, "bks_lab_advance",
            NULL);
    bks_lab_result result;
    bad_arguments_need(bks_lab_outcome(lab, &result) == BKS_OK && result.agreed,
                       "a match that agrees");
    bks_lab_destroy(lab);
}

static void of_record_files(void)
{
    bks_record_file file;
    REFUSES(bks_record_file_open(NULL, "a.bks", "tag", &wrong) == BKS_ERR_BAD_ARGUMENT, "file",
            NULL);
    REFUSES(bks_record_file_open(&file, NULL, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "game_name",
            NULL);
    REFUSES(bks_record_file_open(&file, "", "tag", &wrong) == BKS_ERR_BAD_CONFIG, "record_path",
            "1..4095");
    ALLOWS((bks_record_file_close(NULL), true));
    REFUSES(bks_record_file_sink(NULL).write == NULL, "file", NULL);
}

static void of_no_match(void)
{
    bks_event event;
    bks_cue_event cue;
    bks_frame frame;
    const int32_t input[1] = {0};
    ALLOWS((bks_match_close(NULL), true));
    REFUSES(strcmp(bks_match_invitation(NULL), "") == 0, "match", NULL);
    REFUSES(bks_match_wait(NULL) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_wait_until(NULL, 0) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_seat(NULL, 0) == -1, "match", NULL);
    REFUSES(bks_match_players(NULL) == 0, "match", NULL);
    char text[128];
    REFUSES(bks_match_numbers(NULL, text, sizeof(text)) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_input(NULL, 0, input) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_command(NULL, 0, "a", 1) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_update(NULL) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(!bks_match_started(NULL), "match", NULL);
    REFUSES(bks_match_state(NULL) == NULL, "match", NULL);
    REFUSES(!bks_match_event(NULL, &event), "match", NULL);
    REFUSES(!bks_match_cue(NULL, &cue), "match", NULL);
    ALLOWS(bks_match_now() > 0);
    REFUSES(bks_match_figures(NULL) == NULL, "match", NULL);
    REFUSES(strcmp(bks_match_inspect_address(NULL), "") == 0, "match", NULL);
    REFUSES(strcmp(bks_match_inspect_token(NULL), "") == 0, "match", NULL);
    REFUSES(bks_match_frame(NULL, 0, &frame) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_peer(NULL) == NULL, "match", NULL);
    REFUSES(bks_match_session(NULL) == NULL, "match", NULL);
    size_t count = 1;
    REFUSES(bks_match_send(NULL, 1, "hi", 2, &count) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(bks_match_receive(NULL, 1, NULL, 0, &count) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
    REFUSES(strcmp(bks_match_record_path(NULL), "") == 0, "match", NULL);
    REFUSES(bks_match_record_status(NULL) == BKS_ERR_BAD_ARGUMENT, "match", NULL);
}

static bool no_link(void *context, const char *link)
{
    (void)context, (void)link;
    return false;
}

/// A config with one member changed must be refused by its name.
#define MATCH_REFUSED(member, value, range)                                               \
    do {                                                                                  \
        bks_match_config bad = *good;                                                     \
        bks_match *none = NULL;                                                           \
        bad.member = (value);                                                             \
        REFUSES(bks_match_open(&bad, &none, &wrong) < 0 && none == NULL, #member, range); \
    } while (false)

static void of_match_config(const bks_match_config *good)
{
    bks_match *match = NULL;
    bks_match_config edited = *good;
    edited.cookie = 0;
    REFUSES(bks_match_open(&edited, &match, &wrong) == BKS_ERR_BAD_CONFIG && match == NULL,
            "config", "bks_match_config_default");
    REFUSES(bks_match_open(NULL, &match, &wrong) == BKS_ERR_BAD_ARGUMENT, "config", NULL);
    REFUSES(bks_match_open(good, NULL, &wrong) == BKS_ERR_BAD_ARGUMENT, "out", NULL);
    MATCH_REFUSED(game, NULL, NULL);
    MATCH_REFUSED(play_path, "no/such/file.bks", "no/such/file.bks");
    MATCH_REFUSED(tick_per_update, true, "local");
    MATCH_REFUSED(insight, &(bks_insight){.window_ms = 10001}, "100..10000");
    MATCH_REFUSED(insight, &(bks_insight){.inspect = "127.0.0.1"}, "127.0.0.1");
    MATCH_REFUSED(insight, &(bks_insight){.change_link = no_link}, "both or neither");
    MATCH_REFUSED(insight, &(bks_insight){.log_every_ms = 99}, "100..3600000");
    MATCH_REFUSED(invitation, "", "bks://");
    MATCH_REFUSED(invitation, "http://127.0.0.1:1/#0", "bks://");
    MATCH_REFUSED(invitation, "bks://127.0.0.1:1/#xyz", NULL);
    MATCH_REFUSED(invitation, "bks://127.0.0.1:70000/#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
                  "65535");
    MATCH_REFUSED(bind_address, NULL, NULL);
    MATCH_REFUSED(bind_address, "70000", "65535");
    MATCH_REFUSED(players, 3, "1..2");
    MATCH_REFUSED(local_players, 0, "1..2");
    MATCH_REFUSED(local_players, 3, "1..2");
    MATCH_REFUSED(ticks, -1, "0..2147483647");
    MATCH_REFUSED(tuning.window_ticks, 65, "0..64");
    MATCH_REFUSED(tuning.delay_ticks, 256, "0..255 or BKS_AUTO");
    MATCH_REFUSED(tuning.pace, (bks_pace)3, "0..2");
    MATCH_REFUSED(tuning.save, (bks_save_policy)4, "0..3");
    MATCH_REFUSED(transport, &(bks_transport){0}, NULL);
    edited = *good;
    edited.local_players = edited.players = 2;
    edited.tuning.window_ticks = 65; // checked though a match for one machine has no window
    REFUSES(bks_match_open(&edited, &match, &wrong) == BKS_ERR_BAD_CONFIG, "tuning.window_ticks",
            "0..64");
}

static void of_match(void)
{
    bks_match_config config = bks_match_config_default();
    config.game = &good_game;
    config.bind_address = "127.0.0.1:0";
    config.record = false;
    of_record_files();
    of_no_match();
    of_match_config(&config);
    bks_match_config bad = config;
    bad.record = true;
    bad.record_path = "no/such/folder/x.bks";
    bks_match *match = NULL;
    REFUSES(bks_match_open(&bad, &match, &wrong) == BKS_ERR_IO && match == NULL, "no/such/folder",
            NULL);
    bad_arguments_need(bks_match_open(&config, &match, &wrong) == BKS_OK, "a match");
    const int32_t input[1] = {-1};
    REFUSES(bks_match_input(match, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "input", NULL);
    REFUSES(bks_match_command(match, 0, NULL, 1) == BKS_ERR_BAD_ARGUMENT, "bytes", NULL);
    REFUSES(bks_match_input(match, 1, input) == BKS_ERR_BAD_ARGUMENT, "local_player", "0..0");
    REFUSES(bks_match_input(match, 0, input) == BKS_ERR_BAD_ARGUMENT, "run", "0..3");
    REFUSES(!bks_match_event(match, NULL), "event", NULL);
    REFUSES(!bks_match_cue(match, NULL), "event", NULL);
    REFUSES(bks_match_frame(match, 0, NULL) == BKS_ERR_BAD_ARGUMENT, "frame", NULL);
    bks_match_close(match);
}

void bad_arguments_of_match(void)
{
    of_invitation();
    of_no_peer();
    of_peer();
    of_lab();
    of_match();
}
