// SPDX-License-Identifier: MIT

// Table of which message may come in which phase of the match, and what becomes of one that may
// not.

#include "session/messages.h"

#include <string.h>

#include "session/inside.h"
#include "session/one_network.h"

/// Phases by letter: gathering, linking, starting, running, over, failed before the start.
static const char letters[] = "GLSROF";
static const session_phase phases[] = {
    {STAGE_GATHERING, OUTCOME_OPEN}, {STAGE_LINKING, OUTCOME_OPEN},
    {STAGE_STARTING, OUTCOME_OPEN},  {STAGE_RUNNING, OUTCOME_OPEN},
    {STAGE_RUNNING, OUTCOME_ENDED},  {STAGE_LINKING, OUTCOME_FAILED},
};

/// By type: in which phases one of a guest may come to the host, and one of the host to a guest.
static const char *const allowed[][2] = {
    [BKSI_PACKET_HANDSHAKE] = {"", ""},         [BKSI_PACKET_JOIN] = {"GLSROF", ""},
    [BKSI_PACKET_ROSTER] = {"", "GLS"},         [BKSI_PACKET_REFUSE] = {"GLSROF", "GLSROF"},
    [BKSI_PACKET_LINK] = {"GLSROF", "GLSROF"},  [BKSI_PACKET_INPUT] = {"LSR", "LSR"},
    [BKSI_PACKET_HASHES] = {"SRO", "SRO"},      [BKSI_PACKET_BYE] = {"GLSROF", "GLSROF"},
    [BKSI_PACKET_VIEW] = {"SR", "SR"},          [BKSI_PACKET_BULK] = {"SR", "SR"},
    [BKSI_PACKET_CARRIED] = {"LSROF", "LSROF"}, [BKSI_PACKET_HEARS] = {"LSROF", "LSROF"},
    [BKSI_PACKET_COMPARE] = {"SR", "SR"},       [BKSI_PACKET_MEET] = {"SR", "SR"},
    [BKSI_PACKET_SLOW] = {"SR", "SR"},          [BKSI_PACKET_ADDRESS] = {"", ""},
};

static void a_message_may_come_in_its_phases_alone(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    run_for(1000);
    static const uint8_t body[1] = {BKSI_VIEW_COMMIT};
    for (uint32_t at = 0; at < 2; at++) {
        bks_session *session = session_of(at);
        const session_phase real = session->common.phase;
        for (uint32_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]) * strlen(letters); i++) {
            const uint32_t type = i / (uint32_t)strlen(letters);
            const char letter = letters[i % strlen(letters)];
            const bksi_guard_message message = {
                .type = type, .body = body, .body_bytes = sizeof(body), .is_proven = true};
            session->common.phase = phases[i % strlen(letters)];
            const bool may = bksi_messages_may_come(session, 1 - at, &message);
            if (may != (strchr(allowed[type][at], letter) != NULL)) {
                fail_msg("type %u to peer %u in phase %c: %d", type, at, letter, may);
            }
        }
        session->common.phase = real;
    }
    toy_destroy(&network);
}

/// A VIEW that says that its sender is out, or we are, may come when no other VIEW may.
static void a_peer_may_say_that_one_is_out_in_any_phase(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    run_for(1000);
    static const uint8_t body[1] = {BKSI_VIEW_GONE};
    bks_session *session = session_of(0);
    const bksi_guard_message message = {
        .type = BKSI_PACKET_VIEW, .body = body, .body_bytes = sizeof(body), .is_proven = true};
    for (uint32_t i = 0; i < strlen(letters); i++) {
        session->common.phase = phases[i];
        assert_int_equal(bksi_messages_may_come(session, 1, &message), letters[i] != 'G');
    }
    session->common.phase = phases[3];
    toy_destroy(&network);
}

/// Outcomes of a message for its sender: nothing, that it is a fault, that the match is over.
static void a_message_in_a_wrong_phase_is_refused_and_counted(void **context)
{
    (void)context;
    static const uint8_t slow[1] = {0};
    toy_create(&network, 2, 1, tune_endless);
    while (!bksi_phase_is_linking(&session_of(0)->common.phase) ||
           !session_of(1)->lobby.start.is_made) {
        assert_true(network.now_ns < 10000 * TOY_MS);
        run_for(1);
    }
    const session_packets *at_host = &session_of(0)->packets;
    const session_packets *at_guest = &session_of(1)->packets;

    // There is no start without the host; a guest may not have heard of it yet.
    uint64_t refused = at_host->refused;
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_SLOW, slow, 1);
    assert_int_equal(at_host->refused, refused + 1);
    refused = at_guest->refused;
    inside_say(session_of(1), network.now_ns, session_of(0), BKSI_PACKET_SLOW, slow, 1);
    assert_int_equal(at_guest->refused, refused);

    run_for(1000);
    assert_int_equal(phase_of(0), BKS_PHASE_RUNNING);
    refused = at_host->refused;
    uint64_t received = at_host->received;
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_SLOW, slow, 1);
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_ROSTER, slow, 1);
    assert_int_equal(at_host->received, received + 1);
    assert_int_equal(at_host->refused, refused + 1);

    // A peer that plays on after the end is told goodbye.
    assert_int_equal(bks_session_leave(session_of(0)), BKS_OK);
    session_of(0)->common.goodbyes.owes_bye = 0;
    inside_say(session_of(0), network.now_ns, session_of(1), BKSI_PACKET_SLOW, slow, 1);
    assert_true((bksi_goodbyes_owed(&session_of(0)->common.goodbyes) & PEER_BIT(1)) != 0);
    toy_destroy(&network);
}

/// Only a stranger that asks for a seat and a peer that greets may send first messages.
static void a_first_message_asks_or_greets(void **context)
{
    (void)context;
    toy_create(&network, 2, 1, tune_endless);
    run_for(1000);
    for (uint32_t type = 0; type < 16; type++) {
        const bksi_guard_message message = {.type = type};
        assert_int_equal(bksi_messages_may_come(session_of(0), 1, &message),
                         type == BKSI_PACKET_JOIN || type == BKSI_PACKET_LINK);
        assert_int_equal(bksi_messages_may_come(session_of(0), BKS_PEERS_MAX, &message),
                         type == BKSI_PACKET_JOIN);
    }
    toy_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_may_come_in_its_phases_alone),
        cmocka_unit_test(a_peer_may_say_that_one_is_out_in_any_phase),
        cmocka_unit_test(a_message_in_a_wrong_phase_is_refused_and_counted),
        cmocka_unit_test(a_first_message_asks_or_greets),
    };
    return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
