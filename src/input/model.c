// SPDX-License-Identifier: MIT

// An input is coded as a sequence of decisions: whether anything has changed, which groups, which
// fields, whether a field is neutral again, up or down, by how much. Each decision is coded in two
// or three contexts: numbers that sum up the player's situation. The chances learnt in these
// contexts are added as logarithms of odds, each with a weight that is learnt too.

#include "input/model.h"

#include <string.h>

#include "base/bits.h"
#include "base/report.h"
#include "input/codec.h"

/// Age of a change, in ticks, from which on all ages count alike. The count of ticks starts at this
/// number and a change that never happened has number 0, so it has this age or more.
#define LONG_AGO 256u

/// Limits of the number of chances in a model: at least CHANCES_A_BIT for each bit of an input, at
/// most 2^CHANCE_BITS_MAX.
#define CHANCES_A_BIT   64u
#define CHANCE_BITS_MAX 14u

/// Greatest count of a chance. Beyond it all decisions change the chance at the same rate.
#define SEEN_MAX 31u

/// Initial weight and greatest weight, in 1/65536, and the rate at which weights are learnt.
#define WEIGHT_START 20000
#define WEIGHT_MAX   (1 << 20)
#define WEIGHT_PACE  (1 << 14)

/// Limit of odds (base-2 logarithms in units of 1/256): a chance is at most 2^11 times its
/// opposite.
#define ODDS_MAX (11 * 256)

/// Number of bits of a change's size that are coded in a context, from the second highest bit on.
/// The bits below are coded with even chances.
#define STEP_BITS_LEARNT 8u

// Index of the first set of weights for each kind of decision.
enum {
    WEIGHTS_INPUT = 0, // 16 sets of weights, one for each class of the newest change's age
    // 2 sets of weights: one if no earlier group of the input changed, one if some did.
    WEIGHTS_GROUP = 16,
    WEIGHTS_FIELD = 18, // 3 sets of weights: for NODE_CHANGED, NODE_NEUTRAL and NODE_DOWN
    WEIGHTS_SIZE = 21,  // 11 sets of weights, by the bit length of a change's size
    WEIGHTS_STEP = 32,  // 8 sets of weights, by the place of the bit in a change's size
};
#define WEIGHTS_SIZE_COUNT (WEIGHTS_STEP - WEIGHTS_SIZE)
_Static_assert(WEIGHTS_STEP + STEP_BITS_LEARNT == BKSI_MODEL_WEIGHT_SETS, "each set has a place");

// First number of each kind of context. Contexts of two kinds never have the same number.
enum {
    OF_INPUT = 1, // first of 2 context numbers for the input
    OF_GROUP = 3, // first of 2 context numbers for a group
    OF_FIELD = 5, // first of 3 context numbers for each field
};

// Numbers of the decisions that code a field.
enum {
    NODE_CHANGED = 0,
    NODE_NEUTRAL = 1,
    NODE_DOWN = 2,
    NODE_SIZE = 3,  // first of 64 numbers, by the bit length of the change and its direction
    NODE_STEP = 67, // like NODE_SIZE; combined with the bits of the change that are already coded
};

/// Coding of one input. The model does not change until the input is done.
typedef struct walk {
    const bksi_layout *layout;
    const bksi_model *model;
    bksi_range_encoder *encoder; ///< at most one of encoder and decoder is not NULL
    bksi_range_decoder *decoder;
    bksi_draft *draft;
} walk;

// ---- hashes, and logarithms of chances ----

static uint32_t fold(uint32_t hash, uint32_t number)
{
    hash = (hash ^ number) * 0x9E3779B1u;
    return hash ^ hash >> 15;
}

/// Return the hash with which a context of one kind begins.
static uint32_t begin(uint32_t kind)
{
    return kind * 0x85EBCA6Bu;
}

static uint32_t fold_two(uint32_t hash, uint64_t number)
{
    return fold(fold(hash, (uint32_t)number), (uint32_t)(number >> 32));
}

static uint32_t at_most(uint32_t number, uint32_t most)
{
    return number < most ? number : most;
}

