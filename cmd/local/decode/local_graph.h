/*
 * local_graph.h - graphs of n-grams as google/rappor writes them
 *
 *	num_partitions 3
 *	ngram_size 2
 *	edge 0.ab 1.cd
 */
#ifndef SOTTO_LOCAL_GRAPH_H
#define SOTTO_LOCAL_GRAPH_H

#include "local/local_command.h"

/* The n-grams that the numbers of a graph stand for. */
struct graph_names {
	char **texts;
	size_t *lengths;
	size_t count;
};

void graph_names_release(struct graph_names *n);

/* Lists all strings of this many letters; false if there are more than a million. */
bool graph_names_all(struct graph_names *n, const char *alphabet, uint64_t size);

/* Returns a string joined from its n-grams, one per position. */
char *graph_string(const struct sotto_local_graph *g, const struct graph_names *names,
		   const size_t *grams);

enum outcome graph_read(const char *path, struct graph_names *names,
			struct sotto_local_graph *out, struct sotto_error *err);
enum outcome graph_write(const char *path, const struct graph_names *names,
			 const struct sotto_local_graph *g, uint64_t size,
			 struct sotto_error *err);

#endif
