#include "central/session/release/limits_key.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

static enum sotto_status
name_key(const char *what, const char *name, char key[SOTTO_RELEASE_KEY_SIZE])
{
	unsigned char digest[32];
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool made = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 &&
		    EVP_DigestUpdate(context, what, strlen(what)) == 1 &&
		    EVP_DigestUpdate(context, name, strlen(name)) == 1 &&
		    EVP_DigestFinal_ex(context, digest, NULL) == 1;

	EVP_MD_CTX_free(context);
	for (size_t i = 0; made && i < sizeof digest; i++)
		(void)snprintf(key + 2 * i, 3, "%02x", digest[i]);
	return made ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_spread_key(const char *name, char key[SOTTO_RELEASE_KEY_SIZE])
{
	return name_key("limits\n", name, key);
}

enum sotto_status sotto_spread_key_for_all(const char *name, char key[SOTTO_RELEASE_KEY_SIZE])
{
	return name_key("limits for all\n", name, key);
}
