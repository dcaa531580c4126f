/* One session of the library: answers each line of standard input, a count, in one line. */
#include <stdio.h>
#include <string.h>

#include "sotto/query.h"
#include "sotto/rational.h"

static void answer(struct sotto_session *s, const struct sotto_rational *epsilon, char *sql)
{
	struct sotto_question q = {.sql = sql, .epsilon = epsilon, .fresh = true};
	struct sotto_answer *a = NULL;
	struct sotto_error err = {""};

	sql[strcspn(sql, "\n")] = '\0';
	if (sotto_session_query(s, &q, &a, &err) == SOTTO_OK) {
		printf("%.0f\n", a->values[0].number);
		sotto_answer_free(a);
	} else {
		printf("%s\n", err.text);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sotto_session *s = NULL;
	struct sotto_rational epsilon;
	struct sotto_error err = {""};
	char line[1000];

	if (argc != 2 || sotto_session_open(argv[1], &s, &err) != SOTTO_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	sotto_rational_init(&epsilon);
	if (sotto_rational_set_ratio(&epsilon, 1000, 1) != SOTTO_OK)
		return 1;
	while (fgets(line, sizeof line, stdin))
		answer(s, &epsilon, line);
	sotto_rational_release(&epsilon);
	sotto_session_close(s);
	return 0;
}
