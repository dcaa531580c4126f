/*
 * sotto/channel.h - finite mechanisms as matrices, checked exactly
 *
 * A channel has a row for each exact answer y and a column for each output z; the cell
 * p(z|y) is an exact fraction.  A graph says which answers are neighbours.  An epsilon is
 * kept exact: ln(3/2) is the fraction 3/2.  No verdict here depends on a tolerance.
 * Arguments: src/channel/README.md.
 */
#ifndef SOTTO_CHANNEL_H
#define SOTTO_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/rational.h"
#include "sotto/status.h"

/* ---- matrices of fractions ---------------------------------------------------------------- */

/* For channels, gain tables, and priors (one row).  The caller frees every matrix it gets. */
struct sotto_matrix;

/* A matrix of zeros.  Fails: SOTTO_ERANGE for more than 2^24 cells, SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_matrix_new(size_t rows, size_t columns, struct sotto_matrix **out);
SOTTO_API void sotto_matrix_free(struct sotto_matrix *m); /* m may be NULL */

SOTTO_API size_t sotto_matrix_rows(const struct sotto_matrix *m);
SOTTO_API size_t sotto_matrix_columns(const struct sotto_matrix *m);

/* Fails: SOTTO_EINVAL if there is no such cell. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_matrix_get(const struct sotto_matrix *m,
							      size_t row, size_t column,
							      struct sotto_rational *out);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_matrix_set(struct sotto_matrix *m, size_t row, size_t column,
		 const struct sotto_rational *value);

/* 1 minus the sum of a row: 0 for every row of a channel. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_matrix_defect(const struct sotto_matrix *m, size_t row, struct sotto_rational *out);

/* True if no cell is negative and every row sums to one. */
SOTTO_API bool sotto_matrix_is_stochastic(const struct sotto_matrix *m);

/* Divides each row by its sum.  Fails: SOTTO_EINVAL if a sum is not positive. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_matrix_normalize(struct sotto_matrix *m);

/*
 * Reads CSV with one row on each line.  A cell is 3/16, 0.25 or 1e-3, or a hexadecimal double
 * like 0x1.8p-3, and is read exactly; # begins a comment.
 *
 * Fails:    SOTTO_EPARSE, err has the line; SOTTO_ERANGE; SOTTO_EIO; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_matrix_read(const char *path, struct sotto_matrix **out, struct sotto_error *err);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_matrix_parse(const char *text, size_t length, const char *name, struct sotto_matrix **out,
		   struct sotto_error *err);

/* Writes the matrix as CSV that _parse can read back; the caller frees *out. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_matrix_format(const struct sotto_matrix *m, char **out);

/* ---- epsilons and graphs -------------------------------------------------------------------- */

struct sotto_eps;

/*
 * Reads an epsilon written as 0.5, ln2, ln(3/2) or alpha=1/2.
 * Fails: SOTTO_EPARSE, SOTTO_ERANGE below 0 or above 10000, err says why; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_eps_new(const char *text, struct sotto_eps **out, struct sotto_error *err);
SOTTO_API void sotto_eps_free(struct sotto_eps *e); /* e may be NULL */

/* The nearest double. */
SOTTO_API double sotto_eps_double(const struct sotto_eps *e);

/* Returns true and sets *out to e^-epsilon if that is a fraction. */
SOTTO_API bool sotto_eps_alpha(const struct sotto_eps *e, struct sotto_rational *out);

struct sotto_graph;

/*
 * Makes a graph from a matrix.  A square matrix with a zero diagonal is a metric; otherwise each
 * row is an edge "from,to" or "from,to,length".  If answers is 0, the matrix decides how many.
 *
 * Fails:    SOTTO_EINVAL if it is neither, err says why; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_graph_of_matrix(const struct sotto_matrix *m, size_t answers, struct sotto_graph **out,
		      struct sotto_error *err);
/*
 * Makes a graph from a name or from the path of a CSV file.
 * Fails: as sotto_graph_of_matrix and sotto_matrix_read.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_graph_read(const char *text, size_t answers,
							      struct sotto_graph **out,
							      struct sotto_error *err);
SOTTO_API void sotto_graph_free(struct sotto_graph *g); /* g may be NULL */
SOTTO_API size_t sotto_graph_answers(const struct sotto_graph *g);

