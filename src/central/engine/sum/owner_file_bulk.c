/*
 * A map as a file (owner_file.h): a head, the slots, and the blocks in the order of their keys.
 *
 * A slot has the distance of its block from the first byte, or 0.  Zeros at the end leave room for
 * the largest block wherever one could begin, so that no file, whoever wrote it, is read past its
 * end.
 */
#include "central/engine/sum/owner_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/engine/sum/owner_block.h"
#include "central/engine/sum/unit_table.h"
#include "central/engine/whole_io.h"
#include "core/base/failure.h"

enum { VERSION = 1, ORDER = 0x01020304, LANES = 4 };

struct head {
	char magic[8];
	uint32_t order, version; /* as this machine writes numbers */
	uint64_t size; /* of the file */
	uint64_t slots, seed;
	uint64_t sum; /* of the file, with 0 here */
	uint64_t spare[2];
};

_Static_assert(sizeof(struct head) == 64, "the head has whole stripes of the sum");

static const char magic[8] = "sottoown";

/* ---- the sum -------------------------------------------------------------------------------- */

struct sum {
	uint64_t lanes[LANES];
};

static inline uint64_t step(uint64_t lane, uint64_t word)
{
	lane += word * UINT64_C(0xc2b2ae3d27d4eb4f);
	return (lane << 31 | lane >> 33) * UINT64_C(0x9e3779b185ebca87);
}

/* One word more changes a lane one to one, so that no single word can change unnoticed. */
static void sum_add(struct sum *s, const uint64_t *words, size_t count)
{
	uint64_t a = s->lanes[0], b = s->lanes[1], c = s->lanes[2], d = s->lanes[3];
	size_t i = 0;

	for (; i + LANES <= count; i += LANES) {
		a = step(a, words[i]);
		b = step(b, words[i + 1]);
		c = step(c, words[i + 2]);
		d = step(d, words[i + 3]);
	}
	for (; i < count; i++)
		a = step(a, words[i]);
	*s = (struct sum){{a, b, c, d}};
}

static uint64_t sum_of(const void *bytes, size_t size)
{
	struct sum s = {{1, 2, 3, 4}};
	struct head head;
	uint64_t all = size;

	memcpy(&head, bytes, sizeof head);
	head.sum = 0;
	sum_add(&s, (const uint64_t *)(const void *)&head, sizeof head / sizeof(uint64_t));
	sum_add(&s, (const uint64_t *)bytes + sizeof head / sizeof(uint64_t),
		(size - sizeof head) / sizeof(uint64_t));
	for (size_t i = 0; i < LANES; i++)
		all = sotto_unit_mixed(all ^ s.lanes[i]);
	return all;
}

/* ---- writing -------------------------------------------------------------------------------- */

struct placed {
	const struct sotto_owner_block *block;
	size_t slot;
};

static size_t bytes_of(const struct sotto_owner_block *b)
{
	return sotto_owner_block_bytes(b->size, b->is_wide);
}

static size_t largest_block(void)
{
	return sotto_owner_block_bytes(SOTTO_OWNER_SIZES - 1, true);
}

static int compare(const void *x, const void *y)
{
	uint64_t a = ((const struct placed *)x)->block->number,
		 b = ((const struct placed *)y)->block->number;

	return (a > b) - (a < b);
}

/* The blocks in the order of their keys; NULL without memory. */
static struct placed *sorted(const struct sotto_owner_slots *s)
{
	struct placed *list = malloc((s->used + 1) * sizeof *list);
	size_t n = 0;

	for (size_t i = 0; list && i < s->size; i++)
		if (s->items[i])
			list[n++] = (struct placed){s->items[i], i};
	if (list)
		qsort(list, n, sizeof *list, compare);
	return list;
}

static size_t size_of(const struct sotto_owner_slots *s)
{
	size_t size = sizeof(struct head) + s->size * sizeof(uint64_t);

	for (size_t i = 0; i < s->size; i++)
		size += s->items[i] ? bytes_of(s->items[i]) : 0;
	return size + largest_block();
}

/* The room behind a block's last unit is as it was: it is set to zeros. */
static void put_block(char *to, const struct sotto_owner_block *b)
{
	struct sotto_owner_block *made = (struct sotto_owner_block *)(void *)to;

	*made = *b;
	sotto_owner_block_copy(made, b);
}

