/* Perft of each game, written straight down for it and its default options: what the kernel, which plays every game, is
 * measured against. Compiled with -DGAME=OWARE and so on; loops DEPTH prints perft(DEPTH) from the start, and the
 * processor time it took, in seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL_ENKESHUI, ENKESHUI, ENKESHUI_WIKIPEDIA, ANYWOLI, LAYLI_GOOBALAY, BOF, OWARE, KALAH };
enum {
    ROW = GAME == SMALL_ENKESHUI ? 8 : GAME == BOF ? 5 : GAME == OWARE || GAME == KALAH ? 6 : 12,
    SIZE = 2 * ROW,
    WATCH = 32,
    MAX_CHOICES = 64,
    CHOOSING = GAME == ENKESHUI || GAME == ENKESHUI_WIKIPEDIA,
    MAX_LAPS = 250000,
    MAX_STATES = 12288,
    MAX_DEPTH = 20
};
enum { ENDLESS, ENDED, AGAIN };
typedef struct { int pits[SIZE], marks[SIZE], stores[2], mover, ply; } Board;
typedef struct { int pits[SIZE], pit, laps, save_at; } Watch;

static long long perft(const Board *b, int depth);

static inline int own(const Board *b, int i) { return (i < ROW) == (b->mover == 0); }
static inline int next(int i) { return i + 1 == SIZE ? 0 : i + 1; }
static inline int before(int i) { return i ? i - 1 : SIZE - 1; }

static inline void take(Board *b, int i, int side) {
    b->stores[side] += b->pits[i];
    b->pits[i] = 0;
}

/* Whether the turn is in a state that it was in before, or too long. */
static inline int repeats(Watch *w, const Board *b, int pit) {
    if (++w->laps < WATCH) return 0;
    if (w->laps == MAX_LAPS) return 1;
    if (w->save_at && w->pit == pit && !memcmp(w->pits, b->pits, sizeof w->pits)) return 1;
    if (!w->save_at || w->laps == w->save_at) {
        memcpy(w->pits, b->pits, sizeof w->pits);
        w->pit = pit;
        w->save_at = 2 * w->laps;
    }
    return 0;
}

/* Whether the last seed in pit `i` lets the turn go on. */
static inline int relays(Board *b, int i, int last_but_one, int hand, int step, int first_lap) {
    if (b->marks[i]) return 0;
    int count = b->pits[i];
    if (count > 1) {
        if (GAME == ENKESHUI_WIKIPEDIA || b->ply >= 2) {
            int pair = hand > 1 && !b->marks[last_but_one];
            if (count == 4) {
                if (pair && b->pits[last_but_one] == 3) b->marks[last_but_one] = 1 + b->mover;
                b->marks[i] = 1 + b->mover;
                return 0;
            }
            if (count == 3 && pair && b->pits[last_but_one] == 4) {
                b->marks[last_but_one] = b->marks[i] = 1 + b->mover;
                return 0;
            }
        }
        return 1;
    }
    if (!own(b, i) || (GAME == ENKESHUI_WIKIPEDIA && !first_lap)) return 0;
    int opposite = SIZE - 1 - i;
    if (!b->pits[opposite] || b->marks[opposite]) return 0;
    take(b, i, b->mover);
    do {
        take(b, opposite, b->mover);
        i += step;
        opposite -= step;
    } while (i >= 0 && i < SIZE && own(b, i) && !b->pits[i] && b->pits[opposite] && !b->marks[opposite]);
    return 0;
}

static int sow_small_enkeshui(Board *b, int pit) {
    Watch w = {.save_at = 0};
    for (;;) {
        int hand = b->pits[pit], last_but_one = pit, i = pit;
        b->pits[pit] = 0;
        for (int left = hand; left > 0; left--) {
            last_but_one = i;
            i = next(i);
            b->pits[i]++;
        }
        if (!relays(b, i, last_but_one, hand, 1, 0)) return ENDED;
        if (repeats(&w, b, i)) return ENDLESS;
        pit = i;
    }
}

typedef struct { int pit, step, pits[SIZE]; } State;
static State states[MAX_DEPTH][MAX_STATES]; /* of the turn at each depth, in which it may not be again */

