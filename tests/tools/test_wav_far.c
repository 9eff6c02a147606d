// SPDX-License-Identifier: MIT

// What `--wav` writes of a match at 100 ms, beside the same match without a network. The same cues
// and voices go into four sound files. One is that of duel. In the others the sounds are: how far
// each sound steps from sample to sample, which gives what the sounds themselves have at a frame;
// a plain 1/64 for a second for each cue, which counts those that are heard; and a single 1/64 at
// the beginning of each shot, which shows the frame of its onset.

#include <math.h>
#include <stdlib.h>

#include "lab/some_lab.h"

#include "backstitch/toolkit/runner.h"
#include "base/mutant.h"
#include "base/tool.h"
#include "cli.h"
#include "duel/duel.h"
#include "duel/duel_sounds.h"
#include "duel/duel_state.h"
#include "lab/long_recording.h"
#include "sound/game_sound.h"
#include "sound/sound_file.h"

enum {
    TICKS = 1500,
    FRAMES = 800,    ///< of a tick
    COUNTED = 48000, ///< frames
    FADED = 2400,    ///< 50 ms
    LATE_TICKS = 20, ///< that a shot may begin late, the window
    FULL = 32767,    ///< a sample of 1 in the file
};

/// What fades add to the steps of sounds, all of them: a fade of one is 1/960 of it. And what
/// rounding to 16 bits does: half a unit for each end of the step and for the sounds' own.
static const float FADES = 2.0f / 960.0f + 1.5f / (float)FULL;

enum { REAL, STEPS, COUNTS, ONSETS, FILES };

// ---- sounds ----

/// Those of duel, made once.
static float *made[DUEL_SOUNDS];

static int set_up(void **state)
{
    for (uint32_t i = 0; i < DUEL_SOUNDS; i++) {
        made[i] = calloc(duel_sound_frames[i], sizeof(*made[i]));
        assert_non_null(made[i]);
        duel_sound_make(i, made[i]);
    }
    return cli_setup(state);
}

static int tear_down(void **state)
{
    for (uint32_t i = 0; i < DUEL_SOUNDS; i++) {
        free(made[i]);
    }
    return cli_teardown(state);
}

static void copy_sound(uint32_t sound, float *samples)
{
    memcpy(samples, made[sound], duel_sound_frames[sound] * sizeof(*samples));
}

static bool is_shot(uint32_t id)
{
    return id == DUEL_CUE_SHOT || id == DUEL_CUE_VOLLEY;
}

/// The larger of a sample's steps from the one before and to the next; around them is silence, or,
/// of a loop, it again.
static void make_steps(uint32_t sound, float *steps)
{
    const uint32_t last = duel_sound_frames[sound] - 1;
    const bool is_loop = sound >= DUEL_SOUND_CALM && sound <= DUEL_SOUND_FLIPS;
    const float *s = made[sound];
    for (uint32_t i = 0; i <= last; i++) {
        const float before = i > 0 ? s[i - 1] : is_loop ? s[last] : 0.0f;
        const float after = i < last ? s[i + 1] : is_loop ? s[0] : 0.0f;
        steps[i] = fmaxf(fabsf(s[i] - before), fabsf(after - s[i]));
    }
}

static void make_count(uint32_t sound, float *samples)
{
    for (uint32_t i = 0; i < COUNTED; i++) {
        samples[i] = sound < DUEL_CUES ? 1.0f / 64.0f : 0.0f;
    }
}

static void make_onset(uint32_t sound, float *samples)
{
    memset(samples, 0, duel_sound_frames[sound] * sizeof(*samples));
    samples[0] = is_shot(sound) ? 1.0f / 64.0f : 0.0f;
}

/// Where it is heard changes no count.
static bool hear_in_the_middle(const void *state, const bks_cue_event *event, bks_cue_sound *out)
{
    const bool is_heard = duel_hear(state, event, out);
    out->pan = 0.0f;
    return is_heard;
}

static bool hear_from_its_beginning(const void *state, const bks_cue_event *event,
                                    bks_cue_sound *out)
{
    const bool is_heard = hear_in_the_middle(state, event, out);
    out->is_inside = false;
    return is_heard;
}

static bks_plugin plugin_of(uint32_t file)
{
    static uint32_t counted[DUEL_SOUNDS];
    for (uint32_t i = 0; i < DUEL_SOUNDS; i++) {
        counted[i] = COUNTED;
    }
    bks_plugin plugin = {.abi = BKS_PLUGIN_ABI,
                         .game = &duel_game,
                         .sound_frames = duel_sound_frames,
                         .sound_count = DUEL_SOUNDS,
                         .make_sound = copy_sound,
                         .hear = duel_hear,
                         .voices = duel_voices,
                         .voice_count = DUEL_VOICES};
    if (file == STEPS) {
        plugin.make_sound = make_steps;
    } else if (file == COUNTS) {
        plugin.sound_frames = counted;
        plugin.make_sound = make_count;
        plugin.hear = hear_from_its_beginning;
        plugin.voices = NULL;
    } else if (file == ONSETS) {
        plugin.make_sound = make_onset;
        plugin.hear = hear_in_the_middle;
        plugin.voices = NULL;
    }
    return plugin;
}

