// SPDX-License-Identifier: MIT

#include "input/layout.h"

#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "base/bits.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/report.h"

/// Longest field name. Recordings store names, and tools print them as columns.
#define NAME_BYTES_MAX 31u

/// Most bytes of a field in the layout hash: length of the name, name, bits, sign, neutral value,
/// group, predictor.
#define HASHED_FIELD_BYTES_MAX (1u + NAME_BYTES_MAX + 1u + 1u + 4u + 1u + 1u)

static const char check_id[] = "bks_fields_check";

/// Names of field kinds in a game's source, by bks_field_kind.
static const char *const kind_names[] = {"BKS_FIELD_PLAIN",   "BKS_FIELD_AXIS",
                                         "BKS_FIELD_STICK_X", "BKS_FIELD_STICK_Y",
                                         "BKS_FIELD_ANGLE",   "BKS_FIELD_MAGNITUDE"};

/// Names of predictors in a game's source, by bks_predictor.
static const char *const predictor_names[] = {"BKS_PREDICT_HOLD", "BKS_PREDICT_RELEASE",
                                              "BKS_PREDICT_LINEAR", "BKS_PREDICT_SPLINE",
                                              "BKS_PREDICT_VOTE"};

static void range_of(const bks_field *field, int32_t *least, int32_t *greatest)
{
    if (field->is_signed) {
        *greatest = (int32_t)((UINT32_C(1) << (field->bits - 1)) - 1);
        *least = -*greatest - 1;
    } else {
        *greatest = (int32_t)((UINT32_C(1) << field->bits) - 1);
        *least = 0;
    }
}

static bool bits_ok(const bks_field *field)
{
    return field->bits >= 1 && field->bits <= (field->is_signed ? 32u : 31u);
}

bks_status bks_field_range(const bks_field *field, int32_t *out_least, int32_t *out_greatest)
{
    BKSI_REFUSE_NULL(NULL, field);
    if (!bits_ok(field)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_field_range", "field",
                         "field.bits is %u, must be 1..%u", field->bits,
                         field->is_signed ? 32u : 31u);
    }
    int32_t least = 0;
    int32_t greatest = 0;
    range_of(field, &least, &greatest);
    if (out_least != NULL) {
        *out_least = least;
    }
    if (out_greatest != NULL) {
        *out_greatest = greatest;
    }
    return BKS_OK;
}

/// Return true for letters, digits, '_', '.' and '-', because names appear in CSV columns and on
/// command lines.
static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

static bks_status check_name(const bks_field *fields, uint32_t at, bks_error *error)
{
    const char *name = fields[at].name;
    if (name == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "name",
                         "fields[%u].name is NULL, must not be", at);
    }
    size_t length = 0;
    while (length <= NAME_BYTES_MAX && is_name_byte(name[length])) {
        length++;
    }
    if (length == 0 || length > NAME_BYTES_MAX || name[length] != '\0') {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "name",
                         "fields[%u].name is \"%.40s\", must be 1..%u of letters, digits, _ . -",
                         at, name, NAME_BYTES_MAX);
    }
    for (uint32_t i = 0; i < at; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "name",
                             "fields[%u].name is \"%s\", as that of fields[%u]; must be unique", at,
                             name, i);
        }
    }
    return BKS_OK;
}

static bks_status check_numbers(const bks_field *field, bks_error *error)
{
    if (!bits_ok(field)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "bits",
                         "bits of field \"%s\" is %u, must be 1..%u", field->name, field->bits,
                         field->is_signed ? 32u : 31u);
    }
    int32_t least = 0;
    int32_t greatest = 0;
    range_of(field, &least, &greatest);
    if (field->neutral < least || field->neutral > greatest) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "neutral",
                         "neutral of field \"%s\" is %d, must be %d..%d", field->name,
                         field->neutral, least, greatest);
    }
    if (field->group > 255) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "group",
                         "group of field \"%s\" is %u, must be 0..255", field->name, field->group);
    }
    // The negated comparison also refuses a NaN.
    if (!(field->dead_zone >= 0.0f && field->dead_zone <= 0.95f)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "dead_zone",
                         "dead_zone of field \"%s\" is %g, must be 0..0.95", field->name,
                         (double)field->dead_zone);
    }
    if (field->limit < 0 || field->limit > greatest) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "limit",
                         "limit of field \"%s\" is %d, must be 0..%d", field->name, field->limit,
                         greatest);
    }
    if ((int)field->predictor < BKS_PREDICT_HOLD || (int)field->predictor > BKS_PREDICT_VOTE) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "predictor",
                         "predictor of field \"%s\" is %d, must be %d..%d, of enum bks_predictor",
                         field->name, (int)field->predictor, BKS_PREDICT_HOLD, BKS_PREDICT_VOTE);
    }
    return BKS_OK;
}

