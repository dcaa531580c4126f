/*
 * sotto/discover.h - local differential privacy: finding strings that nobody listed, and
 * joint distributions
 */
#ifndef SOTTO_DISCOVER_H
#define SOTTO_DISCOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/status.h"

/*
 * ---- Frequent strings that nobody listed beforehand
 *
 * PEM and TREEHIST extend frequent prefixes bit by bit; SFP joins fragments
 * that carry the same puzzle hash.  The strings found are then tested on other
 * reports than those that found them (PEM, TREEHIST and SFP each have a last step on
 * the whole value), with a correction for every candidate that is tested there.
 */

struct sotto_local_search {
	struct sotto_local_options options;
	size_t keep; /* prefixes or fragments kept per round; 0: 2^first prefix bits, or 80 */
	const uint8_t *alphabet; /* SFP: bytes that strings are made of, besides padding */
	size_t alphabet_size;
	uint32_t screen_rows; /* SFP: rows that are examined first; 0: 64 */
};

struct sotto_local_found {
	uint8_t bytes[128]; /* padded with zeros */
	size_t length; /* without the padding */
	struct sotto_local_estimate estimate;
};

struct sotto_local_findings {
	struct sotto_local_found *items; /* most frequent first */
	size_t count;
	size_t queried; /* candidates that were tested */
	bool capped; /* the limit on combinations was reached: strings may be missing */
};

/*
 * Finds strings: all candidates of the last round, significant or not.
 *
 * Fails: SOTTO_EINVAL for another protocol, no reports or no alphabet,
 *        SOTTO_ERANGE if a round would take more than 2^24 candidates, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_discover(struct sotto_local_aggregate *a, const struct sotto_local_search *search,
		     struct sotto_local_findings *out, struct sotto_error *err);
SOTTO_API void sotto_local_findings_release(struct sotto_local_findings *f);

/*
 * ---- Joint distributions of two or three RAPPOR metrics
 *
 * Each user reports all variables in one cohort.  The joint distribution over
 * candidates is the one with the maximum likelihood, found by expectation
 * maximization over distinct reports (so that the cost does not depend on the number of
 * users).  Argument: src/local/associate/associate.md.
 */

#define SOTTO_LOCAL_VARIABLES_MAX 3

/* One metric: bits of a report, rates, and which bits each candidate sets.  Borrowed. */
struct sotto_local_variable {
	uint32_t bits; /* at most 64 */
	double p, q; /* p* and q* */
	const struct sotto_local_map *map;
	bool other; /* one more category: none of the candidates */
};

/* One user: the cohort, and the reported bits of each variable (bit i in bit i). */
struct sotto_local_joint_report {
	uint32_t cohort;
	uint64_t bits[SOTTO_LOCAL_VARIABLES_MAX];
};

/* Cells run over the last variable fastest; "other" is the last category of its variable. */
struct sotto_local_joint {
	size_t cells;
	double *share;
	double *sd;
	double log_likelihood;
	double chi_square,
		degrees; /* likelihood ratio test that the variables are independent */
	double independence_p; /* probability of such a chi_square or a larger one, if they are */
	unsigned iterations;
	bool settled; /* the shares have converged; false: the iteration limit was reached */
	size_t distinct; /* reports after folding */
};

SOTTO_API void sotto_local_joint_release(struct sotto_local_joint *j);

/*
 * Estimates the joint distribution.  reports is sorted in place; `most` limits the iterations
 * of each maximization.
 *
 * Fails: SOTTO_EINVAL for no reports, a cohort or bits outside the maps, or one
 *        variable; SOTTO_ERANGE past 4096 cells; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_associate(const struct sotto_local_variable *variables, size_t count,
		      struct sotto_local_joint_report *reports, size_t n, unsigned most,
		      struct sotto_local_joint *out, struct sotto_error *err);

/* Expectation maximization stops when no share changes by more than this. */
#define SOTTO_LOCAL_EM_CHANGE 1e-6

/*
 * Only the maximization: likelihood has a row for each report with one number per cell.
 * Starts from equal shares and makes at most `most` iterations; *settled says whether the
 * shares have converged.
 *
 * Fails: SOTTO_EINVAL without rows or cells, or for a row that is negative, not
 *        finite or all zero; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_em(double *likelihood, size_t rows, size_t cells, unsigned most, double *share,
	       unsigned *iterations, bool *settled);

/*
 * ---- Strings that nobody listed, from pairs of their n-grams
 *
 * Each user sends two n-grams of a string, at two of its positions, as RAPPOR
 * reports of one cohort.  Frequent n-grams are found per position, their pairs by
 * expectation maximization (sotto/discover.h); pairs are the edges of a graph
 * with one part per position, and a string is a clique that has a node in each part.
 * Strings found this way are candidates: test them on other reports.
 */

/* One user: the n-grams at two positions, left < right, and the reports of both. */
struct sotto_local_ngram_report {
	uint32_t cohort, left, right;
	uint64_t bits[2]; /* bit i in bit i */
};

struct sotto_local_ngrams {
	uint32_t positions; /* parts of a string, 2 to 64 */
	uint32_t bits; /* of a report, at most 64 */
	double p, q; /* p* and q* */
	const struct sotto_local_map *map; /* of all n-grams; borrowed */
	double alpha; /* probability of finding any n-gram, or any pair, that does not occur */
	double threshold; /* least share of an edge; 0: computed from alpha and its standard error */
	unsigned iterations; /* at most, of the maximization for two positions; 0: 1000 */
};

struct sotto_local_edge {
	uint32_t left, right; /* positions, left < right */
	size_t first, second; /* n-grams, as the map numbers them */
	double share, sd; /* among users who sent these positions; 0 if read from a file */
};

/* Edges in order: left, right, first, second. */
struct sotto_local_graph {
	uint32_t positions;
	struct sotto_local_edge *edges;
	size_t count;
	size_t unsettled; /* pairs of positions that needed more iterations */
};

SOTTO_API void sotto_local_graph_release(struct sotto_local_graph *g);

/*
 * The graph of the pairs that were found.
 *
 * Fails: SOTTO_EINVAL for sizes out of range, or a report of positions or a cohort
 *        that do not exist; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_ngrams_graph(const struct sotto_local_ngrams *question,
			 const struct sotto_local_ngram_report *reports, size_t n,
			 struct sotto_local_graph *out, struct sotto_error *err);

/* Strings as n-grams: strings[i * positions + part]. */
struct sotto_local_cliques {
	size_t *strings;
	size_t count;
	bool capped; /* there are more than were asked for */
};

SOTTO_API void sotto_local_cliques_release(struct sotto_local_cliques *c);

/* The first `most` cliques with a node in every part.  Fails: SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_graph_cliques(const struct sotto_local_graph *g, size_t most,
			  struct sotto_local_cliques *out);

#endif
