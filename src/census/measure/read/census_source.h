/*
 * census_source.h - the private input, sealed: no record decides how another one is read
 *
 * With a policy it is the table that the policy describes.  A plan's budget protects single
 * records, so a ledger is charged only for a table in which every record is a unit of its own:
 * unit: row, or a unit column whose values all differ.  Without a policy the sealed copy is in a
 * folder beside the plan, PLAN.sealed.
 */
#ifndef SOTTO_CENSUS_SOURCE_H
#define SOTTO_CENSUS_SOURCE_H

#include "census/plan/census_plan.h"

/* Reports the progress of a long step; called now and then.  fn may be NULL. */
struct sotto_census_meter {
	void (*fn)(void *context, uint64_t done, uint64_t total);
	void *context;
};

struct sotto_census_source {
	const char *relation; /* SQL for the Parquet files of the plan's input */
	bool has_policy;
	struct sotto_census_meter sealing;
	const char *unit; /* a column whose values must all differ, or NULL */
};

/* Returns the plan's private file; NULL if it names none. */
static inline const char *sotto_census_input(const struct sotto_census_plan *p)
{
	return p->microdata ? p->microdata : p->counts;
}

/*
 * Finds the policy's table for the plan's input, and seals it if it was not sealed; texts live in
 * the arena.  The caller sets s->sealing.
 *
 * Fails:    SOTTO_EBUDGET if there is none, or if its unit is not a record; SOTTO_EPARSE for the
 *           policy and for a text that cannot be sealed; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_source_find(struct sotto_census_source *s, const struct sotto_census_plan *p,
			 const char *policy, struct sotto_arena *arena,
			 struct sotto_error *err);

/*
 * Does the same without a policy: takes the plan's input as it is.
 *
 * Fails:    SOTTO_EMISSING if there is no such file; SOTTO_EPARSE for a malformed record (err
 *           names its line) and a file of another kind; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_source_seal(struct sotto_census_source *s, const struct sotto_census_plan *p,
			 struct sotto_arena *arena, struct sotto_error *err);

/* Refuses a table whose unit is not a record. */
enum sotto_status
sotto_census_source_refuse(const struct sotto_census_plan *p, struct sotto_error *err);

#endif
