/* Runs a fuzz target on every file of the folders given, without libFuzzer: the corpus as an ordinary test.
 *
 * usage: replay_TARGET FOLDER...      exit 0: every file ran; 1: a folder cannot be read or is empty. A fault aborts,
 * after the file's name was printed. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

/* A heap copy of exactly the file's size, so that a sanitizer sees a read past its end. NULL when it cannot be read. */
static uint8_t *load(const char *path, size_t size_bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  uint8_t *data = malloc(size_bytes == 0 ? 1 : size_bytes);
  if (data != NULL && fread(data, 1, size_bytes, file) != size_bytes) {
    free(data);
    data = NULL;
  }
  (void)fclose(file);
  return data;
}

static bool run_file(const char *path, size_t size_bytes) {
  uint8_t *data = load(path, size_bytes);
  if (data == NULL) {
    return false;
  }
  (void)printf("%s\n", path);
  (void)fflush(stdout);
  (void)LLVMFuzzerTestOneInput(data, size_bytes);
  free(data);
  return true;
}

static size_t run_folder(const char *folder) {
  struct dirent **names = NULL;
  int count = scandir(folder, &names, NULL, alphasort);
  size_t ran = 0;
  for (int i = 0; i < count; i++) {
    char path[4096];
    struct stat about;
    int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
    if (length > 0 && (size_t)length < sizeof path && stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
      ran += run_file(path, (size_t)about.st_size) ? 1 : 0;
    }
    free(names[i]);
  }
  free(names);
  return ran;
}

int main(int argc, char **argv) {
  bool good = argc > 1;
  for (int i = 1; i < argc; i++) {
    size_t ran = run_folder(argv[i]);
    (void)printf("%zu files in %s\n", ran, argv[i]);
    good = good && ran > 0;
  }
  return good ? 0 : 1;
}
