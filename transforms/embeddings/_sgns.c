/* Skip-gram with negative sampling: the loops of `trainers.py`, which says what is computed.
 *
 * Rows of matrices are padded with zeros to a multiple of 16 floats. The generator is counter-based: number n of the
 * word at a position is mix64(mix64(mix64(seed) + (position + 1) G) + n G), mix64 being the finaliser of SplitMix64 and
 * G its increment (Steele et al. 2014). Must be compiled without contraction of products and sums, and without
 * -ffast-math.
 */

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0)
#error "sums must be of single precision, each rounded: compile without -ffast-math, and with SSE on x86"
#endif

#define LANES 16
#define FIXED_BLOCKS 19
#define MOST_NEGATIVE 1000
#define MOST 6.0f
#define ENTRIES 1000
#define STEPS 83.0 /* ENTRIES / MOST / 2 in whole numbers, as in gensim: the last entries are never read */
#define GOLDEN 0x9E3779B97F4A7C15u
#define SUBSAMPLING_DRAW 0
#define WINDOW_DRAW 1
#define FIRST_NEGATIVE 2

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
#define PREFETCH(pointer) __builtin_prefetch((pointer), 1)
typedef float lanes4 __attribute__((vector_size(16), aligned(4)));
typedef float lanes8 __attribute__((vector_size(32), aligned(4)));
#else
#define INLINE static inline
#define UNROLL
#define PREFETCH(pointer) ((void)(pointer))
#endif
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAS_SHUFFLES 1
#endif
#endif
#ifndef HAS_SHUFFLES
#define HAS_SHUFFLES 0
#endif

typedef struct {
    float *vectors, *contexts;
    const int32_t *context_of; /* the context row of each word */
    const uint32_t *keep;      /* a word is left out if its draw is greater; NULL: none is */
    const uint32_t *cumulative, *guide;
    int shift; /* guide[r >> shift]: where the search of r begins */
    int blocks, frozen;
    int64_t window;
    int negative;
    float alpha;
    uint64_t seed;
    const float *sigmoid;
    float *work;
    int32_t *kept;
    uint64_t *keys;
} training;

INLINE uint64_t mix64(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* Number n of a word, 32 bits. */
INLINE uint64_t draw(uint64_t key, uint64_t n) { return mix64(key + n * GOLDEN) >> 32; }

/* A draw as a number from 0 to `most` - 1. */
INLINE uint64_t below(uint64_t drawn, uint64_t most) { return drawn * most >> 32; }

INLINE void fetch(const float *matrix, uint32_t row, int blocks) {
    const float *start = matrix + (size_t)row * LANES * blocks;
    for (int k = 0; k < blocks; k++) PREFETCH(start + LANES * k);
}

/* The context row of a word, and those of negative words; a negative word that is the word itself is left out. */
INLINE int draw_targets(const training *job, uint64_t key, uint64_t number, int32_t word, uint32_t *targets,
                        int blocks) {
    uint32_t own = (uint32_t)job->context_of[word];
    int count = 1;
    targets[0] = own;
    for (int d = 0; d < job->negative; d++) {
        uint32_t r = (uint32_t)below(draw(key, number + (uint64_t)d), INT32_MAX);
        uint32_t row = job->guide[r >> job->shift];
        while (job->cumulative[row] < r) row++;
        targets[count] = row;
        count += row != own;
        fetch(job->contexts, row, blocks);
    }
    return count;
}

/* The words of a sentence that stay, with the keys of their draws; returns how many. */
INLINE int64_t choose(const training *job, const int32_t *words, int64_t length, uint64_t position) {
    int64_t kept = 0;
    for (int64_t i = 0; i < length; i++) {
        uint64_t key = mix64(job->seed + (position + (uint64_t)i + 1) * GOLDEN);
        job->kept[kept] = words[i];
        job->keys[kept] = key;
        kept += !job->keep || draw(key, SUBSAMPLING_DRAW) <= job->keep[words[i]];
    }
    return kept;
}

#define NAME(x) plain_##x
#define TARGET
#define WIDTH 1
#include "_sgns_kernel.h"

#if defined(__GNUC__)
#define NAME(x) v128_##x
#define TARGET
#define WIDTH 4
#include "_sgns_kernel.h"

#if defined(__x86_64__)
#define NAME(x) v256_##x
#define TARGET __attribute__((target("avx2")))
#define WIDTH 8
#include "_sgns_kernel.h"

#define NAME(x) v512_##x
#define TARGET __attribute__((target("avx512f")))
#define WIDTH 16
#include "_sgns_kernel.h"
#endif
#endif

typedef struct {
    const char *name;
    int width;
    uint64_t (*sentences)(const training *, const int32_t *, const int64_t *, int64_t, uint64_t);
    void (*pairs)(const training *, const int32_t *, const uint32_t *, int64_t, int);
} variant;

#define VARIANT(name, width) {#name, width, name##_sentences, name##_pairs}
static const variant VARIANTS[] = {
#if defined(__GNUC__) && defined(__x86_64__)
    VARIANT(v512, 16), VARIANT(v256, 8),
#endif
#if defined(__GNUC__)
    VARIANT(v128, 4),
#endif
    VARIANT(plain, 1),
};
#define COUNT ((int)(sizeof VARIANTS / sizeof VARIANTS[0]))

/* Whether this CPU can run a variant. */
static int runs_here(const variant *v) {
#if defined(__GNUC__) && defined(__x86_64__)
    __builtin_cpu_init();
    if (v->width == 16) return __builtin_cpu_supports("avx512f");
    if (v->width == 8) return __builtin_cpu_supports("avx2");
#endif
    return v->width < 8;
}

/* The variant of a name, or with an empty one the widest that runs; NULL with an error set if there is none. */
static const variant *choose_variant(const char *name) {
    for (int v = 0; v < COUNT; v++)
        if (runs_here(&VARIANTS[v]) && (!*name || !strcmp(name, VARIANTS[v].name))) return &VARIANTS[v];
    PyErr_Format(PyExc_ValueError, "no variant that runs here is called '%s'", name);
    return NULL;
}

/* What `train` and `train_pairs` share: buffers, and their checks. */
typedef struct {
    Py_buffer vectors, contexts, sigmoid;
    int dim;
} weights;

static int fail(const char *message) {
    PyErr_SetString(PyExc_ValueError, message);
    return 0;
}

static int take_weights(const weights *w, training *job, int64_t *rows, int64_t *context_rows) {
    if (w->dim < 1) return fail("the dimension must be at least 1");
    job->blocks = (w->dim + LANES - 1) / LANES;
    Py_ssize_t row = (Py_ssize_t)sizeof(float) * LANES * job->blocks;
    if (w->vectors.len % row || w->contexts.len % row) return fail("rows are not padded to 16 floats");
    if (w->sigmoid.len != ENTRIES * (Py_ssize_t)sizeof(float)) return fail("the sigmoid has another number of entries");
    *rows = w->vectors.len / row;
    *context_rows = w->contexts.len / row;
    job->vectors = w->vectors.buf;
    job->contexts = w->contexts.buf;
    job->sigmoid = w->sigmoid.buf;
    job->work = malloc((size_t)row);
    if (!job->work) PyErr_NoMemory();
    return job->work != NULL;
}

static int all_below(const int32_t *numbers, int64_t count, int64_t most) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i++) wrong += numbers[i] < 0 || numbers[i] >= most;
    return wrong == 0;
}

