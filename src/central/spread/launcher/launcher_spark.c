/*
 * An existing Spark cluster, standalone, YARN or Kubernetes.  A short driver in Python
 * (spark_driver.py) submits a job with one task for each bucket.  A task starts `sotto worker`
 * and gives it a ticket; the worker connects to the coordinator.  Spark's retries, locality
 * and speculation apply to tasks.
 *
 * The worker's program and the engine's library are shipped with the job, unless the settings
 * name a program that the hosts have.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/duckdb_library.h"
#include "central/spread/launcher/launcher.h"
#include "central/spread/launcher/spread_process.h"
#include "central/engine/worker/worker_find.h"
#include "central/engine/worker/worker_launch.h"
#include "core/base/failure.h"

enum {
	NOT_THERE = 3, /* the driver's status, if something is missing */
	PATIENCE = 20000, /* milliseconds */
};

/* Where it is installed, or where it lies in the source tree, seen from the program. */
static const char *find_driver(struct sotto_arena *a, const char *program)
{
	static const char *const places[] = {"share/sotto/spark_driver.py",
					     "src/central/spread/launcher/spark_driver.py",
					     "../src/central/spread/launcher/spark_driver.py"};
	const char *slash = strrchr(program, '/');

	for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
		const char *path = sotto_arena_textf(a, "%.*s/../%s", (int)(slash - program),
						     program, places[i]);

		if (path && access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

/* What is shipped, with commas between; "" if the hosts have the program. */
static enum sotto_status shipped_files(struct sotto_arena *a,
				       const struct sotto_spread_settings *s,
				       const char *program, const char **out)
{
	char library[SOTTO_WORKER_PATH];

	if (s->program)
		*out = "";
	else if (sotto_duckdb_file(library, sizeof library))
		*out = sotto_arena_textf(a, "%s,%s", program, library);
	else
		*out = program;
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

static const char *python(void)
{
	const char *chosen = getenv("PYSPARK_DRIVER_PYTHON");

	return chosen && *chosen ? chosen : "python3";
}

static enum sotto_status command(struct sotto_arena *a, const struct sotto_spread_settings *s,
				 uint32_t bucket, unsigned attempt, const char *const **out,
				 struct sotto_error *err)
{
	const char *driver, *files, **words = NULL;
	char found[SOTTO_WORKER_PATH], program[PATH_MAX];
	size_t count = 0;

	(void)bucket;
	(void)attempt;
	if (!sotto_program_is_there(python()))
		return sotto_fail(err, SOTTO_EMISSING,
				  "launcher: spark needs %.80s with pyspark, which is not in "
				  "PATH; PYSPARK_DRIVER_PYTHON names another",
				  python());
	SOTTO_TRY(sotto_worker_find_for_buckets(found, sizeof found, err));
	if (!realpath(found, program)) /* it may be /proc/self/exe */
		return SOTTO_EIO;
	driver = find_driver(a, program);
	if (!driver)
		return sotto_fail(err, SOTTO_EMISSING,
				  "share/sotto/spark_driver.py was not found above the folder "
				  "of %.200s; install sotto with make install",
				  program);
	SOTTO_TRY(shipped_files(a, s, sotto_arena_text(a, program), &files));
	SOTTO_WORDS_NEED(sotto_words_add(a, &words, &count, python()) &&
			 sotto_words_add(a, &words, &count, driver) &&
			 sotto_words_add(a, &words, &count, s->master) &&
			 sotto_words_add(a, &words, &count,
					 sotto_arena_textf(a, "%u", (unsigned)s->buckets)) &&
			 sotto_words_add(a, &words, &count, s->program ? s->program : "") &&
			 sotto_words_add(a, &words, &count, files));
	for (size_t i = 0; i < s->option_count; i++)
		SOTTO_WORDS_NEED(sotto_words_add(a, &words, &count, s->options[i]));
	SOTTO_WORDS_NEED(sotto_words_add(a, &words, &count, NULL) && words[3]);
	*out = words;
	return SOTTO_OK;
}

/* The driver knows where pyspark and java can be; if it cannot be asked, nothing is said. */
static enum sotto_status check(const char *const *words, struct sotto_error *err)
{
	const char *const question[] = {words[0], words[1], "--check", NULL}, *line;
	struct sotto_spread_process p;
	int status;

	if (sotto_spread_process_open(&p, question, false, true) != SOTTO_OK)
		return SOTTO_OK;
	status = sotto_spread_process_wait(&p, PATIENCE);
	sotto_spread_process_close(&p, 0);
	if (status != NOT_THERE)
		return SOTTO_OK;
	p.last[strlen(p.last) - (*p.last ? 1 : 0)] = '\0';
	line = strrchr(p.last, '\n');
	return sotto_fail(err, SOTTO_EMISSING, "launcher: spark cannot be used here: %.200s",
			  line ? line + 1 : p.last);
}

/* A master on this machine has its workers here, too. */
static const char *listen_at(struct sotto_arena *a, const struct sotto_spread_settings *s)
{
	char name[256] = "";

	if (strncmp(s->master, "local", 5) == 0 || strstr(s->master, "//127.0.0.1") ||
	    strstr(s->master, "//localhost"))
		return "127.0.0.1";
	if (gethostname(name, sizeof name - 1) != 0)
		return NULL;
	return sotto_arena_text(a, name);
}

const struct sotto_launcher sotto_launcher_spark = {.name = "spark",
						    .is_scheduler = true,
						    .needs_master = true,
						    .is_remote = true,
						    .command = command,
						    .check = check,
						    .listen = listen_at};
