// SPDX-License-Identifier: MIT
// An engine that owns its loop, its state and its network, and asks a session what to do next.
//
// Two machines run in this one process. Each has a state, a few snapshots and a bks_session, and
// carries out the session's operations itself. The network between them has a virtual clock, delays
// packets by 40 to 60 ms and loses one in ten. At the end both machines must hold the same state.

#include <backstitch/backstitch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES = 2, TICKS = 600, PACKETS_MAX = 1024 };

#define MS_NS UINT64_C(1000000)

/// Distance below which ships are close. The torus is 2^32 around.
#define CLOSE (1u << 26)

// The game: two ships that drift on a torus, pushed by their players -----------------------------

typedef struct ship_state {
    uint32_t x, y, speed_x, speed_y;
} ship_state;

typedef struct world_state {
    ship_state ships[MACHINES];
    uint32_t ticks_close; ///< ticks in which the ships were close
} world_state;

static const bks_field fields[] = {
    {.name = "push_x", .bits = 4, .is_signed = true},
    {.name = "push_y", .bits = 4, .is_signed = true},
};

static void world_init(world_state *world, uint64_t seed)
{
    memset(world, 0, sizeof(*world));
    world->ships[1].x = (uint32_t)seed;
}

static void world_step(world_state *world, const int32_t *inputs)
{
    for (size_t i = 0; i < MACHINES; i++) {
        ship_state *ship = &world->ships[i];
        ship->speed_x += (uint32_t)inputs[2 * i] << 16;
        ship->speed_y += (uint32_t)inputs[2 * i + 1] << 16;
        ship->x += ship->speed_x;
        ship->y += ship->speed_y;
    }
    uint32_t apart_x = world->ships[0].x - world->ships[1].x + CLOSE;
    uint32_t apart_y = world->ships[0].y - world->ships[1].y + CLOSE;
    world->ticks_close += apart_x < 2 * CLOSE && apart_y < 2 * CLOSE;
}