/// Return a coarse measure of a number: its bit length and its sign.
static uint32_t reach_of(int64_t number)
{
    return number < 0 ? bksi_bit_length((uint64_t)-number) * 2 + 1
                      : bksi_bit_length((uint64_t)number) * 2;
}

/// Return a coarse measure of an age in ticks: 0..15.
static uint32_t age_of(uint32_t ticks)
{
    ticks = at_most(ticks, LONG_AGO - 1);
    if (ticks < 2) {
        return ticks;
    }
    const uint32_t highest = bksi_highest_bit(ticks);
    return 2 * highest + (ticks >> (highest - 1) & 1);
}

/// Return 256 times the base-2 logarithm of a number in 1..65535, by straight lines between powers
/// of two.
static int32_t logarithm(uint32_t number)
{
    const uint32_t whole = bksi_highest_bit(number);
    return (int32_t)(whole * 256 + (number << 8 >> whole) - 256);
}

static int32_t odds_of(uint32_t chance)
{
    return logarithm(chance) - logarithm(65536 - chance);
}

#define CHANCE(odds) \
    (uint16_t)(UINT32_MAX / (65536u + ((512u - (odds) % 256u) << 7 >> ((odds) >> 8))) & ~1u)
#define CHANCE_4(odds) CHANCE(odds), CHANCE((odds) + 1), CHANCE((odds) + 2), CHANCE((odds) + 3)
#define CHANCE_16(odds) \
    CHANCE_4(odds), CHANCE_4((odds) + 4), CHANCE_4((odds) + 8), CHANCE_4((odds) + 12)
#define CHANCE_64(odds) \
    CHANCE_16(odds), CHANCE_16((odds) + 16), CHANCE_16((odds) + 32), CHANCE_16((odds) + 48)
#define CHANCE_256(odds) \
    CHANCE_64(odds), CHANCE_64((odds) + 64), CHANCE_64((odds) + 128), CHANCE_64((odds) + 192)

/// Table of chances by odds, from odds 0 on: 65536 / (1 + 2^-odds), by straight lines between
/// powers of two, rounded to even.
static const uint16_t chances[ODDS_MAX + 1] = {
    CHANCE_256(0),    CHANCE_256(256),  CHANCE_256(512),  CHANCE_256(768),
    CHANCE_256(1024), CHANCE_256(1280), CHANCE_256(1536), CHANCE_256(1792),
    CHANCE_256(2048), CHANCE_256(2304), CHANCE_256(2560), CHANCE(2816),
};

/// Convert odds to a chance: 32..65504.
static uint32_t chance_of(int32_t odds)
{
    const uint32_t chance = chances[odds < 0 ? -odds : odds];
    return odds < 0 ? 65536 - chance : chance;
}

// ---- learning chances and weights ----

static bksi_chance chance_from(uint32_t one, uint32_t seen, uint32_t check)
{
    return one << 16 | seen << 8 | check;
}

static uint32_t one_of(bksi_chance chance)
{
    return chance >> 16;
}

static uint32_t seen_of(bksi_chance chance)
{
    return chance >> 8 & 255;
}

/// Return 1 if a chance belongs to the context with this hash, else 0.
static uint32_t is_of(bksi_chance chance, uint32_t hash)
{
    return (uint8_t)chance == (uint8_t)hash;
}

/// Return the chance learnt in a context, or an even chance if none was learnt.
static uint32_t chance_in(const bksi_model *model, uint32_t hash)
{
    const uint32_t place = hash >> model->chance_shift;
    const bksi_chance first = model->chances[place];
    const bksi_chance second = model->chances[place ^ 1];
    const uint32_t other = is_of(second, hash) ? one_of(second) : BKSI_RANGE_EVEN;
    return is_of(first, hash) ? one_of(first) : other;
}

#define RATE(seen)    (uint16_t)(65536u / ((seen) + 2u))
#define RATE_4(seen)  RATE(seen), RATE((seen) + 1), RATE((seen) + 2), RATE((seen) + 3)
#define RATE_16(seen) RATE_4(seen), RATE_4((seen) + 4), RATE_4((seen) + 8), RATE_4((seen) + 12)

