/* model check of kept_pages under a tight pool, both modes, sizes 0..max, slots 1..258; oracle: whole copies and a count of pages in use */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "state/kept_pages.h"
#include "state/region.h"
#include "base/bytes.h"
#include "base/hash.h"
#define PAGE BKSI_PAGE_BYTES
static uint32_t r(uint64_t *s, uint32_t n){ *s = *s * 6364136223846793005ull + 1442695040888963407ull; return n ? (uint32_t)(*s >> 33) % n : 0; }
int main(int argc, char **argv)
{
    uint64_t from = strtoull(argv[1],0,10), to = strtoull(argv[2],0,10);
    const bks_allocator std = {0};
    unsigned long long puts=0, refused=0, zero=0, falserefuse=0, reads=0;
    for (uint64_t seed = from; seed < to; seed++) {
        uint64_t s = seed * 77777 + 5;
        uint32_t slots = 1 + r(&s, r(&s,4)?8:258), pages = 1 + r(&s, 6);
        size_t max = (size_t)(pages-1)*PAGE + 1 + r(&s, PAGE);
        uint32_t pool = r(&s, slots*pages+3);
        int by_hash = r(&s,2);
        bksi_kept_pages *k = NULL;
        if (bksi_kept_pages_create(slots, max, (size_t)pool*PAGE + r(&s,PAGE), &std, &k) != BKS_OK) abort();
        uint8_t *now = calloc(1, (size_t)pages*PAGE), *copies = calloc(slots, max), *back = malloc(max+1);
        size_t *counts = calloc(slots, sizeof *counts);
        uint8_t hashes[6*8];
        for (int round = 0; round < 120; round++) {
            uint32_t slot = r(&s, slots);
            size_t count = r(&s,8)==0 ? 0 : r(&s,3)==0 ? (size_t)PAGE*r(&s,pages+1) : 1+r(&s,(uint32_t)max);
            if (count > max) count = max;
            if (r(&s,5)==0) memset(now, r(&s,3), (size_t)pages*PAGE);
            for (uint32_t i = 0; count && i < r(&s,4); i++) now[r(&s,(uint32_t)count)] = (uint8_t)r(&s,3);
            memset(now+count, 0, (size_t)pages*PAGE-count);
            for (uint32_t i = 0; i < pages; i++) bksi_put_u64(hashes+8*i, bksi_hash64(now+(size_t)i*PAGE, PAGE, 0));
            uint8_t *exact = malloc(count?count:1); memcpy(exact, now, count);
            uint8_t *eh = malloc(bksi_pages(count)*8+1); memcpy(eh, hashes, bksi_pages(count)*8);
            bool ok = bksi_kept_pages_put(k, slot, exact, count, by_hash ? eh : NULL);
            free(exact); free(eh); puts++;
            if (ok) { memcpy(copies+slot*max, now, count); counts[slot] = count; zero += count==0; }
            else { counts[slot] = 0; refused++;
                if (pool >= slots*pages) falserefuse++; }
            for (uint32_t i = 0; i < slots; i++) {
                if (bksi_kept_pages_count(k,i) != counts[i]) { printf("seed %llu round %d slot %u count %zu want %zu\n",(unsigned long long)seed,round,i,bksi_kept_pages_count(k,i),counts[i]); abort(); }
                size_t o = r(&s,(uint32_t)counts[i]+1), n = r(&s,(uint32_t)(counts[i]-o)+1);
                if (i==slot||r(&s,4)==0){o=0;n=counts[i];}
                bksi_kept_pages_read(k,i,o,back,n); reads++;
                if (memcmp(back, copies+i*max+o, n)) { printf("seed %llu round %d slot %u differs\n",(unsigned long long)seed,round,i); abort(); }
            }
        }
        bksi_kept_pages_destroy(k); free(now); free(copies); free(back); free(counts);
    }
    printf("puts %llu refused %llu of size 0 %llu, refused though the pool holds all slots %llu, reads %llu: all as the copies\n",puts,refused,zero,falserefuse,reads);
}