// ---- ears ----

/// One that was started.
typedef struct heard_cue {
    uint64_t serial;
    uint32_t id;
    uint64_t key;
    uint32_t from;  ///< frame
    uint32_t until; ///< frame: it has ended, or was cancelled
    bool is_cancelled;
} heard_cue;

enum { CUES_MAX = 4096 };

/// What one player hears, all of it.
typedef struct ears {
    bks_lab *lab;
    bks_plugin plugins[FILES];
    char paths[FILES][4200];
    sound_file *files[FILES];
    int16_t *out[FILES]; ///< both sides in turn, as the files have them
    uint32_t frames;     ///< so far
    uint32_t count;
    heard_cue cues[CUES_MAX];
} ears;

static ears *open_ears(const char *name)
{
    ears *e = calloc(1, sizeof(*e));
    assert_non_null(e);
    for (uint32_t i = 0; i < FILES; i++) {
        e->plugins[i] = plugin_of(i);
        (void)snprintf(e->paths[i], sizeof(e->paths[i]), "%s/%s-%u.wav", cli_folder(), name, i);
        assert_int_equal(
            sound_file_open(&e->plugins[i], duel_game.tick_rate_hz, 0, e->paths[i], &e->files[i]),
            TOOL_OK);
    }
    return e;
}

/// The files are complete: read them.
static void read_files(ears *e)
{
    enum { HEAD_BYTES = 44 };
    for (uint32_t i = 0; i < FILES; i++) {
        assert_int_equal(sound_file_close(e->files[i]), TOOL_OK);
        FILE *file = fopen(e->paths[i], "rb");
        assert_non_null(file);
        const size_t bytes = 4 * (size_t)e->frames;
        uint8_t *read = malloc(bytes + 1);
        e->out[i] = malloc(bytes);
        assert_true(read != NULL && e->out[i] != NULL);
        assert_int_equal(fseek(file, HEAD_BYTES, SEEK_SET), 0);
        assert_int_equal(fread(read, 1, bytes + 1, file), bytes);
        assert_int_equal(fclose(file), 0);
        for (size_t k = 0; k < bytes / 2; k++) {
            e->out[i][k] = (int16_t)(read[2 * k] | read[2 * k + 1] << 8);
        }
        free(read);
    }
}

static void close_ears(ears *e)
{
    for (uint32_t i = 0; i < FILES; i++) {
        free(e->out[i]);
    }
    free(e);
}

/// The frame from which on an event is heard: the tick in which it became known.
static uint32_t heard_from(const ears *e, const bks_cue_event *event)
{
    const uint32_t known = ((uint32_t)event->tick + event->late_ticks) * FRAMES;
    return known > e->frames ? known : e->frames;
}

static void note(ears *e, const bks_cue_event *event)
{
    const uint32_t from = heard_from(e, event);
    if (event->kind == BKS_CUE_STARTED) {
        assert_true(e->count < CUES_MAX);
        e->cues[e->count++] = (heard_cue){.serial = event->serial,
                                          .id = event->id,
                                          .key = event->key,
                                          .from = from,
                                          .until = from + COUNTED};
    }
    for (uint32_t i = 0; event->kind == BKS_CUE_CANCELLED && i < e->count; i++) {
        if (e->cues[i].serial == event->serial && from < e->cues[i].until) {
            e->cues[i].until = from;
            e->cues[i].is_cancelled = true;
        }
    }
}

static void hear_cue(ears *e, const void *state, const bks_cue_event *event)
{
    note(e, event);
    for (uint32_t i = 0; i < FILES; i++) {
        sound_file_cue(e->files[i], state, event);
    }
}

/// A match has come to a tick.
static void hear_until(ears *e, const void *state, bks_tick present)
{
    for (uint32_t i = 0; i < FILES; i++) {
        sound_file_advance(e->files[i], state, present);
    }
    e->frames = (uint32_t)present * FRAMES;
}

// ---- matches ----

static void hear_peer(void *context, uint32_t peer, const bks_cue_event *event)
{
    ears *e = context;
    bks_peer *first = peer == 0 ? bks_lab_peer(e->lab, 0) : NULL;
    if (first == NULL || !bks_peer_started(first)) {
        return;
    }
    if (event != NULL) {
        hear_cue(e, bks_peer_state(first), event);
    } else {
        hear_until(e, bks_peer_state(first), bks_session_tick(bks_peer_session(first)));
    }
}

