#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sodium.h>
#include "net/two_guards.h"
#include "net/guard_parts.h"
#include "base/bytes.h"
/* a member on the path: has the match key only (key_byte 7), no private key of either side */
static void t(void **c)
{
    (void)c;
    static two_side a, b, m;
    two_make(&a, &b);
    two_make_side(&m, 3, 7); /* any member */
    two_send_all(&a, true);
    two_packet hello = two_flying[0];
    two_flying_count = 0;
    (void)two_hear(&b, &hello);
    two_send_all(&b, true);
    two_packet answer = two_flying[0];
    bksi_noise n = m.guard.start; uint8_t plain[1500]; size_t pc = 0;
    assert_true(bksi_noise_read(&n, hello.bytes + 2, hello.count - 2 - 16, plain, &pc));
    printf("true age %u\n", bksi_get_u16(answer.bytes + answer.count - 18));
    bksi_put_u16(answer.bytes + answer.count - 18, 65535);
    crypto_generichash(answer.bytes + answer.count - 16, 16, answer.bytes, answer.count - 16, n.chain, BKSI_NOISE_HASH_BYTES);
    bksi_guard_verdict v = two_hear(&a, &answer);
    printf("verdict %d (TAKEN=%d) age as taken: %llu us\n", v, BKSI_GUARD_TAKEN, (unsigned long long)a.last_age_ns / 1000);
    two_flying_count = 0;
    two_send_all(&a, true); { two_now_ns += 100 * MS; two_packet changed = answer; changed.bytes[5] ^= 77; changed.bytes[changed.count-17] ^= 3; changed.bytes[changed.count-1] ^= 9;
      uint64_t h0 = a.guard.channels[0].heard_ns; bksi_guard_verdict w = two_hear(&a, &changed); printf("a changed copy of the ANSWER, no key: verdict %d, repeated %llu, heard_ns moved by %llu ms\n", w, (unsigned long long)a.guard.counts.repeated, (unsigned long long)(a.guard.channels[0].heard_ns-h0)/1000000); two_flying_count=0; two_send_all(&a,true); }
    two_packet fin = two_flying[0];
    bksi_noise n2 = n;
    /* the member cannot make the check of a FINISH: needs ee, es */
    bksi_put_u16(fin.bytes + fin.count - 18, 65535);
    crypto_generichash(fin.bytes + fin.count - 16, 16, fin.bytes, fin.count - 16, n2.chain, BKSI_NOISE_HASH_BYTES);
    printf("FINISH bent by the same: verdict %d (REFUSED=%d)\n", two_hear(&b, &fin), BKSI_GUARD_REFUSED);
}
int main(void){ const struct CMUnitTest x[]={cmocka_unit_test(t)}; return cmocka_run_group_tests(x,NULL,NULL);}