static void
fill(char *image, size_t size, const struct sotto_owner_slots *s, const struct placed *list)
{
	uint64_t *slots = (uint64_t *)(void *)(image + sizeof(struct head));
	size_t at = sizeof(struct head) + s->size * sizeof *slots;
	struct head *head = (struct head *)(void *)image;

	*head = (struct head){.order = ORDER,
			      .version = VERSION,
			      .size = size,
			      .slots = s->size,
			      .seed = s->seed};
	memcpy(head->magic, magic, sizeof magic);
	for (size_t i = 0; i < s->used; i++) {
		slots[list[i].slot] = at;
		put_block(image + at, list[i].block);
		at += bytes_of(list[i].block);
	}
	head->sum = sum_of(image, size);
}

enum sotto_status sotto_owner_file_write(const struct sotto_owner_map *m, int file)
{
	struct sotto_owner_slots s = sotto_owner_map_slots(m);
	struct placed *list = sorted(&s);
	size_t size = size_of(&s);
	char *image = calloc(1, size);
	enum sotto_status st = SOTTO_ENOMEM;

	if (list && image) {
		fill(image, size, &s, list);
		st = sotto_write_all(file, image, size) ? SOTTO_OK : SOTTO_EIO;
	}
	free(image);
	free(list);
	return st;
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool is_whole(const struct head *h, const void *bytes, size_t size)
{
	return memcmp(h->magic, magic, sizeof magic) == 0 && h->order == ORDER &&
	       h->version == VERSION && h->size == size &&
	       h->slots <= (size - sizeof *h) / sizeof(uint64_t) &&
	       (h->slots & (h->slots - 1)) == 0 && h->sum == sum_of(bytes, size);
}

/* The block at a distance; NULL if there can be none. */
static struct sotto_owner_block *block_at(const char *bytes, size_t size, uint64_t at)
{
	if (at % sizeof(uint64_t) != 0 || at > size || size - at < largest_block())
		return NULL;
	return (struct sotto_owner_block *)(uintptr_t)(bytes + at);
}

/* False if a block cannot be there.  A slot stays empty, so that looking for a key ends. */
static bool find_blocks(const struct sotto_owner_file *f, struct sotto_owner_slots *s)
{
	const char *bytes = f->bytes;
	const uint64_t *slots = (const uint64_t *)(const void *)(bytes + sizeof(struct head));

	for (size_t i = 0; i < s->size; i++) {
		if (slots[i] == 0)
			continue;
		s->items[i] = block_at(bytes, f->size, slots[i]);
		if (!s->items[i])
			return false;
		s->used++;
	}
	return s->size == 0 || s->used < s->size;
}

static enum sotto_status make_map(struct sotto_owner_file *f)
{
	const struct head *h = f->bytes;
	struct sotto_owner_slots s = {0};
	enum sotto_status st;

	if (f->size % sizeof(uint64_t) != 0 || !is_whole(h, f->bytes, f->size))
		return SOTTO_ECORRUPT;
	s.size = h->slots;
	s.seed = h->seed;
	s.items = calloc(s.size + 1, sizeof *s.items);
	if (!s.items)
		return SOTTO_ENOMEM;
	st = find_blocks(f, &s) ? SOTTO_OK : SOTTO_ECORRUPT;
	if (st == SOTTO_OK && !(f->map = sotto_owner_map_of(&s)))
		st = SOTTO_ENOMEM;
	if (st != SOTTO_OK)
		free(s.items);
	return st;
}

/* All of it is read anyway, for its sum. */
static enum sotto_status map_file(int file, struct sotto_owner_file *out)
{
	struct stat found;
	void *bytes;

	if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode))
		return SOTTO_EIO;
	if ((uint64_t)found.st_size < sizeof(struct head))
		return SOTTO_ECORRUPT;
	out->size = (size_t)found.st_size;
	bytes = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
	if (bytes == MAP_FAILED)
		return SOTTO_EIO;
	out->bytes = bytes;
	return SOTTO_OK;
}

enum sotto_status sotto_owner_file_open(const char *path, struct sotto_owner_file *out)
{
	struct sotto_owner_file f = {0};
	enum sotto_status st;
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return SOTTO_EIO;
	st = map_file(file, &f);
	(void)close(file);
	if (st == SOTTO_OK)
		st = make_map(&f);
	if (st == SOTTO_OK)
		*out = f;
	else
		sotto_owner_file_close(&f);
	return st;
}

void sotto_owner_file_close(struct sotto_owner_file *f)
{
	sotto_owner_map_free(f->map);
	if (f->bytes)
		(void)munmap((void *)(uintptr_t)f->bytes, f->size);
	*f = (struct sotto_owner_file){0};
}