/// A match of two bots at 100 ms, as the first hears it.
static ears *play(uint64_t seed, long_recording *recording)
{
    static bks_bot bots[2];
    ears *e = open_ears("far");
    bks_lab_config config = bks_lab_config_default();
    config.game = &duel_game;
    config.seed = seed;
    config.ticks = TICKS;
    config.cues_per_tick = GAME_SOUND_CUES_PER_TICK;
    config.cue = hear_peer;
    config.cue_context = e;
    config.records[0] = (bks_sink){.write = long_record, .context = recording};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(bks_bot_init(&bots[i], &duel_game, NULL), BKS_OK);
        config.sources[i] = bks_bot_source(&bots[i]);
    }
    assert_int_equal(bks_lab_create(&config, &e->lab, NULL), BKS_OK);
    assert_int_equal(bks_lab_link(e->lab, "delay=100ms,jitter=10ms", NULL), BKS_OK);
    while (bks_lab_advance(e->lab, bks_lab_now(e->lab) + SOME_SECOND_NS)) {
    }
    bks_lab_destroy(e->lab);
    read_files(e);
    return e;
}

/// The same inputs, stepped once.
static ears *play_straight(const long_recording *recording)
{
    ears *e = open_ears("straight");
    long_playback p = long_recording_play(recording, &duel_game, GAME_SOUND_CUES_PER_TICK);
    bks_playback *playback = p.playback;
    while (bks_playback_step(playback) == BKS_OK) {
        for (bks_cue_event event; bks_playback_cue(playback, &event);) {
            hear_cue(e, bks_playback_state(playback), &event);
        }
        hear_until(e, bks_playback_state(playback), bks_playback_tick(playback));
    }
    long_recording_end(&p);
    read_files(e);
    return e;
}

// ---- what must hold ----

/// The most that a step from frame to frame is larger than all that the sounds have there.
static float largest_excess(const ears *e)
{
    int32_t most = -FULL;
    for (uint32_t i = 2; i < 2 * e->frames; i++) {
        const int32_t step = abs(e->out[REAL][i] - e->out[REAL][i - 2]);
        const int32_t now = e->out[STEPS][i];
        const int32_t before = e->out[STEPS][i - 2];
        const int32_t excess = step - (now > before ? now : before);
        most = excess > most ? excess : most;
    }
    return (float)most / (float)FULL;
}

/// How many sounds of 1/64 are heard in a frame; -1: one that fades among them.
static int32_t heard_at(const int16_t *out, uint32_t frame)
{
    const float heard = (float)out[2 * (size_t)frame] * 64.0f / (float)FULL;
    const float whole = roundf(heard);
    return fabsf(heard - whole) < 0.01f ? (int32_t)whole : -1;
}

static bool is_fading(const ears *e, uint32_t frame)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const heard_cue *one = &e->cues[i];
        if (one->is_cancelled && frame >= one->until && frame < one->until + FADED) {
            return true;
        }
    }
    return false;
}

/// Frames in which another number of cues is heard than there is, but for 50 ms after one was
/// cancelled. Looked at are the first and the last frame between two ticks.
static uint32_t wrong_counts(const ears *e)
{
    uint32_t wrong = 0;
    for (uint32_t frame = 0; frame < e->frames; frame += frame % FRAMES == 0 ? FRAMES - 1 : 1) {
        int32_t live = 0;
        for (uint32_t i = 0; i < e->count; i++) {
            live += frame >= e->cues[i].from && frame < e->cues[i].until ? 1 : 0;
        }
        wrong += heard_at(e->out[COUNTS], frame) != live && !is_fading(e, frame) ? 1 : 0;
    }
    return wrong;
}

/// Whether as many shots begin in its frame as were started there.
static bool has_onset(const ears *e, const heard_cue *shot)
{
    int32_t begin = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        begin += is_shot(e->cues[i].id) && e->cues[i].from == shot->from ? 1 : 0;
    }
    return heard_at(e->out[ONSETS], shot->from) == begin;
}

static bool is_same(const heard_cue *straight, const heard_cue *one)
{
    return one->id == straight->id && one->key == straight->key && !one->is_cancelled &&
           one->from + BKS_CUE_MOVES_TICKS * FRAMES >= straight->from &&
           one->from <= straight->from + LATE_TICKS * FRAMES;
}

/// What begins in the last half second may not have been known.
static bool is_known_in_time(const heard_cue *one)
{
    return one->from <= (TICKS - 30) * FRAMES;
}

