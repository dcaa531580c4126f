/*
 * No exact value is written to disk.  Values are planted that no noise would
 * make by chance, queries asked, and every file searched for them: as decimal
 * text and as the bytes of an integer or a double.
 */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

enum { ROWS = 54321 };

static const char policy[] =
	"ledger: ledger.db\nlog: owner.log\nbudget: {epsilon: 100, delta: 0.1}\n"
	"tables:\n  visits:\n    source: visits.csv\n    unit: id\n"
	"    columns:\n      x: {bounds: [0, 2000000], type: integer}\n"
	"      ward: {keys: [a, b]}\n";

/* ROWS units of ward a whose x add up to `total`; ward b has one unit with a rare note. */
static char *make_csv(int64_t *total)
{
	size_t size = 64 + (size_t)ROWS * 32, n = 0;
	char *csv = malloc(size);

	if (!csv)
		return NULL;
	*total = 0;
	n += (size_t)snprintf(csv + n, size - n, "id,ward,x,note\n");
	for (int i = 0; i < ROWS; i++) {
		int x = 1000000 + (i * 7919) % 900001;

		*total += x;
		n += (size_t)snprintf(csv + n, size - n, "%d,a,%d,common\n", i + 10, x);
	}
	(void)snprintf(csv + n, size - n, "5,b,7,plantedsecret\n");
	return csv;
}

static size_t count_in(const char *haystack, size_t n, const void *needle, size_t m)
{
	size_t found = 0;

	for (const char *p = haystack; (p = memmem(p, n - (size_t)(p - haystack), needle, m));
	     p++)
		found++;
	return found;
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "r");
	char *bytes = NULL;
	struct stat about;

	*n = 0;
	if (!f)
		return NULL;
	if (fstat(fileno(f), &about) != 0 || !S_ISREG(about.st_mode)) {
		(void)fclose(f); /* a folder: the sealed copies are what queries read */
		return NULL;
	}
	if (fseek(f, 0, SEEK_END) == 0 && (bytes = malloc((size_t)ftell(f) + 1))) {
		*n = (size_t)ftell(f);
		rewind(f);
		*n = fread(bytes, 1, *n, f);
	}
	(void)fclose(f);
	return bytes;
}

/* How often the planted values occur in one file. */
static size_t planted_in(const char *path, int64_t total)
{
	double as_double = (double)total, average = (double)total / ROWS;
	int64_t count = ROWS;
	char text[32];
	size_t n, found = 0, m;
	char *bytes = read_file(path, &n);

	if (!bytes)
		return 0;
	m = (size_t)snprintf(text, sizeof text, "%lld", (long long)total);
	found += count_in(bytes, n, text, m);
	found += count_in(bytes, n, &total, sizeof total);
	found += count_in(bytes, n, &as_double, sizeof as_double);
	found += count_in(bytes, n, &average, sizeof average);
	found += count_in(bytes, n, &count, sizeof count);
	found += count_in(bytes, n, "plantedsecret", 13);
	free(bytes);
	return found;
}

static size_t search(const struct clinic *c, int64_t total, size_t *files)
{
	DIR *d = opendir(c->folder.path);
	struct dirent *entry;
	size_t found = 0;

	*files = 0;
	while (d && (entry = readdir(d)) != NULL) {
		char path[FOLDER_PATH_MAX];

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "visits.csv") == 0)
			continue;
		folder_file(&c->folder, entry->d_name, path);
		found += planted_in(path, total);
		++*files;
	}
	if (d)
		(void)closedir(d);
	return found;
}

static void no_file_holds_an_exact_value(void)
{
	static const char *const queries[] = {
		"SELECT ward, COUNT(*), SUM(x), AVG(x) FROM visits GROUP BY ward",
		"SELECT note, COUNT(*), SUM(x) FROM visits GROUP BY note",
		"SELECT COUNT(DISTINCT note), STDDEV(x) FROM visits",
	};
	struct sotto_answer *a;
	struct clinic c;
	int64_t total = 0;
	size_t files;
	char *csv = make_csv(&total);

	REQUIRE(csv);
	REQUIRE(clinic_open(&c, policy, csv));
	(void)setenv("TMPDIR", c.folder.path, 1);
	REQUIRE(chdir(c.folder.path) == 0);
	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
		a = clinic_ask(&c, queries[i], "1", NULL, false);
		(void)tap_check(a != NULL, __FILE__, __LINE__, "%s", c.err.text);
		sotto_answer_free(a);
		CHECK_INT(search(&c, total, &files), 0);
	}
	REQUIRE(clinic_reopen(&c));
	CHECK_INT(search(&c, total, &files), 0);
	CHECK(files >= 2);
	/* The search can find: the CSV itself holds the planted text. */
	CHECK(clinic_write(&c, "control", csv + strlen(csv) - 40));
	CHECK_INT(search(&c, total, &files), 1);
	free(csv);
	REQUIRE(chdir("/") == 0);
	clinic_close(&c);
}

int main(void)
{
	RUN(no_file_holds_an_exact_value);
	return tap_done();
}