/// Check that a field of a paired kind is next to its partner, and that a field has the sign that
/// its kind needs.
static bks_status check_kind(const bks_field *fields, uint32_t count, uint32_t at, bks_error *error)
{
    const bks_field *field = &fields[at];
    const int kind = (int)field->kind;
    if (kind < BKS_FIELD_PLAIN || kind > BKS_FIELD_MAGNITUDE) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "kind",
                         "kind of field \"%s\" is %d, must be %d..%d, of enum bks_field_kind",
                         field->name, kind, BKS_FIELD_PLAIN, BKS_FIELD_MAGNITUDE);
    }
    const bool is_first = kind == BKS_FIELD_STICK_X || kind == BKS_FIELD_ANGLE;
    const bool is_second = kind == BKS_FIELD_STICK_Y || kind == BKS_FIELD_MAGNITUDE;
    if (is_first && (at + 1 >= count || (int)fields[at + 1].kind != kind + 1)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "kind",
                         "kind of field \"%s\" is %s, so a field of kind %s must follow it",
                         field->name, kind_names[kind], kind_names[kind + 1]);
    }
    if (is_second && (at == 0 || (int)fields[at - 1].kind != kind - 1)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "kind",
                         "kind of field \"%s\" is %s, so a field of kind %s must stand before it",
                         field->name, kind_names[kind], kind_names[kind - 1]);
    }
    const bool is_stick = kind == BKS_FIELD_STICK_X || kind == BKS_FIELD_STICK_Y;
    if (is_stick && (!field->is_signed || field->bits < 2)) {
        return bksi_fail(
            error, BKS_ERR_BAD_CONFIG, check_id, "is_signed",
            "field \"%s\" of a stick is unsigned or has 1 bit, must be signed with 2..32 bits",
            field->name);
    }
    if ((kind == BKS_FIELD_ANGLE || kind == BKS_FIELD_MAGNITUDE) && field->is_signed) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "is_signed",
                         "field \"%s\" of an angle or magnitude is signed, must be unsigned",
                         field->name);
    }
    return BKS_OK;
}

static bool is_movement(bks_predictor predictor)
{
    return predictor == BKS_PREDICT_LINEAR || predictor == BKS_PREDICT_SPLINE;
}

/// Check that a field of kind BKS_FIELD_PLAIN has neither predictor LINEAR nor SPLINE, which
/// extrapolate a movement, and that if a field of a pair has one of them, the other field has the
/// same.
static bks_status check_predictor(const bks_field *fields, uint32_t at, bks_error *error)
{
    const bks_field *field = &fields[at];
    if (is_movement(field->predictor) && field->kind == BKS_FIELD_PLAIN) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "predictor",
                         "predictor of field \"%s\" is %s, must be %s, %s or %s for kind %s",
                         field->name, predictor_names[field->predictor],
                         predictor_names[BKS_PREDICT_HOLD], predictor_names[BKS_PREDICT_RELEASE],
                         predictor_names[BKS_PREDICT_VOTE], kind_names[BKS_FIELD_PLAIN]);
    }
    const bool is_second = field->kind == BKS_FIELD_STICK_Y || field->kind == BKS_FIELD_MAGNITUDE;
    if (!is_second || field->predictor == fields[at - 1].predictor) {
        return BKS_OK;
    }
    if (is_movement(field->predictor) || is_movement(fields[at - 1].predictor)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "predictor",
                         "predictor of field \"%s\" is %s, must be that of \"%s\", which is %s",
                         field->name, predictor_names[field->predictor], fields[at - 1].name,
                         predictor_names[fields[at - 1].predictor]);
    }
    return BKS_OK;
}

static bks_status check_group(const bks_field *fields, uint32_t at, bks_error *error)
{
    const uint32_t group = fields[at].group;
    if (group == 0 || at == 0 || fields[at - 1].group == group) {
        return BKS_OK;
    }
    for (uint32_t i = 0; i + 1 < at; i++) {
        if (fields[i].group == group) {
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "group",
                             "group of field \"%s\" is %u, as that of \"%s\"; fields of a group "
                             "must stand together",
                             fields[at].name, group, fields[i].name);
        }
    }
    return BKS_OK;
}

