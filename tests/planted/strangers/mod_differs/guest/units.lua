-- Horde Rebalanced 1.3
local base = { [0] = 20, [1] = 35, [2] = 60 }
function monster_hp(kind, wave) return base[kind] + wave * 2 end
function monster_armour(kind, wave) return kind * 3 end
function damage(attack, armour) return math.max(1, (attack * 10) // (10 + armour)) end