/// Learning rate of a chance in 1/65536, by how often the chance was met: the share of its error by
/// which it is corrected.
static const uint16_t rates[SEEN_MAX + 1] = {RATE_16(0), RATE_16(16)};

/// Learn a chance. A context may use one of two words; if it uses neither yet, it takes the word
/// whose chance has the lower count.
static void learn_chance(bksi_model *model, uint32_t hash, uint32_t bit)
{
    // Choose between the two words without branches, because branches would be mispredicted.
    const uint32_t place = hash >> model->chance_shift;
    const bksi_chance first = model->chances[place];
    const bksi_chance second = model->chances[place ^ 1];
    const uint32_t is_second = is_of(second, hash) | (seen_of(second) < seen_of(first));
    bksi_chance *chance = &model->chances[place ^ (is_second & ~is_of(first, hash))];
    const bksi_chance fresh = chance_from(BKSI_RANGE_EVEN, 0, (uint8_t)hash);
    const bksi_chance was = is_of(*chance, hash) ? *chance : fresh;
    const uint32_t away = bit != 0 ? 65536 - one_of(was) : one_of(was);
    const uint32_t step = away * rates[seen_of(was)] >> 16;
    const uint32_t one = bit != 0 ? one_of(was) + step : one_of(was) - step;
    *chance = chance_from(one, seen_of(was) + (seen_of(was) < SEEN_MAX), (uint8_t)hash);
}

static void learn_weight(int32_t *weight, int32_t odds, int32_t surprise)
{
    const int32_t learnt = *weight + odds * surprise / WEIGHT_PACE;
    *weight = learnt;
    if (learnt > WEIGHT_MAX || learnt < -WEIGHT_MAX) {
        *weight = learnt < 0 ? -WEIGHT_MAX : WEIGHT_MAX;
    }
}

/// Learn from all decisions of an input.
static void learn(bksi_model *model, const bksi_draft *draft)
{
    for (const bksi_note *n = draft->notes; n < draft->notes + draft->note_count; n++) {
        const uint32_t bit = n->bit;
        const int32_t surprise = (int32_t)(bit << 16) - n->one;
        int32_t *weights = model->weights[n->set];
        for (uint32_t i = 0; i < n->count; i++) {
            learn_weight(&weights[i], n->odds[i], surprise);
            learn_chance(model, n->hashes[i], bit);
        }
    }
}

// ---- coding one decision ----

/// Code a bit whose chance to be a 1 is given.
static inline uint32_t pass_bit(walk *w, uint32_t one, uint32_t bit)
{
    if (w->decoder != NULL) {
        bit = bksi_range_decode(w->decoder, 65536 - one);
    } else if (w->encoder != NULL) {
        bksi_range_encode(w->encoder, 65536 - one, bit);
    }
    w->draft->decisions[w->draft->decision_count++] = (bksi_range_decision)(one | bit);
    return bit;
}

/// Code one decision.
/// @param set  set of weights
/// @param bit  outcome; ignored when decoding
/// @return the outcome
static inline uint32_t decide(walk *w, const uint32_t *contexts, uint32_t count, uint32_t node,
                              uint32_t set, uint32_t bit)
{
    BKS_ASSERT(w->draft->note_count < BKSI_MODEL_DECISIONS_MAX);
    bksi_note *n = &w->draft->notes[w->draft->note_count++];
    const int32_t *weights = w->model->weights[set];
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        n->hashes[i] = fold(contexts[i], node);
        n->odds[i] = (int16_t)odds_of(chance_in(w->model, n->hashes[i]));
        sum += (int64_t)n->odds[i] * weights[i];
    }
    sum /= 65536;
    n->one = (uint16_t)chance_of((int32_t)(sum > ODDS_MAX    ? ODDS_MAX
                                           : sum < -ODDS_MAX ? -ODDS_MAX
                                                             : sum));
    n->bit = (uint8_t)pass_bit(w, n->one, bit);
    n->count = (uint8_t)count;
    n->set = (uint8_t)set;
    return n->bit;
}

// ---- the player's situation ----

static void place_init(bksi_place *place, const bksi_layout *layout)
{
    memcpy(place->packed, layout->neutral, layout->bytes);
    place->tick = LONG_AGO;
}

