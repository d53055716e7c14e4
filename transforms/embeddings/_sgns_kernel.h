/* The hot loops of `_sgns.c`, included once for each width of vectors.
 *
 *     NAME(x)  gives a function or type of this variant its name
 *     TARGET   the attribute that lets the compiler use the instructions of this width
 *     WIDTH    floats in a vector: 4, 8 or 16; 1 for plain C, without the compiler's vectors
 *
 * Whatever the width, sums are made in 16 lanes, lane l of the numbers l, l + 16, l + 32 and so on, and lanes are
 * summed as a tree: 16 to 8 to 4 to 2 to 1, the lower half with the upper. Nothing is fused or reordered. So all
 * variants give the same bytes.
 */

#define VECTORS (LANES / WIDTH)
#if WIDTH > 1
typedef float NAME(vector) __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
#else
typedef float NAME(vector);
#endif
#define AT(pointer, place) (*(NAME(vector) *)((pointer) + WIDTH * (place)))

/* The dot product of two rows. */
TARGET INLINE float NAME(dot)(const float *a, const float *b, int blocks) {
    NAME(vector) sums[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) sums[v] = AT(a, v) * AT(b, v);
    UNROLL for (int k = VECTORS; k < blocks * VECTORS; k += VECTORS)
        UNROLL for (int v = 0; v < VECTORS; v++) sums[v] += AT(a, k + v) * AT(b, k + v);
#if WIDTH > 1 && HAS_SHUFFLES
#if WIDTH == 16
    lanes8 eight = __builtin_shufflevector(sums[0], sums[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                   __builtin_shufflevector(sums[0], sums[0], 8, 9, 10, 11, 12, 13, 14, 15);
#elif WIDTH == 8
    lanes8 eight = sums[0] + sums[1];
#endif
#if WIDTH >= 8
    lanes4 four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#else
    lanes4 four = (sums[0] + sums[2]) + (sums[1] + sums[3]);
#endif
    lanes4 two = four + __builtin_shufflevector(four, four, 2, 3, 2, 3);
    return two[0] + two[1];
#else
    float lanes[LANES];
    memcpy(lanes, sums, sizeof lanes);
    for (int width = LANES / 2; width; width /= 2)
        for (int lane = 0; lane < width; lane++) lanes[lane] += lanes[lane + width];
    return lanes[0];
#endif
}

/* One step: an input row towards the first context row of `targets`, and away from the others. */
TARGET INLINE void NAME(pair)(const training *job, float *restrict input, const uint32_t *targets, int count,
                              int blocks) {
    float local[LANES * FIXED_BLOCKS];
    float *restrict work = blocks <= FIXED_BLOCKS ? local : job->work;
    UNROLL for (int k = 0; k < blocks * VECTORS; k++) AT(work, k) = (NAME(vector)){0};
    for (int t = 0; t < count; t++) {
        float *restrict row = job->contexts + (size_t)targets[t] * LANES * blocks;
        float dot = NAME(dot)(input, row, blocks);
        if (!(dot > -MOST && dot < MOST)) continue;
        float rate = ((t == 0 ? 1.0f : 0.0f) - job->sigmoid[(int)(((double)dot + MOST) * STEPS)]) * job->alpha;
        if (job->frozen) {
            UNROLL for (int k = 0; k < blocks * VECTORS; k++) AT(work, k) += rate * AT(row, k);
        } else {
            UNROLL for (int k = 0; k < blocks * VECTORS; k++) {
                NAME(vector) before = AT(row, k);
                AT(work, k) += rate * before;
                AT(row, k) = before + rate * AT(input, k);
            }
        }
    }
    UNROLL for (int k = 0; k < blocks * VECTORS; k++) AT(input, k) += AT(work, k);
}

/* All pairs of a sentence. The rows of a pair are drawn, and fetched into the cache, while the pair before is trained. */
TARGET INLINE uint64_t NAME(sentence)(const training *job, const int32_t *words, const uint64_t *keys, int64_t length,
                                      int blocks) {
    uint32_t targets[2][MOST_NEGATIVE + 1];
    int counts[2], now = 0;
    uint64_t pairs = 0;
    for (int64_t i = 0; i < length; i++) {
        int64_t reach = job->window - (int64_t)(below(draw(keys[i], WINDOW_DRAW), (uint64_t)job->window));
        int64_t last = i + reach < length ? i + reach : length - 1;
        int64_t c = i > reach ? i - reach : 0;
        c += c == i;
        uint64_t number = FIRST_NEGATIVE;
        if (c <= last) counts[now] = draw_targets(job, keys[i], number, words[i], targets[now], blocks);
        while (c <= last) {
            int64_t next = c + 1 == i ? c + 2 : c + 1;
            if (next <= last) {
                number += (uint64_t)job->negative;
                counts[!now] = draw_targets(job, keys[i], number, words[i], targets[!now], blocks);
                fetch(job->vectors, (uint32_t)words[next], blocks);
            }
            NAME(pair)(job, job->vectors + (size_t)words[c] * LANES * blocks, targets[now], counts[now], blocks);
            pairs++;
            now = !now;
            c = next;
        }
    }
    return pairs;
}

/* Sentences one after the other; returns the number of pairs. */
TARGET static uint64_t NAME(sentences)(const training *job, const int32_t *words, const int64_t *bounds,
                                       int64_t sentences, uint64_t position) {
    uint64_t pairs = 0;
    for (int64_t s = 0; s < sentences; s++) {
        const int32_t *sentence = words + bounds[s];
        int64_t length = bounds[s + 1] - bounds[s];
        int64_t kept = choose(job, sentence, length, position);
        position += (uint64_t)length;
        switch (job->blocks) { /* with the number of blocks known, loops unroll and `work` stays in registers */
            case 4: pairs += NAME(sentence)(job, job->kept, job->keys, kept, 4); break;
            case 7: pairs += NAME(sentence)(job, job->kept, job->keys, kept, 7); break;
            case 19: pairs += NAME(sentence)(job, job->kept, job->keys, kept, 19); break;
            default: pairs += NAME(sentence)(job, job->kept, job->keys, kept, job->blocks);
        }
    }
    return pairs;
}

/* Given pairs: of each an input row and the context rows, the true one first. */
TARGET static void NAME(pairs)(const training *job, const int32_t *inputs, const uint32_t *targets, int64_t pairs,
                               int count) {
    for (int64_t p = 0; p < pairs; p++) {
        if (p + 1 < pairs) {
            fetch(job->vectors, (uint32_t)inputs[p + 1], job->blocks);
            for (int t = 0; t < count; t++) fetch(job->contexts, targets[(p + 1) * count + t], job->blocks);
        }
        float *input = job->vectors + (size_t)inputs[p] * LANES * job->blocks;
        switch (job->blocks) {
            case 4: NAME(pair)(job, input, targets + p * count, count, 4); break;
            case 7: NAME(pair)(job, input, targets + p * count, count, 7); break;
            case 19: NAME(pair)(job, input, targets + p * count, count, 19); break;
            default: NAME(pair)(job, input, targets + p * count, count, job->blocks);
        }
    }
}

#undef VECTORS
#undef AT
#undef NAME
#undef TARGET
#undef WIDTH
