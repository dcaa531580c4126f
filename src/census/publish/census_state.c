/*
 * SHA-256 of the key, the counts, the tree and the queries ties a key to its input; the file is
 * replaced by rename, and the folder itself is locked.
 */
#include "census/publish/census_state.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/failure.h"

static const char state_magic[16] = "sotto release 2";

/* ---- what the key is for ----------------------------------------------------------------------------------- */

struct digest {
	EVP_MD_CTX *hash;
	bool ok;
};

static void put(struct digest *d, const void *bytes, size_t n)
{
	d->ok = d->ok && (n == 0 || EVP_DigestUpdate(d->hash, bytes, n) == 1);
}

static void put_text(struct digest *d, const char *text)
{
	put(d, text ? text : "\1", text ? strlen(text) + 1 : 1);
}

/* Nodes and what must hold in them. */
static void put_shape(struct digest *d, const struct sotto_census_shape *s)
{
	size_t n = sotto_census_node_count(s);

	put(d, s->plan_level, s->level_count * sizeof *s->plan_level);
	put(d, s->start, (s->level_count + 1) * sizeof *s->start);
	put(d, s->count, n * sizeof *s->count);
	for (size_t i = 0; i < n; i++)
		put_text(d, s->labels[i]);
	put(d, s->total_low, n * sizeof *s->total_low);
	put(d, s->total_high, n * sizeof *s->total_high);
	for (size_t i = 0; s->has_groups && i < n; i++) {
		put(d, sotto_census_group_low(s, i), s->groups * sizeof *s->low);
		put(d, sotto_census_group_high(s, i), s->groups * sizeof *s->high);
	}
	for (size_t i = s->start[s->level_count - 1]; s->known.is_given && i < n; i++) {
		struct sotto_census_known_row row = sotto_census_known_of(s, i);

		put(d, &row.n, sizeof row.n);
		put(d, row.cells, row.n * sizeof *row.cells);
		put(d, row.counts, row.n * sizeof *row.counts);
	}
}

static void put_queries(struct digest *d, const struct sotto_census_world *w)
{
	const struct sotto_census_plan *p = &w->plan;

	put(d, w->schema.zero, w->schema.cells);
	for (size_t l = 0; l < p->level_count; l++)
		for (size_t i = 0; i < p->levels[l].measure_count; i++) {
			const struct sotto_census_measure *m = &p->levels[l].measures[i];
			char *scale = mpq_get_str(NULL, 10, m->scale->q);

			put_text(d, p->levels[l].name);
			put_text(d, p->queries[m->query].name);
			put_text(d, scale);
			put(d, w->schema.maps[m->query],
			    w->schema.cells * sizeof **w->schema.maps);
			free(scale);
		}
}

/* How the answers are made into tables: half-written tables are continued by the same rules. */
static void put_output(struct digest *d, const struct sotto_census_plan *p)
{
	const uint8_t flags[] = {(uint8_t)p->model,   (uint8_t)p->mode, (uint8_t)p->rounding,
				 p->bypass,           p->up_all,        p->up_auto,
				 p->linear_estimates, p->parquet};
	char *confidence = p->intervals ? mpq_get_str(NULL, 10, p->intervals->q) : NULL;

	put(d, flags, sizeof flags);
	put(d, &p->tol_slack, sizeof p->tol_slack);
	put_text(d, confidence);
	put_text(d, p->microdata_output);
	for (size_t i = 0; i < p->table_count; i++)
		put_text(d, p->queries[p->tables[i]].name);
	for (size_t i = 0; i < p->attribute_count; i++) {
		put_text(d, p->attributes[i].name);
		for (size_t k = 0; k < p->attributes[i].n; k++)
			put_text(d, p->attributes[i].categories[k]);
	}
	free(confidence);
}