/// Hash the numbers with FNV-1a, not the bytes, so that the hash is the same on every machine.
static uint64_t world_hash(const world_state *world)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const uint32_t *numbers = &world->ships[0].x;
    for (size_t i = 0; i < sizeof(*world) / sizeof(*numbers); i++) {
        hash = (hash ^ numbers[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

// The network: packets on their way, on virtual time ----------------------------------------------

typedef struct flying_packet {
    uint64_t arrives_ns; ///< 0: the slot is free
    uint8_t from, to;
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} flying_packet;

static flying_packet network[PACKETS_MAX];

static uint32_t chance(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

static void network_send(uint8_t from, uint8_t to, const void *bytes, size_t count, uint64_t now_ns)
{
    if (chance() % 10 == 0) {
        return; // the packet is lost
    }
    for (int i = 0; i < PACKETS_MAX; i++) {
        flying_packet *packet = &network[i];
        if (packet->arrives_ns == 0) {
            packet->arrives_ns = now_ns + (40 + chance() % 20) * MS_NS;
            packet->from = from;
            packet->to = to;
            packet->count = count;
            memcpy(packet->bytes, bytes, count);
            return;
        }
    }
}

// A machine ---------------------------------------------------------------------------------------

typedef struct engine {
    uint8_t number;
    bks_session *session;
    world_state world;
    world_state snapshots[BKS_SLOTS_MAX];
    uint64_t steps; ///< steps so far, resimulated ones too
} engine;

/// Return the address of a machine. An address is any bytes that identify it; one byte is enough
/// here.
static bks_address address_of(uint8_t number)
{
    return (bks_address){.length = 1, .bytes = {number}};
}

static bool machine_create(engine *machine, uint8_t number)
{
    bks_session_config config = bks_session_config_default();
    config.game_name = "ships";
    config.fields = fields;
    config.field_count = 2;
    config.is_host = number == 0;
    config.host = address_of(0);
    config.nonce = number;
    // Secrets: the match's key, which is the same on all machines; this machine's identity; and
    // entropy for its handshakes. Fill the last two with getrandom() or similar. Constants are
    // enough here, because the two machines share a process.
    memset(config.key, 1, sizeof(config.key));
    memset(config.identity, 10 + number, sizeof(config.identity));
    memset(config.entropy, 20 + number, sizeof(config.entropy));
    config.seed = 7;
    config.ticks = TICKS;

    bks_error error;
    machine->number = number;
    if (bks_session_create(&config, &machine->session, &error) != BKS_OK) {
        fprintf(stderr, "pull: %s\n", error.text);
        return false;
    }
    return true;
}

// End the program if a call failed that can only fail by a mistake in this program.
static void must(bks_status status)
{
    if (status != BKS_OK) {
        fprintf(stderr, "%s\n", bks_status_text(status));
        exit(1);
    }
}

/// Carry out an operation that the session asks for, on the engine's own state. It is the heart of
/// an engine.
static void carry_out(engine *machine, const bks_op *op)
{
    bks_op_result result = {0};
    int32_t input[2];
    switch (op->kind) {
    case BKS_OP_START:
        world_init(&machine->world, op->seed);
        break;
    case BKS_OP_SAMPLE: // read a device here
        input[0] = op->tick / 20 % 5 - 2;
        input[1] = op->tick / (30 + 7 * (int32_t)op->player) % 3 - 1;
        result.input = input;
        break;
    case BKS_OP_SAVE:
        machine->snapshots[op->slot] = machine->world;
        break;
    case BKS_OP_LOAD:
        machine->world = machine->snapshots[op->slot];
        break;
    case BKS_OP_STEP:
        world_step(&machine->world, op->inputs);
        machine->steps++;
        break;
    case BKS_OP_HASH:
        result.hash = world_hash(&machine->world);
        break;
    case BKS_OP_RANGES: // hash the parts that `ranges` names, if machines begin with different
                        // states
        break;
    case BKS_OP_PREDICT: // only with custom_prediction
        break;
    case BKS_OP_PARTS: // only if HASH keeps states, and they differ
    case BKS_OP_READ:
    case BKS_OP_NAME:
        break;
    case BKS_OP_WRITE: // only with BKS_ON_DESYNC_RESYNC, if HASH keeps states
    case BKS_OP_RESTORE:
    case BKS_OP_CHECK:
        break;
    }
    must(bks_session_done(machine->session, op, &result));
}

static void machine_update(engine *machine, uint64_t now_ns)
{
    for (int i = 0; i < PACKETS_MAX; i++) {
        flying_packet *packet = &network[i];
        if (packet->arrives_ns != 0 && packet->arrives_ns <= now_ns &&
            packet->to == machine->number) {
            bks_address from = address_of(packet->from);
            (void)bks_session_receive(machine->session, now_ns, &from, packet->bytes,
                                      packet->count);
            packet->arrives_ns = 0;
        }
    }

    must(bks_session_update(machine->session, now_ns));
    bks_op op;
    while (bks_session_next(machine->session, &op)) {
        carry_out(machine, &op);
    }

    bks_address to;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    size_t count;
    while ((count = bks_session_send(machine->session, &to, bytes, sizeof(bytes))) > 0) {
        network_send(machine->number, to.bytes[0], bytes, count, now_ns);
    }
}

// ------------------------------------------------------------------------------------------------

static bool both_ended(const engine machines[MACHINES])
{
    return bks_session_phase(machines[0].session) == BKS_PHASE_ENDED &&
           bks_session_phase(machines[1].session) == BKS_PHASE_ENDED;
}

int main(void)
{
    static engine machines[MACHINES];
    if (!machine_create(&machines[0], 0) || !machine_create(&machines[1], 1)) {
        return 1;
    }
    uint64_t end_ns = 60000 * MS_NS;
    for (uint64_t now_ns = MS_NS; now_ns < end_ns && !both_ended(machines); now_ns += MS_NS) {
        machine_update(&machines[0], now_ns);
        machine_update(&machines[1], now_ns);
    }

    uint64_t hashes[MACHINES] = {0, 1};
    for (int i = 0; i < MACHINES; i++) {
        bool is_known = bks_session_hash(machines[i].session, TICKS, &hashes[i]) == BKS_OK;
        printf("machine %d: %d ticks in %" PRIu64 " steps, close for %u, final hash %016" PRIx64
               "%s\n",
               i, (int)bks_session_tick(machines[i].session), machines[i].steps,
               (unsigned)machines[i].world.ticks_close, hashes[i], is_known ? "" : " (unknown)");
        bks_session_destroy(machines[i].session);
    }
    printf(hashes[0] == hashes[1] ? "both are equal\n" : "they differ\n");
    return hashes[0] == hashes[1] ? 0 : 1;
}
