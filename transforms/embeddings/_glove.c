/* GloVe: the loop of `counted_vectors.py`, which says what is computed.
 *
 * Rows of matrices are padded to a multiple of 16 floats: vectors with zeros, sums of squares with ones. Dot products are
 * summed in 16 lanes, and these as a tree: 16 to 8 to 4 to 2 to 1, the lower half with the upper; all else is done number
 * by number, and square roots and quotients are those of IEEE 754. So the compiler may take vectors of any width, and the
 * bytes are the same. Must be compiled without contraction of products and sums, and without -ffast-math.
 */

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0)
#error "sums must be of single precision, each rounded: compile without -ffast-math, and with SSE on x86"
#endif

#define LANES 16
#define BIASES 4 /* of words, of contexts, and the sums of squares of either */

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define PREFETCH(place) __builtin_prefetch(place)
#else
#define INLINE static inline
#define PREFETCH(place) ((void)(place))
#endif
#define AHEAD 4    /* cells whose rows are fetched into the cache before they are trained */
#define FURTHER 32 /* cells that are fetched themselves */

typedef struct {
    float *vectors, *contexts, *vector_squares, *context_squares;
    float *biases;
    const int32_t *rows, *columns;
    const float *logs, *shares;
    int64_t words;
    int width;
    float rate;
} training;

INLINE float dot(const float *restrict a, const float *restrict b, int width) {
    float lanes[LANES];
    for (int l = 0; l < LANES; l++) lanes[l] = a[l] * b[l];
    for (int k = LANES; k < width; k += LANES)
        for (int l = 0; l < LANES; l++) lanes[l] += a[k + l] * b[k + l];
    for (int half = LANES / 2; half; half /= 2)
        for (int l = 0; l < half; l++) lanes[l] += lanes[l + half];
    return lanes[0];
}

INLINE void step(float *restrict value, float *restrict squares, float gradient, float rate) {
    *value -= rate * gradient / sqrtf(*squares);
    *squares += gradient * gradient;
}

/* Fetch what a cell changes into the cache. */
INLINE void fetch(const training *job, int64_t cell) {
    int64_t i = job->rows[cell], j = job->columns[cell];
    const float *rows[] = {job->vectors + i * job->width, job->vector_squares + i * job->width,
                           job->contexts + j * job->width, job->context_squares + j * job->width};
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < job->width; k += LANES) PREFETCH(rows[r] + k);
}

/* Cells one after the other, in an order, which is at random: so what comes is fetched in advance. */
INLINE void cells(const training *job, const int64_t *order, int64_t count) {
    for (int64_t n = 0; n < count; n++) {
        if (n + FURTHER < count) {
            int64_t later = order[n + FURTHER];
            PREFETCH(job->rows + later);
            PREFETCH(job->columns + later);
            PREFETCH(job->logs + later);
            PREFETCH(job->shares + later);
        }
        if (n + AHEAD < count) fetch(job, order[n + AHEAD]);
        int64_t cell = order[n], i = job->rows[cell], j = job->columns[cell];
        float *restrict w = job->vectors + i * job->width, *restrict u = job->contexts + j * job->width;
        float *restrict w2 = job->vector_squares + i * job->width, *restrict u2 = job->context_squares + j * job->width;
        float *b = job->biases + i, *c = job->biases + job->words + j;
        float off = dot(w, u, job->width) + *b + *c - job->logs[cell];
        float gradient = job->shares[cell] * off;
        for (int k = 0; k < job->width; k++) {
            float of_w = gradient * u[k], of_u = gradient * w[k];
            w[k] -= job->rate * of_w / sqrtf(w2[k]);
            u[k] -= job->rate * of_u / sqrtf(u2[k]);
            w2[k] += of_w * of_w;
            u2[k] += of_u * of_u;
        }
        step(b, b + 2 * job->words, gradient, job->rate);
        step(c, c + 2 * job->words, gradient, job->rate);
    }
}

static void base_cells(const training *job, const int64_t *order, int64_t count) { cells(job, order, count); }
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2"))) static void v256_cells(const training *job, const int64_t *order, int64_t count) {
    cells(job, order, count);
}
__attribute__((target("avx512f"))) static void v512_cells(const training *job, const int64_t *order, int64_t count) {
    cells(job, order, count);
}
#endif

