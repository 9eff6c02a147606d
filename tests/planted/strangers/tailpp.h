// C++ games: the same inputs, and the description of a game in a region.
static bks_field make_field(const char *name, uint32_t bits, bool is_signed)
{
    bks_field f{};
    f.name = name;
    f.bits = bits;
    f.is_signed = is_signed;
    return f;
}
static const bks_field fields[] = {make_field("x", 7, true), make_field("y", 7, true), make_field("a", 1, false), make_field("b", 1, false)};
static bks_game make_game(const char *name, size_t bytes, void (*init)(void *, const bks_start *), void (*step)(void *, const bks_step *),
                          const bks_type_entry *types, uint32_t type_count)
{
    bks_game g{};
    g.name = name;
    g.tick_rate_hz = 60;
    g.players_min = g.players_max = 2;
    g.fields = fields;
    g.field_count = 4;
    g.state_bytes = bytes;
    g.types = types;
    g.type_count = type_count;
    g.init = init;
    g.step = step;
    return g;
}
