/*
 * sotto/local_ngrams.h - strings that nobody listed, from pairs of their n-grams
 *
 * Each user sends two n-grams of a string, at two of its positions, as RAPPOR
 * reports of one cohort.  Frequent n-grams are found per position, their pairs by
 * expectation maximization (sotto/local_associate.h); pairs are the edges of a graph
 * with one part per position, and a string is a clique that has a node in each part.
 * Strings found this way are candidates: test them on other reports.
 */
#ifndef SOTTO_LOCAL_NGRAMS_H
#define SOTTO_LOCAL_NGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/error.h"
#include "sotto/local_rappor.h"

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
	double alpha; /* of finding any n-gram, and any pair, that is not there */
	double threshold; /* least share of an edge; 0: what alpha asks of its standard error */
	unsigned iterations; /* of the maximization for two positions, at most; 0: 1000 */
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
 * The graph of the pairs that are there.
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