typedef struct {
    const char *name;
    int width;
    void (*cells)(const training *, const int64_t *, int64_t);
} variant;

static const variant VARIANTS[] = {
#if defined(__GNUC__) && defined(__x86_64__)
    {"v512", 16, v512_cells},
    {"v256", 8, v256_cells},
#endif
    {"base", 4, base_cells},
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

static const variant *choose_variant(const char *name) {
    for (int v = 0; v < COUNT; v++)
        if (runs_here(&VARIANTS[v]) && (!*name || !strcmp(name, VARIANTS[v].name))) return &VARIANTS[v];
    PyErr_Format(PyExc_ValueError, "variant %s does not run here", name);
    return NULL;
}

static int all_below(const int32_t *numbers, int64_t count, int64_t most) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i++) wrong += numbers[i] < 0 || numbers[i] >= most;
    return wrong == 0;
}

/* Why the arrays do not fit together, NULL if they do: then nothing outside of them is read or written. */
static const char *wrong_shapes(const Py_buffer *matrices, const Py_buffer *biases, const Py_buffer *cells,
                                const Py_buffer *order, int width) {
    Py_ssize_t row = (Py_ssize_t)sizeof(float) * width;
    if (width < LANES || width % LANES || matrices[0].len % row) return "rows are not padded to 16 floats";
    int64_t words = matrices[0].len / row, count = cells[0].len / (Py_ssize_t)sizeof(int32_t);
    for (int m = 1; m < 4; m++)
        if (matrices[m].len != matrices[0].len) return "matrices are not of one shape";
    if (biases->len != BIASES * words * (Py_ssize_t)sizeof(float)) return "biases are not of all words";
    for (int c = 1; c < 4; c++)
        if (cells[c].len != cells[0].len) return "cells have not as many rows, columns, logarithms and shares";
    if (!all_below(cells[0].buf, count, words) || !all_below(cells[1].buf, count, words)) return "a word is not there";
    const int64_t *places = order->buf;
    for (Py_ssize_t n = 0; n < order->len / (Py_ssize_t)sizeof(int64_t); n++)
        if (places[n] < 0 || places[n] >= count) return "a cell is not there";
    return NULL;
}

static PyObject *train(PyObject *self, PyObject *args) {
    Py_buffer matrices[4], biases, cells[4], order;
    double rate;
    int width;
    const char *name;
    (void)self;
    if (!PyArg_ParseTuple(args, "w*w*w*w*w*y*y*y*y*y*ids:train", &matrices[0], &matrices[1], &matrices[2],
                          &matrices[3], &biases, &cells[0], &cells[1], &cells[2], &cells[3], &order, &width, &rate,
                          &name))
        return NULL;
    const variant *v = choose_variant(name);
    const char *wrong = v ? wrong_shapes(matrices, &biases, cells, &order, width) : NULL;
    if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
    if (v && !wrong) {
        training job = {matrices[0].buf, matrices[1].buf, matrices[2].buf, matrices[3].buf, biases.buf,
                        cells[0].buf, cells[1].buf, cells[2].buf, cells[3].buf,
                        matrices[0].len / ((Py_ssize_t)sizeof(float) * width), width, (float)rate};
        Py_BEGIN_ALLOW_THREADS
        v->cells(&job, order.buf, order.len / (Py_ssize_t)sizeof(int64_t));
        Py_END_ALLOW_THREADS
    }
    for (int m = 0; m < 4; m++) {
        PyBuffer_Release(&matrices[m]);
        PyBuffer_Release(&cells[m]);
    }
    PyBuffer_Release(&biases);
    PyBuffer_Release(&order);
    if (!v || wrong) return NULL;
    Py_RETURN_NONE;
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
     "train(vectors, contexts, vector_squares, context_squares, biases, rows, columns, logs, shares, order, width,\n"
     "rate, variant)\n\nTrain on the cells, in an order."},
    {"variants", variants, METH_NOARGS, "variants() -> names\n\nReturn the variants that this CPU runs, widest first."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_glove", "The loop of GloVe.", -1, METHODS,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__glove(void) {
    PyObject *module = PyModule_Create(&MODULE);
    if (module && PyModule_AddStringConstant(module, "SOURCE", SOURCE) < 0) Py_CLEAR(module);
    return module;
}
