/*
 * utility_worth.h - computes and prints all figures of one mechanism for one user
 */
#ifndef SOTTO_CMD_UTILITY_WORTH_H
#define SOTTO_CMD_UTILITY_WORTH_H

#include "show/json.h"
#include "sotto/utility.h"

struct worth {
	struct sotto_matrix *channel;
	struct sotto_use use;
	struct sotto_leakage leakage;
	struct sotto_verdict verdict;
	bool is_exact; /* no fraction approximates an irrational number */
};

/* Computes the figures.  Pair a success with _release. */
enum sotto_status utility_worth_find(const struct sotto_user_case *p, const char *mechanism,
				     struct worth *out, struct sotto_error *why);
void utility_worth_release(struct worth *w);

void utility_worth_print(const struct sotto_user_case *p, const struct worth *w, FILE *out);
void utility_worth_csv(const char *mechanism, const struct worth *w, FILE *out);

/* Writes its keys into the open object. */
void utility_worth_write(struct json_writer *json, const struct sotto_user_case *p,
			 const char *mechanism, const struct worth *w);

#endif