/* Count from all turns that go on from `pit`, each with other choices of direction. */
static long long count_choices(Board *b, int pit, int step, int laps, int choices, unsigned sown, int depth) {
    const unsigned row = (1 << ROW) - 1, theirs = b->mover ? row : row << ROW;
    State *met = states[depth - 1];
    long long total = 0;
    for (;;) {
        int hand = b->pits[pit], last_but_one = pit, i = pit;
        b->pits[pit] = 0;
        if (GAME == ENKESHUI_WIKIPEDIA) sown = 0;
        for (int left = hand; left > 0; left--) {
            last_but_one = i;
            i = step > 0 ? next(i) : before(i);
            b->pits[i]++;
            sown |= 1u << i;
        }
        laps++;
        if (!relays(b, i, last_but_one, hand, step, laps == 1)) break;
        for (int k = 0; k < laps; k++) {
            if (met[k].pit == i && met[k].step == step && !memcmp(met[k].pits, b->pits, sizeof b->pits)) return total;
        }
        if (laps == MAX_STATES) abort();
        met[laps].pit = i;
        met[laps].step = step;
        memcpy(met[laps].pits, b->pits, sizeof b->pits);
        pit = i;
        if ((sown & theirs) == theirs && choices < (GAME == ENKESHUI ? MAX_CHOICES : 1)) {
            Board other = *b;
            sown = 0;
            total += count_choices(&other, pit, -step, laps, ++choices, 0, depth);
        }
    }
    b->mover = 1 - b->mover;
    b->ply++;
    return total + perft(b, depth - 1);
}

static int left_over(const Board *b) {
    int count = 0;
    for (int i = 0; i < SIZE; i++) count += b->pits[i];
    return count;
}

/* Take the four in pit `i`, and the last four of the game with them; whether it was over then. */
static int take_four(Board *b, int i, int side, int *left) {
    take(b, i, side);
    *left -= 4;
    if (*left != 4) return 0;
    b->stores[side] += 4;
    memset(b->pits, 0, sizeof b->pits);
    return 1;
}

static int sow_anywoli(Board *b, int pit) {
    Watch w = {.save_at = 0};
    int left = left_over(b);
    for (;;) {
        int hand = b->pits[pit], i = pit;
        b->pits[pit] = 0;
        while (hand-- > 0) {
            i = next(i);
            if (++b->pits[i] == 4 && hand && take_four(b, i, i >= ROW, &left)) return ENDED;
        }
        if (b->pits[i] == 4) {
            take_four(b, i, b->mover, &left);
            return ENDED;
        }
        if (b->pits[i] == 1) return ENDED;
        if (repeats(&w, b, i)) return ENDLESS;
        pit = i;
    }
}

static int sow_layli_goobalay(Board *b, int pit) {
    Watch w = {.save_at = 0};
    for (;;) {
        int hand = b->pits[pit], i = pit;
        b->pits[pit] = 0;
        while (hand-- > 0) {
            i = before(i);
            b->pits[i]++;
        }
        if (b->marks[i]) return ENDED;
        if (b->pits[i] == 1) {
            int opposite = SIZE - 1 - i;
            if (!own(b, i) || b->marks[opposite] || !b->pits[opposite]) return ENDED;
            if (b->pits[opposite] == 3) {
                b->pits[opposite] = b->pits[i] = 2;
                b->marks[opposite] = b->marks[i] = 1 + b->mover;
                return ENDED;
            }
            take(b, i, b->mover);
            take(b, opposite, b->mover);
            return ENDED;
        }
        if (repeats(&w, b, i)) return ENDLESS;
        pit = i;
    }
}

static int sow_bof(Board *b, int pit) {
    Watch w = {.save_at = 0};
    for (;;) {
        int hand = b->pits[pit], i = pit;
        b->pits[pit] = 0;
        while (hand-- > 0) {
            i = next(i);
            b->pits[i]++;
        }
        pit = next(i);
        if (!b->pits[pit]) {
            take(b, next(pit), b->mover);
            return ENDED;
        }
        if (repeats(&w, b, pit)) return ENDLESS;
    }
}

