/*
 * Orders the attributes, explicit ones first, tabulates for each query which of its cells each
 * cell belongs to, and allows one partition for bounds and invariants besides the total.
 */
#include "census/plan/census_schema.h"
#include "census/plan/census_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/checked.h"
#include "core/base/failure.h"

enum { CELLS_MAX = 1 << 24 };

/* Bounds and invariants must be about one partition besides the total. */
static enum sotto_status
set_frame(struct sotto_census_schema *s, size_t query, struct sotto_error *err)
{
	const struct sotto_census_plan *p = s->plan;

	if (p->queries[query].cells == 1)
		return SOTTO_OK;
	if (s->frame != SIZE_MAX && s->frame != query)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"invariants and bounds on both %.80s and %.80s cross; whether "
			"such tables exist is NP-complete to decide, so bounds may be on "
			"total and on one other query",
			p->queries[s->frame].name, p->queries[query].name);
	if (p->queries[query].cells > SOTTO_CENSUS_GROUPS_MAX)
		return sotto_fail(err, SOTTO_EPARSE,
				  "bounds are limited to queries of %d cells; %.80s has more",
				  SOTTO_CENSUS_GROUPS_MAX, p->queries[query].name);
	s->frame = query;
	s->groups = p->queries[query].cells;
	return SOTTO_OK;
}

/*
 * More cells than bounds may have, but all of them given at the lowest level: they follow in
 * every node, and nothing is left to decide.
 */
static enum sotto_status set_known(struct sotto_census_schema *s,
				   const struct sotto_census_invariant *inv,
				   struct sotto_error *err)
{
	const struct sotto_census_plan *p = s->plan;

	if (inv->nodes || sotto_census_level_find(p, inv->level) + 1 != p->level_count)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"an invariant of more than %d cells must be of the lowest level, whose "
			"counts all others follow from; %.80s is not",
			SOTTO_CENSUS_GROUPS_MAX, p->queries[inv->query].name);
	if (s->known != SIZE_MAX)
		return sotto_fail(err, SOTTO_EPARSE,
				  "there may be one invariant of more than %d cells; %.80s and "
				  "%.80s are two",
				  SOTTO_CENSUS_GROUPS_MAX, p->queries[s->known].name,
				  p->queries[inv->query].name);
	s->known = inv->query;
	return SOTTO_OK;
}

static enum sotto_status
refuse_both(const struct sotto_census_schema *s, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EPARSE,
			  "%.80s is given at the lowest level; bounds and invariants on %.80s "
			  "besides would have to be compared with it: leave them out",
			  s->plan->queries[s->known].name, s->plan->queries[s->frame].name);
}

static enum sotto_status find_frame(struct sotto_census_schema *s, struct sotto_error *err)
{
	const struct sotto_census_plan *p = s->plan;

	s->frame = s->known = SIZE_MAX;
	s->groups = 1;
	for (size_t i = 0; i < p->invariant_count; i++)
		SOTTO_TRY(p->queries[p->invariants[i].query].cells > SOTTO_CENSUS_GROUPS_MAX
				  ? set_known(s, &p->invariants[i], err)
				  : set_frame(s, p->invariants[i].query, err));
	for (size_t i = 0; i < p->bound_count; i++)
		SOTTO_TRY(set_frame(s, p->bounds[i].query, err));
	return s->known != SIZE_MAX && s->frame != SIZE_MAX ? refuse_both(s, err) : SOTTO_OK;
}

static bool must_be_explicit(const struct sotto_census_schema *s, size_t attribute)
{
	const struct sotto_census_plan *p = s->plan;

	if (s->frame != SIZE_MAX && sotto_census_query_uses(&p->queries[s->frame], attribute))
		return true;
	for (size_t l = 0; l < p->level_count; l++)
		for (size_t i = 0; i < p->levels[l].measure_count; i++)
			if (p->queries[p->levels[l].measures[i].query].parts[attribute] ==
			    SOTTO_CENSUS_GROUPED)
				return true;
	return false;
}

static enum sotto_status set_axes(struct sotto_census_schema *s, struct sotto_error *err)
{
	const struct sotto_census_plan *p = s->plan;
	size_t n = 0;

	s->places = s->regular = 1;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < p->attribute_count; i++) {
			bool is_explicit = must_be_explicit(s, i);
			size_t *product = is_explicit ? &s->places : &s->regular;

			if (is_explicit != (pass == 0))
				continue;
			s->order[n++] = i;
			*(is_explicit ? &s->explicit_count : &s->regular_count) += 1;
			if (!sotto_checked_mul_size(*product, p->attributes[i].n, product) ||
			    *product > CELLS_MAX)
				return sotto_fail(err, SOTTO_EPARSE,
						  "the attributes have more than %d cells",
						  CELLS_MAX);
		}
	if (s->places > SOTTO_CENSUS_EXPLICIT_MAX ||
	    s->regular_count > SOTTO_CENSUS_REGULAR_MAX)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"attributes that are grouped or bounded may have %d categories "
			"together, and there may be %d others",
			SOTTO_CENSUS_EXPLICIT_MAX, SOTTO_CENSUS_REGULAR_MAX);
	s->cells = s->places * s->regular;
	s->components = (size_t)1 << s->regular_count;
	return s->cells <= CELLS_MAX
		       ? SOTTO_OK
		       : sotto_fail(err, SOTTO_EPARSE, "the attributes have more than %d cells",
				    CELLS_MAX);
}