/// Shots of the straight match whose onset is not in the file of the other.
static uint32_t missing_shots(const ears *straight, const ears *far)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < straight->count; i++) {
        const heard_cue *shot = &straight->cues[i];
        bool is_there = !is_shot(shot->id) || !is_known_in_time(shot);
        for (uint32_t k = 0; k < far->count && !is_there; k++) {
            is_there = is_same(shot, &far->cues[k]) && has_onset(far, &far->cues[k]);
        }
        missing += is_there ? 0 : 1;
    }
    return missing;
}

/// Cues that sound to their end and that the straight match has not.
static uint32_t wrong_cues(const ears *straight, const ears *far)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < far->count; i++) {
        const heard_cue *cue = &far->cues[i];
        bool is_right = cue->is_cancelled || !is_known_in_time(cue);
        for (uint32_t k = 0; k < straight->count && !is_right; k++) {
            is_right = is_same(&straight->cues[k], cue);
        }
        wrong += is_right ? 0 : 1;
    }
    return wrong;
}

static uint32_t count_cancelled(const ears *e)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        count += e->cues[i].is_cancelled ? 1 : 0;
    }
    return count;
}

static void a_match_at_100_ms_sounds_as_the_same_without_a_network(void **state)
{
    (void)state;
    uint32_t cancelled = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        long_recording recording = {0};
        ears *far = play(seed, &recording);
        ears *straight = play_straight(&recording);
        print_message("seed %d: %u cues at 100 ms, %u of them wrong, %u straight; the largest step "
                      "above the sounds' own is %.5f and %.5f\n",
                      (int)seed, far->count, count_cancelled(far), straight->count,
                      (double)largest_excess(far), (double)largest_excess(straight));
        assert_int_equal(far->frames, straight->frames);
        assert_true(straight->count > 50);
        cancelled += count_cancelled(far);
        assert_true(largest_excess(far) <= FADES);
        assert_true(largest_excess(straight) <= FADES);
        assert_int_equal(wrong_counts(far), 0);
        assert_int_equal(wrong_counts(straight), 0);
        assert_int_equal(missing_shots(straight, far), 0);
        assert_int_equal(wrong_cues(straight, far), 0);
        close_ears(far);
        close_ears(straight);
        free(recording.bytes);
    }
    assert_true(cancelled > 0);
}

/// What is judged above is what a user gets.
static void bks_lab_writes_the_same_file(void **state)
{
    (void)state;
    long_recording recording = {0};
    ears *far = play(1, &recording);
    cli_expect_status(cli("lab duel --seed 1 --ticks 1500 --input '*=bot' "
                          "--link delay=100ms,jitter=10ms --wav lab.wav"),
                      TOOL_OK);
    assert_int_equal(system("cmp far-0.wav lab.wav"), 0);
    close_ears(far);
    free(recording.bytes);
}

/// Which of the four claims a planted fault breaks.
typedef struct plant {
    bksi_mutant mutant;
    bool clicks;
    bool counts;
    bool misses;
    bool is_wrong;
} plant;

static void each_planted_fault_breaks_the_claim_that_it_should(void **state)
{
    (void)state;
    static const plant plants[] = {
        {BKSI_MUTANT_MIX_CUTS_IN, .clicks = true},
        {BKSI_MUTANT_MIX_CUTS_OFF, .clicks = true},
        {BKSI_MUTANT_MIX_RINGS_ON, .counts = true},
        {BKSI_MUTANT_MIX_LATE_IS_LOST, .counts = true, .misses = true},
        {BKSI_MUTANT_MIX_LATE_IS_INSIDE, .counts = true, .misses = true},
        {BKSI_MUTANT_CUE_RINGS, .is_wrong = true},
    };
    long_recording right = {0};
    close_ears(play(4, &right));
    ears *straight = play_straight(&right);
    for (uint32_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++) {
        long_recording recording = {0};
        (void)bksi_mutant_set(plants[i].mutant);
        ears *far = play(4, &recording);
        (void)bksi_mutant_set(BKSI_MUTANT_NONE);
        print_message("mutant %d: step %.5f, %u wrong counts, %u shots missing, %u wrong cues\n",
                      (int)plants[i].mutant, (double)largest_excess(far), wrong_counts(far),
                      missing_shots(straight, far), wrong_cues(straight, far));
        assert_int_equal(largest_excess(far) > FADES, plants[i].clicks);
        assert_int_equal(wrong_counts(far) > 0, plants[i].counts);
        assert_int_equal(missing_shots(straight, far) > 0, plants[i].misses);
        assert_int_equal(wrong_cues(straight, far) > 0, plants[i].is_wrong);
        close_ears(far);
        free(recording.bytes);
    }
    close_ears(straight);
    free(right.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_at_100_ms_sounds_as_the_same_without_a_network),
        cmocka_unit_test(bks_lab_writes_the_same_file),
        cmocka_unit_test(each_planted_fault_breaks_the_claim_that_it_should),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
