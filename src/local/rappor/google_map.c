/* map.csv of google/rappor: the bits of candidate strings. */
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/rappor/fields.h"
#include "sotto/decode.h"

#define NAME_MAX_BYTES 65536

void sotto_local_names_release(struct sotto_local_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct sotto_local_names){0};
}

struct map_reader {
	const struct sotto_local_google *params;
	struct sotto_local_map *map;
	struct sotto_local_names *names;
	size_t room;
	size_t *slots; /* open addressing over names, index + 1 */
	size_t slot_count;
	char *scratch;
	bool full; /* a line had a field for every hash of every cohort */
};

static uint64_t hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3u;
	return h;
}

static size_t *find_slot(const struct map_reader *r, const char *name)
{
	size_t i = hash_name(name) & (r->slot_count - 1);

	while (r->slots[i] && strcmp(r->names->names[r->slots[i] - 1], name) != 0)
		i = (i + 1) & (r->slot_count - 1);
	return &r->slots[i];
}

static enum sotto_status grow_map(struct map_reader *r)
{
	size_t room = r->room ? 2 * r->room : 64,
	       per = (size_t)r->map->cohorts * r->map->hashes;
	uint32_t *cells = realloc(r->map->cells, room * per * sizeof *cells);
	char **names;

	if (!cells)
		return SOTTO_ENOMEM;
	r->map->cells = cells;
	names = realloc(r->names->names, room * sizeof *names);
	if (!names)
		return SOTTO_ENOMEM;
	r->names->names = names;
	r->room = room;
	free(r->slots);
	r->slot_count = 4 * room;
	r->slots = calloc(r->slot_count, sizeof *r->slots);
	if (!r->slots)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->names->count; i++)
		*find_slot(r, r->names->names[i]) = i + 1;
	return SOTTO_OK;
}

/* Marks a bit of a cohort as set; false if more bits are than there are hashes. */
static bool set_cell(uint32_t *cells, uint32_t hashes, uint32_t bit)
{
	for (uint32_t i = 0; i < hashes; i++)
		if (cells[i] == SOTTO_LOCAL_NO_CELL || cells[i] == bit) {
			cells[i] = bit;
			return true;
		}
	return false;
}

/*
 * A cell says itself which cohort it is of: where hashes collide, published maps
 * close the gap and leave their last columns blank.
 */
static bool
read_cell(struct sotto_fields *f, const struct sotto_local_google *p, uint32_t *cells)
{
	uint64_t cell, cohort;

	if (!sotto_fields_count(f, &cell))
		return false;
	if (cell == UINT64_MAX)
		return true;
	cohort = (cell - 1) / p->bits;
	return cell > 0 && cohort < p->cohorts &&
	       set_cell(cells + cohort * p->hashes, p->hashes,
			(uint32_t)((cell - 1) % p->bits));
}

/* Short lines are those of which blanks at the end were cut, not cohorts. */
static bool has_all_cohorts(const struct sotto_local_google *p, const uint32_t *cells)
{
	for (uint32_t c = 0; c < p->cohorts; c++)
		if (cells[(size_t)c * p->hashes] == SOTTO_LOCAL_NO_CELL)
			return false;
	return true;
}

static enum sotto_status
read_cells(struct map_reader *r, struct sotto_fields *f, struct sotto_error *err)
{
	const struct sotto_local_google *p = r->params;
	size_t expected = (size_t)p->cohorts * p->hashes, count = 0;
	uint32_t *cells = r->map->cells + r->names->count * expected;

	for (size_t i = 0; i < expected; i++)
		cells[i] = SOTTO_LOCAL_NO_CELL;
	for (; f->more && count < expected; count++)
		if (!read_cell(f, p, cells))
			return sotto_fail(err, SOTTO_EPARSE,
					  "map: line %zu must hold cells from 1 to %zu, at "
					  "most %u of a cohort",
					  f->line, (size_t)p->cohorts * p->bits, p->hashes);
	if (f->more || (count < expected && !has_all_cohorts(p, cells)))
		return sotto_fail(
			err, SOTTO_EPARSE,
			"map: line %zu must hold %zu cells, %u for each of %u cohorts", f->line,
			expected, p->hashes, p->cohorts);
	r->full |= count == expected;
	return SOTTO_OK;
}

static enum sotto_status
read_map_line(struct map_reader *r, struct sotto_fields *f, struct sotto_error *err)
{
	const char *name = r->scratch;
	size_t length;

	if (r->names->count == r->room)
		SOTTO_TRY(grow_map(r));
	if (!sotto_fields_next(f, r->scratch, NAME_MAX_BYTES, &length) || f->broken ||
	    strlen(r->scratch) != length)
		return sotto_fail(err, SOTTO_EPARSE,
				  "map: line %zu does not begin with a string", f->line);
	name = length ? r->scratch : "Empty";
	SOTTO_TRY(read_cells(r, f, err));
	if (*find_slot(r, name))
		return SOTTO_OK; /* a repeated string: the first one counts */
	r->names->names[r->names->count] = strdup(name);
	if (!r->names->names[r->names->count])
		return SOTTO_ENOMEM;
	*find_slot(r, name) = r->names->count + 1;
	r->names->count++;
	return SOTTO_OK;
}

enum sotto_status
sotto_local_google_map(const char *text, size_t n, const struct sotto_local_google *params,
		       struct sotto_local_map *map, struct sotto_local_names *names,
		       struct sotto_error *err)
{
	if ((!text && n > 0) || !params || !map || !names)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_local_map m = {.cohorts = params->cohorts, .hashes = params->hashes};
	struct sotto_local_names found = {0};
	struct map_reader r = {.params = params,
			       .map = &m,
			       .names = &found,
			       .scratch = malloc(NAME_MAX_BYTES)};
	enum sotto_status st = r.scratch ? SOTTO_OK : SOTTO_ENOMEM;
	struct sotto_fields f;

	sotto_fields_init(&f, text, n);
	while (st == SOTTO_OK && sotto_fields_line(&f))
		st = read_map_line(&r, &f, err);
	if (st == SOTTO_OK && found.count == 0)
		st = sotto_fail(err, SOTTO_EPARSE, "map: there is no candidate");
	if (st == SOTTO_OK && !r.full)
		st = sotto_fail(err, SOTTO_EPARSE,
				"map: no line holds %u cells for each of %u cohorts",
				params->hashes, params->cohorts);
	free(r.scratch);
	free(r.slots);
	if (st != SOTTO_OK) {
		sotto_local_map_release(&m);
		sotto_local_names_release(&found);
		return st;
	}
	m.candidates = found.count;
	*map = m;
	*names = found;
	return SOTTO_OK;
}