static int sow_oware(Board *b, int pit) {
    int hand = b->pits[pit], i = pit, first = b->mover ? 0 : ROW, theirs = 0, worth = 0;
    b->pits[pit] = 0;
    while (hand > 0) {
        i = next(i);
        if (i == pit) continue;
        b->pits[i]++;
        hand--;
    }
    if (own(b, i) || b->pits[i] < 2 || b->pits[i] > 3) return ENDED;
    int k = i;
    for (; k >= first && (b->pits[k] == 2 || b->pits[k] == 3); k--) worth += b->pits[k];
    for (int j = first; j < first + ROW; j++) theirs += b->pits[j];
    if (worth == theirs) return ENDED;
    for (; i > k; i--) take(b, i, b->mover);
    return ENDED;
}

static int sow_kalah(Board *b, int pit) {
    int hand = b->pits[pit], i = pit, end = b->mover ? SIZE - 1 : ROW - 1;
    b->pits[pit] = 0;
    for (;;) {
        if (i == end) {
            b->stores[b->mover]++;
            if (!--hand) return AGAIN;
        }
        i = next(i);
        b->pits[i]++;
        if (!--hand) break;
    }
    int opposite = SIZE - 1 - i;
    if (b->pits[i] == 1 && own(b, i) && b->pits[opposite]) {
        take(b, i, b->mover);
        take(b, opposite, b->mover);
    }
    return ENDED;
}

static inline int sow(Board *b, int pit) {
    switch (GAME) {
    case SMALL_ENKESHUI: return sow_small_enkeshui(b, pit);
    case ANYWOLI: return sow_anywoli(b, pit);
    case LAYLI_GOOBALAY: return sow_layli_goobalay(b, pit);
    case BOF: return sow_bof(b, pit);
    case OWARE: return sow_oware(b, pit);
    default: return sow_kalah(b, pit);
    }
}

/* Whether the opponent of the side to move has no seeds. */
static inline int bare(const Board *b) {
    int first = b->mover ? 0 : ROW;
    for (int i = first; i < first + ROW; i++) {
        if (b->pits[i]) return 0;
    }
    return 1;
}

/* Whether the opponent of the side to move could move. */
static int can_pass(const Board *b) {
    for (int i = 0; i < SIZE; i++) {
        Board after = *b;
        after.mover = 1 - b->mover;
        if (!own(b, i) && b->pits[i] && sow(&after, i)) return 1;
    }
    return 0;
}

static long long perft(const Board *b, int depth) {
    long long total = 0;
    int first = b->mover * ROW, last = first + ROW - 1, must_reach = 0, moved = 0;
    if (!depth) return 1;
    if (GAME == OWARE) {
        if (b->stores[0] > 24 || b->stores[1] > 24) return 0;
        must_reach = bare(b);
    }
    if (GAME == KALAH && bare(b)) return 0;
    if (GAME == LAYLI_GOOBALAY && b->ply == 0) first = last;
    for (int i = first; i <= last; i++) {
        if (!b->pits[i] || b->marks[i] || (must_reach && b->pits[i] <= last - i)) continue;
        Board after = *b;
        if (CHOOSING) {
            states[depth - 1][0].pit = i;
            states[depth - 1][0].step = 1;
            memcpy(states[depth - 1][0].pits, b->pits, sizeof b->pits);
            total += count_choices(&after, i, 1, 0, 0, 0, depth);
            continue;
        }
        int end = sow(&after, i);
        if (end == ENDLESS) continue;
        moved = 1;
        if (end == ENDED) after.mover = 1 - after.mover;
        after.ply++;
        total += perft(&after, depth - 1);
    }
    if (GAME == ANYWOLI && !moved && can_pass(b)) {
        Board after = *b;
        after.mover = 1 - after.mover;
        after.ply++;
        total += perft(&after, depth - 1);
    }
    return total;
}

int main(int argc, char **argv) {
    Board start = {.ply = 0};
    struct timespec from, to;
    for (int i = 0; i < SIZE; i++) {
        if (GAME == SMALL_ENKESHUI) start.pits[i] = i % ROW < 2 ? 0 : 4;
        else if (CHOOSING) start.pits[i] = i % 3 ? 3 : 0;
        else start.pits[i] = 4;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    long long count = perft(&start, argc > 1 ? atoi(argv[1]) : 6);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    printf("%lld %.6f\n", count, (double)(to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9);
    return 0;
}