void sotto_census_cell_categories(const struct sotto_census_schema *s, size_t cell,
				  uint32_t *categories)
{
	for (size_t i = s->plan->attribute_count; i-- > 0;) {
		size_t n = s->plan->attributes[s->order[i]].n;

		categories[s->order[i]] = (uint32_t)(cell % n);
		cell /= n;
	}
}

size_t sotto_census_cell_of(const struct sotto_census_schema *s, const uint32_t *categories)
{
	size_t cell = 0;

	for (size_t i = 0; i < s->plan->attribute_count; i++)
		cell = cell * s->plan->attributes[s->order[i]].n + categories[s->order[i]];
	return cell;
}

void sotto_census_group_label(const struct sotto_census_schema *s, size_t group, char *out,
			      size_t size)
{
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX];
	const struct sotto_census_plan *p = s->plan;
	size_t cell = 0, n = 0;

	out[0] = '\0';
	while (cell < s->cells && s->group_of_place[cell / s->regular] != group)
		cell += s->regular;
	if (cell >= s->cells)
		return;
	sotto_census_cell_categories(s, cell, categories);
	for (size_t i = 0; i < p->attribute_count && n < size; i++)
		if (sotto_census_query_uses(&p->queries[s->frame], i))
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "*" : "",
					      p->attributes[i].categories[categories[i]]);
}

static bool is_zero(const struct sotto_census_plan *p, const uint32_t *categories)
{
	for (size_t z = 0; z < p->zero_count; z++) {
		bool match = true;

		for (size_t i = 0; i < p->attribute_count; i++)
			match &= p->zeros[z].category[i] < 0 ||
				 (uint32_t)p->zeros[z].category[i] == categories[i];
		if (match)
			return true;
	}
	return false;
}

static enum sotto_status set_maps(struct sotto_census_schema *s)
{
	const struct sotto_census_plan *p = s->plan;
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX];

	s->maps = calloc(p->query_count + 1, sizeof *s->maps);
	s->zero = calloc(s->cells, 1);
	if (!s->maps || !s->zero)
		return SOTTO_ENOMEM;
	for (size_t q = 0; q < p->query_count; q++) {
		s->maps[q] = malloc(s->cells * sizeof **s->maps);
		if (!s->maps[q])
			return SOTTO_ENOMEM;
	}
	for (size_t cell = 0; cell < s->cells; cell++) {
		sotto_census_cell_categories(s, cell, categories);
		s->zero[cell] = is_zero(p, categories);
		for (size_t q = 0; q < p->query_count; q++)
			s->maps[q][cell] = (uint32_t)sotto_census_query_cell(p, &p->queries[q],
									     categories);
	}
	return SOTTO_OK;
}

/* Is a cell of the query always the same where the cell of the known one is? */
static bool is_told(const struct sotto_census_schema *s, size_t query, uint32_t *image)
{
	memset(image, 0xff, s->plan->queries[s->known].cells * sizeof *image);
	for (size_t cell = 0; cell < s->cells; cell++) {
		uint32_t *at = &image[s->maps[s->known][cell]];

		if (*at == UINT32_MAX)
			*at = s->maps[query][cell];
		if (*at != s->maps[query][cell])
			return false;
	}
	return true;
}

static enum sotto_status set_told(struct sotto_census_schema *s)
{
	uint32_t *image;

	s->told = calloc(s->plan->query_count + 1, sizeof *s->told);
	if (!s->told)
		return SOTTO_ENOMEM;
	if (s->known == SIZE_MAX)
		return SOTTO_OK;
	image = malloc(s->plan->queries[s->known].cells * sizeof *image);
	if (!image)
		return SOTTO_ENOMEM;
	for (size_t q = 0; q < s->plan->query_count; q++)
		s->told[q] = is_told(s, q, image);
	for (size_t cell = 0; cell < s->cells; cell++)
		image[s->maps[s->known][cell]] = (uint32_t)cell;
	s->example = image;
	return SOTTO_OK;
}

static void set_groups(struct sotto_census_schema *s)
{
	for (size_t e = 0; e < s->places; e++) {
		uint32_t g = s->frame == SIZE_MAX ? 0 : s->maps[s->frame][e * s->regular];

		s->group_of_place[e] = (uint8_t)g;
		s->group_mask[g] |= UINT64_C(1) << e;
	}
	s->excluded = (UINT32_C(1) << s->groups) - 1;
	for (size_t cell = 0; cell < s->cells; cell++)
		if (!s->zero[cell])
			s->excluded &= ~(UINT32_C(1) << s->group_of_place[cell / s->regular]);
}

enum sotto_status sotto_census_schema_init(struct sotto_census_schema *s,
					   const struct sotto_census_plan *plan,
					   struct sotto_error *err)
{
	*s = (struct sotto_census_schema){.plan = plan};
	SOTTO_TRY(find_frame(s, err));
	SOTTO_TRY(set_axes(s, err));
	SOTTO_TRY(set_maps(s));
	SOTTO_TRY(set_told(s));
	set_groups(s);
	return SOTTO_OK;
}

void sotto_census_schema_release(struct sotto_census_schema *s)
{
	for (size_t q = 0; s->maps && q < s->plan->query_count; q++)
		free(s->maps[q]);
	free(s->maps);
	free(s->zero);
	free(s->told);
	free(s->example);
}
