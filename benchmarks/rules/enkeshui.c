/* Enkeshui on 2×8 without choice of direction, written straight down for this one game: what the kernel, which plays
 * every game, is measured against. Usage: enkeshui DEPTH prints perft(DEPTH) from fours-right and the processor time it took, in seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROW = 8, SIZE = 16, WATCH = 32 };
typedef struct { int pits[SIZE], marks[SIZE], stores[2], mover, ply; } Board;

/* 1 if the turn ends, 0 if it is endless. */
static int sow(Board *b, int pit) {
    int old[SIZE], old_pit = -1, saved_at = 0, save_at = WATCH, laps = 0;
    for (;;) {
        int hand = b->pits[pit], handful = hand, i = pit, before = pit;
        b->pits[pit] = 0;
        laps++;
        while (hand-- > 0) {
            before = i;
            if (++i == SIZE) i = 0;
            b->pits[i]++;
        }
        if (b->marks[i]) return 1;
        int count = b->pits[i];
        if (count > 1) {
            if (b->ply >= 2) {
                int pair = handful > 1 && !b->marks[before];
                if (count == 4) {
                    if (pair && b->pits[before] == 3) b->marks[before] = 1 + b->mover;
                    b->marks[i] = 1 + b->mover;
                    return 1;
                }
                if (count == 3 && pair && b->pits[before] == 4) {
                    b->marks[before] = b->marks[i] = 1 + b->mover;
                    return 1;
                }
            }
            if (laps >= WATCH) {
                if (saved_at && old_pit == i && !memcmp(old, b->pits, sizeof old)) return 0;
                if (laps == save_at) {
                    memcpy(old, b->pits, sizeof old);
                    old_pit = i;
                    saved_at = laps;
                    save_at *= 2;
                }
            }
            pit = i;
            continue;
        }
        if ((i < ROW) != (b->mover == 0)) return 1;
        int opposite = SIZE - 1 - i;
        if (!b->pits[opposite] || b->marks[opposite]) return 1;
        b->stores[b->mover] += b->pits[i];
        b->pits[i] = 0;
        for (;;) {
            b->stores[b->mover] += b->pits[opposite];
            b->pits[opposite] = 0;
            if (++i >= SIZE || (i < ROW) != (b->mover == 0) || b->pits[i]) return 1;
            opposite = SIZE - 1 - i;
            if (!b->pits[opposite] || b->marks[opposite]) return 1;
        }
    }
}

static long long perft(const Board *b, int depth) {
    long long total = 0;
    int first = b->mover * ROW;
    if (!depth) return 1;
    for (int i = first; i < first + ROW; i++) {
        if (!b->pits[i] || b->marks[i]) continue;
        Board after = *b;
        if (!sow(&after, i)) continue;
        after.mover = 1 - after.mover;
        after.ply++;
        total += perft(&after, depth - 1);
    }
    return total;
}

int main(int argc, char **argv) {
    static const int row[ROW] = {0, 0, 4, 4, 4, 4, 4, 4};
    Board start = {0};
    struct timespec from, to;
    for (int i = 0; i < SIZE; i++) start.pits[i] = row[i % ROW];
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    long long count = perft(&start, argc > 1 ? atoi(argv[1]) : 6);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    printf("%lld %.6f\n", count, (double)(to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9);
    return 0;
}