static enum sotto_status
digest_input(const struct sotto_census_world *w, const uint8_t *key, uint8_t out[32])
{
	struct digest d = {.hash = EVP_MD_CTX_new()};

	d.ok = d.hash && EVP_DigestInit_ex(d.hash, EVP_sha256(), NULL) == 1;
	put(&d, key, SOTTO_NOISE_KEY_BYTES);
	d.ok = d.ok && sotto_census_world_digest(w, d.hash);
	put_shape(&d, &w->shape);
	put_queries(&d, w);
	put_output(&d, &w->plan);
	d.ok = d.ok && EVP_DigestFinal_ex(d.hash, out, NULL) == 1;
	EVP_MD_CTX_free(d.hash);
	return d.ok ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- the key ---------------------------------------------------------------------------------------------- */

static enum sotto_status seeded_key(uint64_t seed, uint8_t *key)
{
	char text[64];

	(void)snprintf(text, sizeof text, "sotto census test seed %llu",
		       (unsigned long long)seed);
	return EVP_Digest(text, strlen(text), key, NULL, EVP_sha256(), NULL) == 1
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

static enum sotto_status secret_key(uint8_t *key)
{
	struct sotto_rng *rng = NULL;
	enum sotto_status st = sotto_rng_open(&rng);

	if (st == SOTTO_OK)
		st = sotto_rng_fill(rng, key, SOTTO_NOISE_KEY_BYTES);
	sotto_rng_close(rng);
	return st;
}

enum sotto_status sotto_census_state_new(struct sotto_census_state *s,
					 const struct sotto_census_world *w,
					 const uint64_t *test_seed)
{
	memset(s, 0, sizeof *s);
	memcpy(s->magic, state_magic, sizeof s->magic);
	s->seeded = test_seed != NULL;
	SOTTO_TRY(test_seed ? seeded_key(*test_seed, s->key) : secret_key(s->key));
	return digest_input(w, s->key, s->input);
}

enum sotto_status
sotto_census_state_name(const struct sotto_census_state *s, char out[SOTTO_CENSUS_NAME_SIZE])
{
	static const char purpose[] = "name of the release";
	uint8_t bytes[sizeof purpose + SOTTO_NOISE_KEY_BYTES], digest[32];

	memcpy(bytes, purpose, sizeof purpose);
	memcpy(bytes + sizeof purpose, s->key, SOTTO_NOISE_KEY_BYTES);
	if (EVP_Digest(bytes, sizeof bytes, digest, NULL, EVP_sha256(), NULL) != 1)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < 8; i++)
		(void)snprintf(out + 2 * i, 3, "%02x", digest[i]);
	return SOTTO_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------- */

static char *path_in(const char *folder, const char *name)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool write_all(const char *path, const struct sotto_census_state *s)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	bool ok = fd >= 0 && write(fd, s, sizeof *s) == (ssize_t)sizeof *s && fsync(fd) == 0;

	if (fd >= 0)
		ok &= close(fd) == 0;
	return ok;
}

static bool sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

enum sotto_status sotto_census_state_write(const struct sotto_census_state *s,
					   const char *folder, bool fresh,
					   struct sotto_error *err)
{
	char *part = path_in(folder, ".release.key.part"),
	     *path = path_in(folder, ".release.key");
	bool ok = part && path && !(fresh && access(path, F_OK) == 0) && write_all(part, s) &&
		  rename(part, path) == 0 && sync_folder(folder);

	if (!ok && part)
		(void)unlink(part);
	free(part);
	free(path);
	return ok ? SOTTO_OK
		  : sotto_fail(err, SOTTO_EIO,
			       "%.300s: the key of the release could not be written", folder);
}

static bool load(const char *folder, struct sotto_census_state *s)
{
	char *path = path_in(folder, ".release.key");
	FILE *f = path ? fopen(path, "re") : NULL;
	bool ok = f && fread(s, sizeof *s, 1, f) == 1 &&
		  memcmp(s->magic, state_magic, sizeof s->magic) == 0;

	if (f)
		(void)fclose(f);
	free(path);
	return ok;
}

enum sotto_status sotto_census_state_read(struct sotto_census_state *s,
					  const struct sotto_census_world *w,
					  const char *folder, struct sotto_error *err)
{
	uint8_t input[32];

	if (!load(folder, s))
		return sotto_fail(err, SOTTO_EMISSING,
				  "%.300s holds no interrupted release; leave --resume out",
				  folder);
	SOTTO_TRY(digest_input(w, s->key, input));
	if (memcmp(input, s->input, sizeof input) != 0)
		return sotto_fail(err, SOTTO_EMISSING,
				  "%.300s: the plan or the data changed since the release was "
				  "begun; with other data its noise must not be used again",
				  folder);
	return SOTTO_OK;
}

bool sotto_census_state_exists(const char *folder)
{
	char *path = path_in(folder, ".release.key");
	bool exists = path && access(path, F_OK) == 0;

	free(path);
	return exists;
}

void sotto_census_state_remove(const char *folder)
{
	char *path = path_in(folder, ".release.key");

	if (path)
		(void)unlink(path);
	free(path);
	(void)sync_folder(folder);
}

enum sotto_status
sotto_census_folder_hold(const char *folder, bool *made, int *lock, struct sotto_error *err)
{
	*made = mkdir(folder, 0777) == 0;
	*lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock < 0 || access(folder, W_OK | X_OK) != 0)
		return sotto_fail(err, SOTTO_EIO,
				  "the folder %.300s could not be made or written to", folder);
	if (flock(*lock, LOCK_EX | LOCK_NB) != 0)
		return sotto_fail(err, SOTTO_EIO,
				  "another process is writing a release into %.300s", folder);
	return SOTTO_OK;
}
