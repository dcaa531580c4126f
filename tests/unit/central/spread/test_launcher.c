/* Every launcher of the table: a name of its own, a command that holds what the settings say. */
#include "central/spread/launcher/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buffer.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

static struct folder programs; /* all that is in PATH */

static void make_program(const char *name)
{
	char path[FOLDER_PATH_MAX];
	FILE *f;

	folder_file(&programs, name, path);
	f = fopen(path, "w");
	REQUIRE(f != NULL);
	(void)fclose(f);
	REQUIRE(chmod(path, 0700) == 0);
}

static const char *const hosts[] = {"one", "two"};
static const char *const options[] = {"--first", "second"};
static const struct sotto_spread_settings settings = {.buckets = 12,
						      .parallel = 2,
						      .master = "spark://10.0.0.5:7077",
						      .hosts = hosts,
						      .host_count = 2,
						      .program = "/opt/sotto/bin/sotto",
						      .options = options,
						      .option_count = 2};

static bool has_word(const char *const *words, const char *word)
{
	for (; *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

static void each_has_a_name_and_is_found_by_it(void)
{
	const struct sotto_launcher *l;
	size_t count = 0;

	for (; (l = sotto_launcher_at(count)) != NULL; count++) {
		CHECK(l->name && *l->name && l->command);
		CHECK(sotto_launcher_find(l->name) == l);
		CHECK(l->is_scheduler == (l->listen != NULL));
		CHECK(!l->needs_hosts || !l->needs_master);
		CHECK(!(l->needs_hosts || l->needs_master) || l->is_remote);
	}
	CHECK(count >= 3);
	CHECK(sotto_launcher_find("ray") == NULL && sotto_launcher_find("") == NULL);
	CHECK(strcmp(sotto_launcher_at(0)->name, "local") == 0); /* if the policy names none */
}

/* What is given for other machines reaches the command of those who have them. */
static void each_starts_the_program_that_the_settings_name(void)
{
	const struct sotto_launcher *l;

	for (size_t i = 0; (l = sotto_launcher_at(i)) != NULL; i++) {
		struct sotto_error err = {""};
		const char *const *words;
		struct sotto_arena a;

		sotto_arena_init(&a, 1 << 20);
		if (tap_check(l->command(&a, &settings, 3, 0, &words, &err) == SOTTO_OK,
			      __FILE__, __LINE__, "%s: %s", l->name, err.text)) {
			CHECK(words[0] && (!l->is_remote || sotto_program_is_there(words[0])));
			CHECK(has_word(words, settings.program));
			CHECK(!l->needs_master || has_word(words, settings.master));
			CHECK(!l->needs_hosts || has_word(words, "two"));
			CHECK(!l->is_remote ||
			      (has_word(words, "--first") && has_word(words, "second")));
		}
		sotto_arena_release(&a);
	}
}

static void a_bucket_goes_to_the_next_host_after_it_was_lost(void)
{
	for (unsigned attempt = 0; attempt < 4; attempt++) {
		const char *const *words;
		struct sotto_arena a;

		sotto_arena_init(&a, 1 << 20);
		REQUIRE(sotto_launcher_ssh.command(&a, &settings, 3, attempt, &words, NULL) ==
			SOTTO_OK);
		CHECK(has_word(words, hosts[(3 + attempt) % 2]));
		CHECK(!has_word(words, hosts[(4 + attempt) % 2]));
		sotto_arena_release(&a);
	}
}

static void a_program_that_is_not_there_is_named(void)
{
	static const struct {
		const struct sotto_launcher *launcher;
		const char *program;
	} cases[] = {{&sotto_launcher_ssh, "ssh"}, {&sotto_launcher_spark, "python3"}};

	REQUIRE(setenv("PATH", "/nowhere", 1) == 0);
	for (size_t i = 0; i < 2; i++) {
		struct sotto_error err = {""};
		const char *const *words;
		struct sotto_arena a;

		sotto_arena_init(&a, 1 << 20);
		CHECK(cases[i].launcher->command(&a, &settings, 0, 0, &words, &err) ==
		      SOTTO_EMISSING);
		CHECK(strstr(err.text, cases[i].program) != NULL);
		sotto_arena_release(&a);
	}
	REQUIRE(setenv("PATH", programs.path, 1) == 0);
}

/* One row each in the table of the page: "| `ssh` | ...". */
static void each_is_described(void)
{
	const struct sotto_launcher *l;
	struct sotto_buffer page;

	sotto_buffer_init(&page, 1 << 20);
	REQUIRE(sotto_buffer_append_file(&page, "docs/many-machines.md") == SOTTO_OK);
	for (size_t i = 0; (l = sotto_launcher_at(i)) != NULL; i++) {
		char row[64];

		(void)snprintf(row, sizeof row, "\n| `%s` ", l->name);
		CHECK(strstr(sotto_buffer_text(&page), row) != NULL);
	}
	sotto_buffer_release(&page);
}

static void set_path(void)
{
	make_program("ssh");
	make_program("python3");
	REQUIRE(setenv("PATH", programs.path, 1) == 0);
	REQUIRE(unsetenv("PYSPARK_DRIVER_PYTHON") == 0);
}

int main(void)
{
	folder_open(&programs);
	RUN(set_path);
	RUN(each_has_a_name_and_is_found_by_it);
	RUN(each_starts_the_program_that_the_settings_name);
	RUN(a_bucket_goes_to_the_next_host_after_it_was_lost);
	RUN(a_program_that_is_not_there_is_named);
	RUN(each_is_described);
	folder_close(&programs);
	return tap_done();
}