/* Check that tables fit together: then nothing outside of the matrices is read or written. */
static int take_tables(training *job, const Py_buffer *context_of, const Py_buffer *keep, const Py_buffer *cumulative,
                       const Py_buffer *guide, int64_t rows, int64_t context_rows) {
    if (cumulative->len != context_rows * (Py_ssize_t)sizeof(uint32_t) || !context_rows)
        return fail("the negative table has another number of words");
    if (keep->len && keep->len != rows * (Py_ssize_t)sizeof(uint32_t))
        return fail("the subsampling table has another number of words");
    if (context_of->len != rows * (Py_ssize_t)sizeof(int32_t)) return fail("context rows are not of all words");
    job->cumulative = cumulative->buf;
    job->keep = keep->len ? keep->buf : NULL;
    job->context_of = context_of->buf;
    if (!all_below(job->context_of, rows, context_rows)) return fail("a context row is not there");
    if (job->cumulative[context_rows - 1] != INT32_MAX) return fail("the negative table does not end at 2**31 - 1");
    int64_t entries = guide->len / (Py_ssize_t)sizeof(uint32_t);
    job->guide = guide->buf;
    job->shift = 31;
    for (int64_t size = entries; size > 1; size /= 2) job->shift--;
    if (job->shift < 0 || entries != (int64_t)1 << (31 - job->shift)) return fail("the guide is not of a power of two");
    for (int64_t i = 0; i < entries; i++)
        if (job->guide[i] >= context_rows) return fail("the guide leads out of the negative table");
    return 1;
}

