#include "tests/support/temp_folder.h"

#include "tests/support/hd_test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 512

temp_folder temp_folder_make(void) {
  temp_folder folder = {"test-folder-XXXXXX"};
  cr_assert(mkdtemp(folder.path) != NULL, "the working folder must be writable");
  return folder;
}

static void remove_tree(const char *path) {
  DIR *entries = opendir(path);
  for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
      continue;
    }
    char child[PATH_SIZE];
    struct stat about;
    (void)snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
    if (lstat(child, &about) == 0 && S_ISDIR(about.st_mode)) {
      remove_tree(child);
    } else {
      (void)unlink(child);
    }
  }
  if (entries != NULL) {
    (void)closedir(entries);
  }
  (void)rmdir(path);
}

void temp_folder_remove(const temp_folder *folder) {
  remove_tree(folder->path);
}

const char *temp_folder_path(const temp_folder *folder, const char *name) {
  static char path[PATH_SIZE];
  (void)snprintf(path, sizeof path, "%s/%s", folder->path, name);
  return path;
}

void temp_folder_write(const temp_folder *folder, const char *name, const void *data, size_t size_bytes) {
  char path[PATH_SIZE];
  int length = snprintf(path, sizeof path, "%s/%s", folder->path, name);
  cr_assert(length > 0 && (size_t)length < sizeof path);
  for (char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0777); /* it may be there */
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  cr_assert(file != NULL, "cannot write %s", path);
  cr_assert(fwrite(data, 1, size_bytes, file) == size_bytes);
  cr_assert(fclose(file) == 0);
}

void temp_folder_write_text(const temp_folder *folder, const char *name, const char *text) {
  temp_folder_write(folder, name, text, strlen(text));
}

size_t temp_folder_count(const temp_folder *folder) {
  DIR *entries = opendir(folder->path);
  cr_assert(entries != NULL);
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  }
  (void)closedir(entries);
  return count;
}