/* True for 0 - 1 - ... - N-1 with all lengths 1, the graph of a count. */
SOTTO_API bool sotto_graph_is_path(const struct sotto_graph *g);

/* ---- mechanisms ------------------------------------------------------------------------------ */

enum sotto_build {
	SOTTO_BUILD_GEOMETRIC, /* truncated to the answers; only on a path */
	SOTTO_BUILD_LAPLACE, /* rounded and truncated Laplace; only on a path */
	SOTTO_BUILD_RESPONSE, /* k-ary randomized response */
	SOTTO_BUILD_EXPONENTIAL, /* weights exp(-epsilon d/2) */
	SOTTO_BUILD_RETUNED, /* weights exp(-rate d), the largest rate that is private */
	SOTTO_BUILD_TIGHT, /* every edge at its bound */
	SOTTO_BUILD_COUNT
};

/* "geometric", "laplace", "k-rr", "exponential", "exponential-retuned", "tight"; or NULL. */
SOTTO_API const char *sotto_build_name(enum sotto_build b);

/* Fails: SOTTO_EPARSE with a list of the names. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_build_parse(const char *name, enum sotto_build *out, struct sotto_error *err);

/*
 * The mechanism as a channel.  If e^-epsilon is not a fraction, a fraction just above it is
 * used: the channel then has a slightly smaller epsilon than asked for, never a larger one.
 *
 * Fails:    SOTTO_EINVAL if the mechanism does not exist (geometric and Laplace on a graph
 *           that is not a path; no tight mechanism), err says why; SOTTO_ERANGE;
 *           SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_channel_build(enum sotto_build b, const struct sotto_graph *graph,
		    const struct sotto_eps *eps, struct sotto_matrix **out,
		    struct sotto_error *err);

/* True if no irrational number had to be replaced by a fraction. */
SOTTO_API bool sotto_build_is_exact(enum sotto_build b, const struct sotto_graph *graph,
				    const struct sotto_eps *eps);

/*
 * The probabilities that a sampler with tables of 2^bits entries uses: each row is rounded to
 * multiples of 2^-bits, and the remainder is added on the diagonal (or in the last column).
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_channel_table(const struct sotto_matrix *channel, unsigned bits,
		    struct sotto_matrix **out);

/* ---- verification ----------------------------------------------------------------------------- */

/* p(column | row) over p(column | neighbour) is the largest ratio. */
struct sotto_witness {
	size_t row;
	size_t neighbour;
	size_t column;
};

/*
 * epsilon = ln(ratio)/length of the witness's edge; length is 1 without lengths.
 * infinite: an output is possible for one answer but not for its neighbour; the ratio is
 * then 0.  If the graph has no edges, the ratio is 1 and there is no witness (row = neighbour).
 */
struct sotto_verdict {
	bool infinite;
	struct sotto_rational ratio;
	struct sotto_rational length;
	struct sotto_witness witness;
	double epsilon_down, epsilon_up; /* epsilon rounded down and up */
};

SOTTO_API void sotto_verdict_init(struct sotto_verdict *v);
SOTTO_API void sotto_verdict_release(struct sotto_verdict *v);

/*
 * The smallest epsilon of the channel; the first witness if there are several.
 * Fails: SOTTO_EINVAL unless the graph has a node for each row.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_verify_epsilon(const struct sotto_matrix *channel, const struct sotto_graph *graph,
		     struct sotto_verdict *out);

/* The smallest epsilon at which the channel is (epsilon, delta)-private; infinite if none is. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_verify_epsilon_at(const struct sotto_matrix *channel, const struct sotto_graph *graph,
			const struct sotto_rational *delta, struct sotto_verdict *out);

/*
 * Whether the channel is (epsilon, delta)-private, decided exactly.
 * delta NULL means 0.  Fails: SOTTO_EINVAL as above, or if delta is negative.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_verify_private(const struct sotto_matrix *channel, const struct sotto_graph *graph,
		     const struct sotto_eps *eps, const struct sotto_rational *delta,
		     bool *out);

/*
 * The delta at e^epsilon = `factor`: the largest sum over z of max(0, p(z|y) - factor
 * p(z|y')) over neighbours y, y'.  Exact; lengths of edges are ignored.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_verify_delta(const struct sotto_matrix *channel, const struct sotto_graph *graph,
		   const struct sotto_rational *factor, struct sotto_rational *out);

#endif