static PyObject *train(PyObject *self, PyObject *args) {
    weights w;
    Py_buffer context_of, keep, cumulative, guide, words, bounds;
    training job = {0};
    unsigned long long seed, position;
    double alpha;
    const char *name;
    PyObject *made = NULL;
    int64_t rows, context_rows;
    int window;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*w*y*iy*y*y*y*y*y*iidKKps:train", &w.vectors, &w.contexts, &w.sigmoid, &w.dim,
                          &context_of, &keep, &cumulative, &guide, &words, &bounds, &window, &job.negative, &alpha,
                          &seed, &position, &job.frozen, &name))
        return NULL;
    const variant *v = choose_variant(name);
    const int64_t *ends = bounds.buf;
    int64_t sentences = bounds.len / (Py_ssize_t)sizeof(int64_t) - 1, longest = 0;
    if (!v || !take_weights(&w, &job, &rows, &context_rows) ||
        !take_tables(&job, &context_of, &keep, &cumulative, &guide, rows, context_rows))
        goto end;
    if (window < 1 || job.negative < 0 || job.negative > MOST_NEGATIVE) {
        fail("the window is less than 1, or negative words are more than 1000");
        goto end;
    }
    int64_t count = words.len / (Py_ssize_t)sizeof(int32_t);
    int sound = sentences >= 0 && ends[0] >= 0 && ends[sentences] <= count;
    for (int64_t s = 0; sound && s < sentences; s++) {
        sound = ends[s] <= ends[s + 1];
        if (ends[s + 1] - ends[s] > longest) longest = ends[s + 1] - ends[s];
    }
    if (!sound || !all_below((const int32_t *)words.buf + ends[0], ends[sentences] - ends[0], rows)) {
        fail("bounds are not in order, or a word is not there");
        goto end;
    }
    job.kept = malloc(sizeof(int32_t) * (size_t)(longest + 1)); /* one more, for nothing may be of no size */
    job.keys = malloc(sizeof(uint64_t) * (size_t)(longest + 1));
    if (!job.kept || !job.keys) {
        PyErr_NoMemory();
        goto end;
    }
    job.window = window;
    job.alpha = (float)alpha;
    job.seed = mix64(seed);
    uint64_t pairs;
    Py_BEGIN_ALLOW_THREADS
    pairs = v->sentences(&job, words.buf, ends, sentences, position);
    Py_END_ALLOW_THREADS
    made = PyLong_FromUnsignedLongLong(pairs);
end:
    free(job.work);
    free(job.kept);
    free(job.keys);
    PyBuffer_Release(&w.vectors);
    PyBuffer_Release(&w.contexts);
    PyBuffer_Release(&w.sigmoid);
    PyBuffer_Release(&context_of);
    PyBuffer_Release(&keep);
    PyBuffer_Release(&cumulative);
    PyBuffer_Release(&guide);
    PyBuffer_Release(&words);
    PyBuffer_Release(&bounds);
    return made;
}

static PyObject *train_pairs(PyObject *self, PyObject *args) {
    weights w;
    Py_buffer inputs, targets;
    training job = {0};
    double alpha;
    const char *name;
    PyObject *made = NULL;
    int64_t rows, context_rows;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*w*y*iy*y*dps:train_pairs", &w.vectors, &w.contexts, &w.sigmoid, &w.dim, &inputs,
                          &targets, &alpha, &job.frozen, &name))
        return NULL;
    const variant *v = choose_variant(name);
    int64_t pairs = inputs.len / (Py_ssize_t)sizeof(int32_t);
    int64_t all = targets.len / (Py_ssize_t)sizeof(uint32_t);
    if (!v || !take_weights(&w, &job, &rows, &context_rows)) goto end;
    if (!pairs || all % pairs || all / pairs > MOST_NEGATIVE + 1 || !all_below(inputs.buf, pairs, rows) ||
        !all_below(targets.buf, all, context_rows)) {
        fail("targets are not as many for each pair, or a row is not there");
        goto end;
    }
    job.alpha = (float)alpha;
    Py_BEGIN_ALLOW_THREADS
    v->pairs(&job, inputs.buf, targets.buf, pairs, (int)(all / pairs));
    Py_END_ALLOW_THREADS
    made = PyLong_FromLongLong(pairs);
end:
    free(job.work);
    PyBuffer_Release(&w.vectors);
    PyBuffer_Release(&w.contexts);
    PyBuffer_Release(&w.sigmoid);
    PyBuffer_Release(&inputs);
    PyBuffer_Release(&targets);
    return made;
}

static PyObject *variants(PyObject *self, PyObject *args) {
    PyObject *names = PyList_New(0);
    (void)self;
    (void)args;
    for (int v = 0; names && v < COUNT; v++) {
        if (!runs_here(&VARIANTS[v])) continue;
        PyObject *name = PyUnicode_FromString(VARIANTS[v].name);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyMethodDef METHODS[] = {
    {"train", train, METH_VARARGS,
     "train(vectors, contexts, sigmoid, dim, context_of, keep, cumulative, guide, words, bounds, window, negative,\n"
     "alpha, seed, position, frozen, variant) -> pairs\n\nTrain on sentences: words[bounds[s]:bounds[s + 1]]."},
    {"train_pairs", train_pairs, METH_VARARGS,
     "train_pairs(vectors, contexts, sigmoid, dim, inputs, targets, alpha, frozen, variant) -> pairs\n\n"
     "Train on given pairs: the bare kernel, to test and to measure."},
    {"variants", variants, METH_NOARGS, "variants() -> names\n\nReturn the variants that this CPU runs, widest first."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_sgns", "Loops of the trainer `fast`.", -1, METHODS,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__sgns(void) {
    PyObject *module = PyModule_Create(&MODULE);
    if (module && PyModule_AddStringConstant(module, "SOURCE", SOURCE) < 0) Py_CLEAR(module);
    return module;
}