static void move_field(bksi_place *place, const bksi_layout *layout, const bksi_move *move)
{
    const uint32_t field = move->field;
    const int64_t value = move->value;
    const uint32_t level = fold(begin(field), reach_of(place->field[field].value)) ^
                           fold(begin(field), reach_of(value));
    place->level ^= level;
    place->group[layout->group_of[field]].level ^= level;
    place->field[field].reach_before = place->field[field].reach;
    place->field[field].reach = (uint8_t)reach_of(value - place->field[field].value);
    place->field[field].changed = place->tick;
    place->field[field].value = value;
}

/// Update the player's situation after an input.
static void move_on(bksi_place *place, const bksi_layout *layout, const bksi_draft *draft)
{
    for (uint32_t i = 0; i < draft->move_count; i++) {
        move_field(place, layout, &draft->moves[i]);
    }
    uint64_t groups = draft->groups;
    if (groups != 0) {
        memcpy(place->packed, draft->packed, layout->bytes);
        place->changed = place->tick;
        place->groups = groups;
    }
    for (uint32_t group = 0; groups != 0; group++, groups >>= 1) {
        if ((groups & 1) != 0) {
            place->group[group].changed = place->tick;
        }
    }
    place->tick++;
}

// ---- the decisions that code an input ----

/// Code whether the input has changed since the last tick.
static bool walk_changed(walk *w, bool is_changed)
{
    const bksi_place *place = &w->model->place;
    const uint32_t age = age_of(place->tick - place->changed);
    const uint32_t contexts[2] = {
        fold(fold_two(begin(OF_INPUT), place->groups), age),
        fold(fold(begin(OF_INPUT + 1), place->level), age),
    };
    return decide(w, contexts, 2, 0, WEIGHTS_INPUT + age, is_changed) != 0;
}

/// Code whether a group has changed.
/// @param changed  earlier groups of the input that changed, one bit for each
/// @param others   context_of(`changed`)
static bool walk_group(walk *w, uint32_t group, uint64_t changed, uint32_t others, bool is_changed)
{
    const bksi_place *place = &w->model->place;
    const uint32_t age = age_of(place->tick - place->group[group].changed);
    const uint32_t contexts[2] = {
        fold(fold(begin(OF_GROUP), place->group[group].level), age),
        others,
    };
    return decide(w, contexts, 2, group, WEIGHTS_GROUP + (changed != 0 ? 1 : 0), is_changed) != 0;
}

/// Return a context for coding whether a group has changed: a hash of the earlier groups of the
/// input that changed, of the groups that changed at the last change, and of the ticks since then.
static uint32_t context_of(const bksi_place *place, uint64_t changed)
{
    const uint32_t quiet = at_most(place->tick - place->changed, 4);
    return fold(fold_two(fold_two(begin(OF_GROUP + 1), changed), place->groups), quiet);
}

/// Code the size of a value's change, 1..most: first its bit length, then the bits below the
/// highest.
static uint64_t walk_size(walk *w, const uint32_t contexts[3], bool is_down, uint64_t most,
                          uint64_t size)
{
    const uint32_t wanted = bksi_bit_length(size);
    uint32_t length = 1;
    while (most >> length != 0 &&
           decide(w, contexts, 3, NODE_SIZE + length * 2 + is_down,
                  WEIGHTS_SIZE + at_most(length, WEIGHTS_SIZE_COUNT) - 1, wanted > length) != 0) {
        length++;
    }
    const uint32_t node = NODE_STEP + length * 2 + is_down;
    uint64_t bits = 1;
    for (uint32_t i = 1; i < length; i++) {
        const uint32_t bit = size >> (length - 1 - i) & 1;
        bits = bits << 1 |
               (i <= STEP_BITS_LEARNT ? decide(w, &contexts[2], 1, node << 8 | (uint32_t)bits,
                                               WEIGHTS_STEP + i - 1, bit)
                                      : pass_bit(w, BKSI_RANGE_EVEN, bit));
    }
    return bits;
}

