/*
 * census_source.h - the private input, sealed: no record decides how another one is read
 *
 * With a policy it is the table that the policy describes.  A plan's budget protects single
 * records, so a ledger is charged only for a table in which every record is a unit of its own:
 * unit: row, or a unit column whose values all differ.  Without a policy what sealing keeps is in
 * a folder beside the plan, PLAN.sealed.
 */
#ifndef SOTTO_CENSUS_SOURCE_H
#define SOTTO_CENSUS_SOURCE_H

#include "census/plan/census_plan.h"

/* How far a long step is; called now and then.  fn may be NULL. */
struct sotto_census_meter {
	void (*fn)(void *context, uint64_t done, uint64_t total);
	void *context;
};

struct sotto_census_source {
	const char *relation; /* SQL for the Parquet files that are the plan's input */
	bool has_policy;
	struct sotto_census_meter sealing;
	const char *unit; /* a column whose values must all differ, or NULL */
};

/* The plan's private file; NULL if it names none. */
static inline const char *sotto_census_input(const struct sotto_census_plan *p)
{
	return p->microdata ? p->microdata : p->counts;
}

/*
 * Finds the policy's table of the plan's input, sealing it if it was not; texts live in the
 * arena.  s->sealing is set by the caller.
 *
 * Fails:    SOTTO_EBUDGET if there is none, or if its unit is not a record; SOTTO_EPARSE for
 *           the policy and for a text that cannot be sealed; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_source_find(struct sotto_census_source *s, const struct sotto_census_plan *p,
			 const char *policy, struct sotto_arena *arena,
			 struct sotto_error *err);

/*
 * The same without a policy: the plan's input as it is.
 *
 * Fails:    SOTTO_EMISSING if it is not there; SOTTO_EPARSE for a record that is malformed (err
 *           names its line) and a file of another kind; SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_source_seal(struct sotto_census_source *s, const struct sotto_census_plan *p,
			 struct sotto_arena *arena, struct sotto_error *err);

/* The refusal of a table whose unit is not a record. */
enum sotto_status
sotto_census_source_refuse(const struct sotto_census_plan *p, struct sotto_error *err);

#endif
