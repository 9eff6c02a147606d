// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "record/recording/verify_parts.h"

#include <pthread.h>
#include <stdatomic.h>

#include "backstitch/toolkit/recording.h"
#include "base/crash.h"
#include "base/tool.h"

// Use more parts than threads, so that the wait for the last thread is short.
enum { PARTS_PER_THREAD = 4, PARTS_MAX = 256 };

typedef struct one_part {
    struct all_parts *all;
    uint32_t index;
    bks_verify_part part;
    /// Tick of the first report of progress about this part; BKS_TICK_NONE: none yet.
    bks_tick begun;
    bks_tick done; ///< ticks of this part that are counted in all->done
    bks_status status;
    bks_verify_result result;
    bks_error error;
} one_part;

typedef struct all_parts {
    const verify_job *job;
    one_part parts[PARTS_MAX];
    uint32_t count;
    atomic_uint next;   ///< index of the next part that a thread takes
    atomic_uint failed; ///< index of the first part known to be wrong; later parts are not verified
    atomic_int done;    ///< number of verified ticks in all parts
    pthread_mutex_t lock; ///< protects the progress bar
} all_parts;

static bool show(void *context, bks_tick done, bks_tick last)
{
    (void)last;
    one_part *p = context;
    if (p->begun == BKS_TICK_NONE) {
        p->begun = done;
    }
    const bks_tick ticks = done - p->begun;
    const int sum = atomic_fetch_add(&p->all->done, ticks - p->done) + ticks - p->done;
    p->done = ticks;
    if (p->all->job->bar != NULL && pthread_mutex_trylock(&p->all->lock) == 0) {
        progress_show(p->all->job->bar, (uint64_t)sum);
        pthread_mutex_unlock(&p->all->lock);
    }
    return p->index <= atomic_load(&p->all->failed);
}

static void verify_one(one_part *p, bks_replay *replay)
{
    const bks_playback_config config = {.replay = replay, .game = p->all->job->game};
    p->status = bks_replay_verify(&config, &p->part, &p->result, &p->error);
    if (p->status == BKS_OK || p->status == BKS_OVER) {
        return;
    }
    tool_log_drop(); // sum_up() passes the error to the caller
    unsigned first = atomic_load(&p->all->failed);
    while (p->index < first && !atomic_compare_exchange_weak(&p->all->failed, &first, p->index)) {
    }
}

static void *verify_some(void *context)
{
    all_parts *all = context;
    bks_replay *replay = NULL;
    crash_game(all->job->game_name);
    crash_recording(all->job->path);
    for (;;) {
        const uint32_t index = atomic_fetch_add(&all->next, 1);
        if (index >= all->count || index > atomic_load(&all->failed)) {
            break;
        }
        one_part *p = &all->parts[index];
        if (replay == NULL) {
            p->status = bks_replay_open(all->job->bytes, all->job->count, NULL, &replay, &p->error);
        }
        if (replay != NULL) {
            verify_one(p, replay);
        }
    }
    bks_replay_close(replay);
    return NULL;
}

/// Divide the recording into parts, and choose those that have ticks to verify.
static void choose_parts(all_parts *all)
{
    const verify_job *job = all->job;
    const bks_playback_config config = {.replay = job->replay, .game = job->game};
    const uint32_t wanted = job->threads * PARTS_PER_THREAD;
    bks_tick untils[PARTS_MAX];
    const uint32_t count =
        bks_replay_split(&config, wanted < PARTS_MAX ? wanted : PARTS_MAX, untils);
    for (uint32_t i = 0; i < count; i++) {
        bks_verify_part part = {.from = i > 0 ? untils[i - 1] + 1 : 0, .until = untils[i]};
        if (part.until < job->from || (job->until != 0 && part.from > job->until)) {
            continue;
        }
        part.from = part.from > job->from ? part.from : job->from;
        part.until = job->until != 0 && job->until < part.until ? job->until : part.until;
        one_part *p = &all->parts[all->count];
        *p = (one_part){.all = all, .index = all->count++, .part = part, .begun = BKS_TICK_NONE};
        p->part.progress = show;
        p->part.context = p;
    }
}

static void verify_all(all_parts *all)
{
    pthread_t others[VERIFY_THREADS_MAX];
    uint32_t running = 0;
    while (running + 1 < all->job->threads && running + 1 < all->count &&
           pthread_create(&others[running], NULL, verify_some, all) == 0) {
        running++;
    }
    (void)verify_some(all);
    for (uint32_t i = 0; i < running; i++) {
        (void)pthread_join(others[i], NULL);
    }
}

/// Add up the results of the parts, up to and including the first part that is wrong.
static bks_status sum_up(const all_parts *all, bks_verify_result *result, bks_error *error)
{
    *result = (bks_verify_result){.is_same = true, .first_different = BKS_TICK_NONE};
    for (uint32_t i = 0; i < all->count; i++) {
        const one_part *p = &all->parts[i];
        const bks_verify_result before = *result;
        *result = p->result;
        result->stepped += before.stepped;
        result->compared += before.compared;
        result->keyframes += before.keyframes;
        result->repaired += before.repaired;
        result->repeated += before.repeated;
        if (p->status != BKS_OK) {
            *error = p->error;
            return p->status;
        }
    }
    return BKS_OK;
}

/// Verify the whole file on this thread.
static bks_status verify_whole(const verify_job *job, bks_verify_result *result, bks_error *error)
{
    all_parts all = {
        .job = job, .count = 1, .failed = PARTS_MAX, .lock = PTHREAD_MUTEX_INITIALIZER};
    one_part *p = &all.parts[0];
    *p = (one_part){.all = &all, .part = {job->from, job->until, show, p}, .begun = BKS_TICK_NONE};
    verify_one(p, job->replay);
    *result = p->result;
    *error = p->error;
    return p->status;
}

bks_status verify_parts(const verify_job *job, bks_verify_result *result, bks_error *error)
{
    all_parts all = {.job = job, .failed = PARTS_MAX, .lock = PTHREAD_MUTEX_INITIALIZER};
    if (job->threads > 1) {
        choose_parts(&all);
    }
    if (all.count < 2) {
        return verify_whole(job, result, error);
    }
    verify_all(&all);
    const bks_status status = sum_up(&all, result, error);
    // If a part is damaged, verify again on one thread: more ticks may follow after the damage.
    return status == BKS_ERR_DAMAGED ? verify_whole(job, result, error) : status;
}
