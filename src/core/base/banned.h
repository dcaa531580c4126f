/*
 * banned.h - turns functions that must not be used here into compile errors
 *
 * The Makefile forces this header into every source file of the library and the program.  The
 * system headers that declare the functions come first.
 */
#ifndef SOTTO_BANNED_H
#define SOTTO_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SOTTO_BANNED(function) sotto_bans_##function

/* no bound on what is written */
#undef strcpy
#define strcpy(...) SOTTO_BANNED(strcpy)
#undef strcat
#define strcat(...) SOTTO_BANNED(strcat)
#undef sprintf
#define sprintf(...) SOTTO_BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) SOTTO_BANNED(vsprintf)
#undef stpcpy
#define stpcpy(...) SOTTO_BANNED(stpcpy)

/* surprising termination or error reporting */
#undef strncpy
#define strncpy(...) SOTTO_BANNED(strncpy)
#undef strncat
#define strncat(...) SOTTO_BANNED(strncat)
#undef strtok
#define strtok(...) SOTTO_BANNED(strtok)
#define atoi(...) SOTTO_BANNED(atoi)
#define atol(...) SOTTO_BANNED(atol)
#define atof(...) SOTTO_BANNED(atof)

/* randomness that is not the operating system's */
#define rand(...) SOTTO_BANNED(rand)
#define srand(...) SOTTO_BANNED(srand)
#define random(...) SOTTO_BANNED(random)
#define srandom(...) SOTTO_BANNED(srandom)
#define drand48(...) SOTTO_BANNED(drand48)
#define lrand48(...) SOTTO_BANNED(lrand48)

/* shared static results */
#define gmtime(...) SOTTO_BANNED(gmtime)
#define localtime(...) SOTTO_BANNED(localtime)
#define ctime(...) SOTTO_BANNED(ctime)
#define asctime(...) SOTTO_BANNED(asctime)
#define strerror(...) SOTTO_BANNED(strerror)

/* file names that others can guess; programs through a shell */
#define mktemp(...) SOTTO_BANNED(mktemp)
#define tmpnam(...) SOTTO_BANNED(tmpnam)
#define system(...) SOTTO_BANNED(system)
#define popen(...) SOTTO_BANNED(popen)

#endif