bks_status bks_fields_check(const bks_field *fields, uint32_t count, bks_error *error)
{
    if (count < 1 || count > BKS_FIELDS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "field_count",
                         "field_count is %u, must be 1..%d", count, BKS_FIELDS_MAX);
    }
    if (fields == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "fields",
                         "fields is NULL, must not be");
    }
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++) {
        BKSI_TRY(check_name(fields, i, error));
        BKSI_TRY(check_numbers(&fields[i], error));
        BKSI_TRY(check_kind(fields, count, i, error));
        BKSI_TRY(check_predictor(fields, i, error));
        BKSI_TRY(check_group(fields, i, error));
        bits += fields[i].bits;
    }
    if (bits > BKS_INPUT_BITS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, check_id, "bits",
                         "bits of all fields together are %u, must be 1..%d", bits,
                         BKS_INPUT_BITS_MAX);
    }
    return BKS_OK;
}

/// Set the bits in release_mask of every field with the predictor `release`.
static void make_release_mask(bksi_layout *layout)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        if (layout->fields[i].predictor != BKS_PREDICT_RELEASE) {
            continue;
        }
        layout->has_release = true;
        for (uint32_t bit = 0; bit < layout->fields[i].bits; bit++) {
            const uint32_t at = layout->offset_bits[i] + bit;
            layout->release_mask[at / 8] |= (uint8_t)(1u << (at % 8));
        }
    }
}

bks_status bksi_layout_init(bksi_layout *layout, const bks_field *fields, uint32_t count,
                            bks_error *error)
{
    BKSI_TRY(bks_fields_check(fields, count, error));
    memset(layout, 0, sizeof(*layout));
    layout->field_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const bks_field *field = &fields[i];
        const bool joins = i > 0 && field->group != 0 && field->group == fields[i - 1].group;
        if (!joins) {
            layout->group_offset_bits[layout->group_count] = (uint16_t)layout->bits;
            layout->group_first[layout->group_count] = (uint8_t)i;
            layout->group_count++;
        }
        const uint32_t group = layout->group_count - 1;
        layout->fields[i] = *field;
        layout->offset_bits[i] = (uint16_t)layout->bits;
        layout->sign[i] = field->is_signed ? UINT32_C(1) << (field->bits - 1) : 0;
        range_of(field, &layout->least[i], &layout->greatest[i]);
        layout->mask[i] = (uint32_t)((UINT64_C(1) << field->bits) - 1);
        layout->group_of[i] = (uint8_t)group;
        layout->group_bits[group] = (uint16_t)(layout->group_bits[group] + field->bits);
        layout->bits += field->bits;
        layout->has_movement |= is_movement(field->predictor);
        layout->has_history |= layout->has_movement || field->predictor == BKS_PREDICT_VOTE;
    }
    layout->group_first[layout->group_count] = (uint8_t)count;
    layout->bytes = (layout->bits + 7) / 8;
    make_release_mask(layout);
    int32_t neutral[BKS_FIELDS_MAX];
    bksi_layout_neutral(layout, neutral);
    bksi_layout_pack_clamped(layout, neutral, layout->neutral);
    return BKS_OK;
}

uint64_t bksi_layout_hash(const bksi_layout *layout)
{
    uint8_t bytes[4 + BKS_FIELDS_MAX * HASHED_FIELD_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bytes, sizeof(bytes));
    bksi_write_u32(&writer, layout->field_count);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const bks_field *field = &layout->fields[i];
        bksi_write_text(&writer, field->name);
        bksi_write_u8(&writer, (uint8_t)field->bits);
        bksi_write_u8(&writer, field->is_signed ? 1 : 0);
        bksi_write_u32(&writer, (uint32_t)field->neutral);
        bksi_write_u8(&writer, layout->group_of[i]);
        bksi_write_u8(&writer, (uint8_t)field->predictor);
    }
    BKS_ASSERT(!writer.failed);
    return bksi_hash64(bytes, writer.at, 0);
}

bks_status bksi_layout_check(const bksi_layout *layout, const int32_t *values, bks_error *error)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const int32_t least = layout->least[i];
        const int32_t greatest = layout->greatest[i];
        if (values[i] < least || values[i] > greatest) {
            return bksi_fail(error, BKS_ERR_BAD_ARGUMENT, "input.pack", layout->fields[i].name,
                             "%s is %d, must be %d..%d", layout->fields[i].name, values[i], least,
                             greatest);
        }
    }
    return BKS_OK;
}