/// Code the value of a changed field.
static int64_t walk_value(walk *w, const uint32_t contexts[3], uint32_t field, int64_t value)
{
    const bks_field *described = &w->layout->fields[field];
    const int64_t was = w->model->place.field[field].value;
    const int64_t span = (INT64_C(1) << described->bits) - 1;
    const int64_t least = (described->is_signed ? -(span / 2) - 1 : 0) - described->neutral;
    const int64_t greatest = least + span;
    const bool can_return = was != 0 && span > 1;
    if (can_return && decide(w, contexts, 3, NODE_NEUTRAL, WEIGHTS_FIELD + 1, value == 0) != 0) {
        return 0;
    }
    bool is_down = was == greatest;
    if (was != least && was != greatest) {
        is_down = decide(w, contexts, 3, NODE_DOWN, WEIGHTS_FIELD + 2, value < was) != 0;
    }
    const uint64_t most = (uint64_t)(is_down ? was - least : greatest - was);
    const uint64_t size = (uint64_t)(is_down ? was - value : value - was);
    const int64_t step = (int64_t)walk_size(w, contexts, is_down, most, size);
    const int64_t now = is_down ? was - step : was + step;
    if (w->decoder != NULL && (now < least || now > greatest || (can_return && now == 0))) {
        w->decoder->failed = true;
        return 0;
    }
    return now;
}

/// Code one field of a changed group.
/// @param changed     one bit for each earlier field of the group, the last field lowest: 1 if it
///                    changed
/// @param is_certain  true if the field must have changed, because it is the last of a changed
///                    group and no other field of the group changed
/// @return true if the field changed
static bool walk_field(walk *w, uint32_t field, uint32_t changed, bool is_certain, int64_t value)
{
    const bksi_place *place = &w->model->place;
    const uint32_t kind = OF_FIELD + field * 3;
    const uint32_t level = reach_of(place->field[field].value);
    const uint32_t reach = place->field[field].reach;
    const uint32_t age = age_of(place->tick - place->field[field].changed);
    const uint32_t contexts[3] = {
        fold(fold(begin(kind), reach << 8 | place->field[field].reach_before), changed),
        fold(fold(begin(kind + 1), level << 16 | reach << 8 | age), changed),
        fold(fold(begin(kind + 2), level), changed),
    };
    const bool is_changed = is_certain || decide(w, contexts, 3, NODE_CHANGED, WEIGHTS_FIELD,
                                                 value != place->field[field].value) != 0;
    if (is_changed) {
        w->draft->moves[w->draft->move_count++] =
            (bksi_move){field, walk_value(w, contexts, field, value)};
    }
    return is_changed;
}

static int64_t less_neutral(const bksi_layout *layout, uint32_t field, const uint8_t *packed)
{
    return (int64_t)bksi_layout_get(layout, field, packed) - layout->fields[field].neutral;
}

/// Code the fields of a changed group.
static void walk_fields(walk *w, uint32_t group, const uint8_t *wanted)
{
    const uint32_t end = w->layout->group_first[group + 1];
    uint32_t changed = 0;
    bool has_changed = false;
    for (uint32_t field = w->layout->group_first[group]; field < end; field++) {
        const bool is_certain = field + 1 == end && !has_changed;
        const int64_t value = wanted != NULL ? less_neutral(w->layout, field, wanted) : 0;
        const bool is_changed = walk_field(w, field, changed, is_certain, value);
        has_changed = has_changed || is_changed;
        changed = changed << 1 | is_changed;
    }
}

/// Code all groups, then the fields of the changed ones.
/// @param wanted  packed input to encode; NULL when decoding
/// @return groups that changed, one bit for each
static uint64_t walk_groups(walk *w, const uint8_t *wanted)
{
    const bksi_layout *layout = w->layout;
    const bksi_place *place = &w->model->place;
    const uint64_t differ = wanted != NULL ? bksi_codec_changed(layout, place->packed, wanted) : 0;
    uint64_t changed = 0;
    uint32_t context = context_of(place, 0);
    for (uint32_t group = 0; group < layout->group_count; group++) {
        const bool is_certain = group + 1 == layout->group_count && changed == 0;
        if (is_certain || walk_group(w, group, changed, context, (differ >> group & 1) != 0)) {
            changed |= UINT64_C(1) << group;
            context = context_of(place, changed);
        }
    }
    uint64_t left = changed;
    for (uint32_t group = 0; left != 0; group++, left >>= 1) {
        if ((left & 1) != 0) {
            walk_fields(w, group, wanted);
        }
    }
    return changed;
}

