// What every game of this studio has in common: one stick and two buttons.
static const bks_field fields[] = {
    {.name = "x", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_X},
    {.name = "y", .bits = 7, .is_signed = true, .kind = BKS_FIELD_STICK_Y},
    {.name = "a", .bits = 1},
    {.name = "b", .bits = 1},
};