bks_status bksi_layout_pack(const bksi_layout *layout, const int32_t *values, uint8_t *packed,
                            bks_error *error)
{
    BKSI_TRY(bksi_layout_check(layout, values, error));
    bksi_layout_pack_clamped(layout, values, packed);
    return BKS_OK;
}

/// Return the bits of a value clamped into its field's range, in two's complement.
static inline uint32_t bits_of(const bksi_layout *layout, uint32_t field, int32_t value)
{
    const int32_t least = layout->least[field];
    const int32_t greatest = layout->greatest[field];
    value = value > least ? value : least;
    return (uint32_t)(value < greatest ? value : greatest) & layout->mask[field];
}

void bksi_layout_pack_clamped(const bksi_layout *layout, const int32_t *values, uint8_t *packed)
{
    uint64_t gathered = 0;
    uint32_t bits = 0; // number of bits in `gathered`; below 32 before each field
    uint8_t *at = packed;
    for (uint32_t i = 0; i < layout->field_count; i++) {
        gathered |= (uint64_t)bits_of(layout, i, values[i]) << bits;
        bits += layout->fields[i].bits;
        if (bits >= 32) {
            for (uint32_t byte = 0; byte < 4; byte++) {
                *at++ = (uint8_t)(gathered >> 8 * byte);
            }
            gathered >>= 32;
            bits -= 32;
        }
    }
    for (; bits > 0; bits -= bits < 8 ? bits : 8) {
        *at++ = (uint8_t)gathered;
        gathered >>= 8;
    }
    BKS_ASSERT(at == packed + layout->bytes);
}

static inline int32_t value_of(const bksi_layout *layout, uint32_t field, uint64_t bits)
{
    const uint32_t value = (uint32_t)bits & layout->mask[field];
    return (int32_t)((value ^ layout->sign[field]) - layout->sign[field]);
}

int32_t bksi_layout_get(const bksi_layout *layout, uint32_t field, const uint8_t *packed)
{
    const uint32_t offset_bits = layout->offset_bits[field];
    const uint8_t *at = packed + offset_bits / 8;
    const uint32_t end = offset_bits % 8 + layout->fields[field].bits;
    uint64_t bits = 0;
    for (uint32_t done = 0; done < end; done += 8) {
        bits |= (uint64_t)*at++ << done;
    }
    return value_of(layout, field, bits >> offset_bits % 8);
}

void bksi_layout_set(const bksi_layout *layout, uint32_t field, int32_t value, uint8_t *packed)
{
    const uint32_t offset_bits = layout->offset_bits[field];
    uint64_t mask = (uint64_t)layout->mask[field] << offset_bits % 8;
    uint64_t bits = (uint64_t)(uint32_t)value << offset_bits % 8 & mask;
    for (uint8_t *at = packed + offset_bits / 8; mask != 0; at++, mask >>= 8, bits >>= 8) {
        *at = (uint8_t)((*at & ~mask) | bits);
    }
}

/// Unpack an input of at most 64 bits.
static void unpack_word(const bksi_layout *layout, const uint8_t *packed, int32_t *values)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < layout->bytes; i++) {
        word |= (uint64_t)packed[i] << 8 * i;
    }
    for (uint32_t i = 0; i < layout->field_count; i++) {
        values[i] = value_of(layout, i, word >> layout->offset_bits[i]);
    }
}

void bksi_layout_unpack(const bksi_layout *layout, const uint8_t *packed, int32_t *values)
{
    if (layout->bits <= 64) {
        unpack_word(layout, packed, values);
        return;
    }
    uint64_t gathered = 0;
    uint32_t bits = 0; // number of bits in `gathered` that belong to no field yet
    size_t at = 0;
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const uint32_t width = layout->fields[i].bits;
        for (; bits < width; bits += 8) {
            gathered |= (uint64_t)packed[at++] << bits;
        }
        values[i] = value_of(layout, i, gathered);
        gathered >>= width;
        bits -= width;
    }
    BKS_ASSERT(at == layout->bytes);
}

void bksi_layout_neutral(const bksi_layout *layout, int32_t *values)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        values[i] = layout->fields[i].neutral;
    }
}

void bksi_layout_predict(const bksi_layout *layout, const uint8_t *last, uint8_t *guess)
{
    if (!layout->has_release) {
        memmove(guess, last, layout->bytes);
        return;
    }
    for (uint32_t i = 0; i < layout->bytes; i++) {
        const uint8_t released = layout->release_mask[i];
        guess[i] = (uint8_t)((last[i] & ~released) | (layout->neutral[i] & released));
    }
}