/// Pack the input once its fields are decided.
static void pack(const walk *w)
{
    const bksi_layout *layout = w->layout;
    bksi_draft *draft = w->draft;
    for (uint32_t i = 0; i < draft->move_count; i++) {
        const uint32_t field = draft->moves[i].field;
        const int64_t value = draft->moves[i].value + layout->fields[field].neutral;
        bksi_layout_set(layout, field, (int32_t)value, draft->packed);
    }
}

/// Code the next input of the player.
/// @param wanted  packed input to encode; NULL when decoding
static void walk_input(walk *w, const uint8_t *wanted)
{
    const uint8_t *newest = w->model->place.packed;
    const uint32_t bytes = w->layout->bytes;
    bksi_draft *draft = w->draft;
    draft->move_count = draft->note_count = draft->decision_count = 0;
    draft->groups = 0;
    memcpy(draft->packed, wanted != NULL ? wanted : newest, bytes);
    if (walk_changed(w, memcmp(newest, draft->packed, bytes) != 0)) {
        draft->groups = walk_groups(w, wanted);
        if (wanted == NULL) {
            pack(w);
        }
    }
}

// ---- public functions ----

static uint32_t chance_bits_of(const bksi_layout *layout)
{
    return at_most(bksi_bit_length(layout->bits * CHANCES_A_BIT - 1), CHANCE_BITS_MAX);
}

size_t bksi_model_bytes(const bksi_layout *layout)
{
    return sizeof(bksi_model) + (sizeof(bksi_chance) << chance_bits_of(layout));
}

uint32_t bksi_model_decisions_max(const bksi_layout *layout)
{
    return 1 + layout->group_count + layout->field_count + 2 * layout->bits;
}

void bksi_model_init(bksi_model *model, const bksi_layout *layout)
{
    memset(model, 0, sizeof(*model)); // does not clear `chances`: the last loop sets all of them
    place_init(&model->place, layout);
    model->chance_shift = 32 - chance_bits_of(layout);
    for (uint32_t set = 0; set < BKSI_MODEL_WEIGHT_SETS; set++) {
        for (uint32_t i = 0; i < BKSI_MODEL_CONTEXTS_MAX; i++) {
            model->weights[set][i] = WEIGHT_START;
        }
    }
    for (uint32_t i = 0; i < UINT32_C(1) << chance_bits_of(layout); i++) {
        model->chances[i] = chance_from(BKSI_RANGE_EVEN, 0, 0);
    }
}

void bksi_model_encode(bksi_model *model, const bksi_layout *layout, bksi_range_encoder *encoder,
                       const uint8_t *packed)
{
    bksi_draft draft;
    walk w = {layout, model, .encoder = encoder, .draft = &draft};
    walk_input(&w, packed);
    bksi_model_take(model, layout, &draft);
}

void bksi_model_decode(bksi_model *model, const bksi_layout *layout, bksi_range_decoder *decoder,
                       uint8_t *packed)
{
    bksi_draft draft;
    bksi_model_draft_decoded(model, layout, decoder, &draft);
    bksi_model_take(model, layout, &draft);
    memcpy(packed, draft.packed, layout->bytes);
}

void bksi_model_draft(const bksi_model *model, const bksi_layout *layout, const uint8_t *packed,
                      bksi_draft *draft)
{
    walk w = {layout, model, .draft = draft};
    walk_input(&w, packed);
}

void bksi_model_draft_decoded(const bksi_model *model, const bksi_layout *layout,
                              bksi_range_decoder *decoder, bksi_draft *draft)
{
    walk w = {layout, model, .decoder = decoder, .draft = draft};
    walk_input(&w, NULL);
}

void bksi_model_take(bksi_model *model, const bksi_layout *layout, const bksi_draft *draft)
{
    learn(model, draft);
    move_on(&model->place, layout, draft);
}
