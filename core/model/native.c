/* The compiler's process, the temporary folder, and the loaded code; see native.h.
 *
 *   begin: plan -> text -> <folder>/model.c -> compiler (a child in a process group of its own)
 *   poll:  child ended? -> dlopen(<folder>/model.so) -> folder removed -> READY or FAILED
 *   free:  child killed with its group and waited for, folder removed, code unloaded
 *
 * The child reads and writes nothing but its files: its standard streams are /dev/null. It is waited for by its own
 * number only, so the caller's other children are left alone. A compiler that does not end costs a process until the
 * search ends and no more. Threads: one at a time for each hd_native; loaded code is read-only.
 * Cost: that of the compiler, 0.2 s and more, beside the search. */
#include "core/model/native.h"

#include "core/model/coded.h"
#include "core/model/flat.h"
#include "core/model/native_text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_BYTES = 1024, ARGUMENTS_MAX = 32 };

struct hd_native {
  const hd_model *model;
  hd_native_state state;
  pid_t compiler; /* 0: none is running */
  char folder[PATH_BYTES], source[PATH_BYTES + 16], object[PATH_BYTES + 16];
  void *library; /* dlopen's */
  hdi_native_run run[3];
};

/* ---- files ---- */

static bool make_folder(hd_native *native) {
  const char *base = getenv("TMPDIR");
  base = base == NULL || base[0] == '\0' ? "/tmp" : base;
  int size = snprintf(native->folder, sizeof native->folder, "%s/heddle-XXXXXX", base);
  if (size < 0 || (size_t)size >= sizeof native->folder || mkdtemp(native->folder) == NULL) {
    native->folder[0] = '\0';
    return false;
  }
  (void)snprintf(native->source, sizeof native->source, "%s/model.c", native->folder);
  (void)snprintf(native->object, sizeof native->object, "%s/model.so", native->folder);
  return true;
}

static void remove_folder(hd_native *native) {
  if (native->folder[0] != '\0') {
    (void)unlink(native->source);
    (void)unlink(native->object);
    (void)rmdir(native->folder);
    native->folder[0] = '\0';
  }
}

/* ---- the compiler ---- */

/* Starts `arguments` in a process group of its own, silent. */
static bool start(hd_native *native, char **arguments) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    return false;
  }
  if (posix_spawnattr_init(&attributes) != 0) {
    (void)posix_spawn_file_actions_destroy(&actions);
    return false;
  }
  bool ready = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) == 0 &&
               posix_spawnattr_setpgroup(&attributes, 0) == 0;
  for (int stream = 0; stream < 3 && ready; stream++) {
    ready = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0) == 0;
  }
  pid_t child = 0;
  ready = ready && posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ) == 0;
  native->compiler = ready ? child : 0;
  (void)posix_spawnattr_destroy(&attributes);
  (void)posix_spawn_file_actions_destroy(&actions);
  return ready;
}

/* The words of $CC, or cc, and what is to be done. */
static bool start_compiler(hd_native *native) {
  static const char *const rest[] = {"-O2", "-w", "-shared", "-fPIC", "-o"};
  const char *given = getenv("CC");
  char *words = strdup(given == NULL || given[strspn(given, " \t")] == '\0' ? "cc" : given);
  if (words == NULL) {
    return false;
  }
  char *arguments[ARGUMENTS_MAX + sizeof rest / sizeof *rest + 3];
  char options[sizeof rest / sizeof *rest][16];
  size_t count = 0;
  char *place = NULL;
  for (char *word = strtok_r(words, " \t", &place); word != NULL && count < ARGUMENTS_MAX;
       word = strtok_r(NULL, " \t", &place)) {
    arguments[count++] = word;
  }
  for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
    (void)snprintf(options[i], sizeof options[i], "%s", rest[i]);
    arguments[count++] = options[i];
  }
  arguments[count++] = native->object;
  arguments[count++] = native->source;
  arguments[count] = NULL;
  bool started = start(native, arguments);
  free(words);
  return started;
}

/* ---- loading ---- */

static bool load(hd_native *native) {
  native->library = dlopen(native->object, RTLD_NOW | RTLD_LOCAL);
  if (native->library == NULL) {
    return false;
  }
  int last = native->model->has_zero_weights ? HD_WEIGHT_ONE : HD_WEIGHT_ANY;
  for (int weights = HD_WEIGHT_ANY; weights <= last; weights++) {
    char name[32];
    (void)snprintf(name, sizeof name, "hd_native_run_%d", weights);
    void *found = dlsym(native->library, name);
    if (found == NULL) {
      return false;
    }
    memcpy(&native->run[weights], &found, sizeof found); /* C has no cast from an object's to a function's address */
  }
  return true;
}

static void end_compiler(hd_native *native, int status) {
  native->compiler = 0;
  bool made = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  native->state = made && load(native) ? HD_NATIVE_READY : HD_NATIVE_FAILED;
  remove_folder(native);
}

static hd_native_state look(hd_native *native, int options) {
  if (native->state != HD_NATIVE_WORKING) {
    return native->state;
  }
  int status = 0;
  pid_t ended;
  do {
    ended = waitpid(native->compiler, &status, options);
  } while (ended < 0 && errno == EINTR);
  if (ended != 0) { /* -1: somebody else has waited for it */
    end_compiler(native, ended < 0 ? -1 : status);
  }
  return native->state;
}

hd_native_state hd_native_poll(hd_native *native) {
  return look(native, WNOHANG);
}

hd_native_state hd_native_wait(hd_native *native) {
  return look(native, 0);
}

/* ---- making and freeing ---- */

static hd_status print_model(hd_native *native) {
  hdi_plan plan;
  hd_status status = hdi_plan_make(native->model, &plan);
  if (status != HD_OK) {
    return status;
  }
  hd_buffer text = {0};
  status = hdi_native_text(native->model, &plan, &text);
  uint32_t most = native->model->flat.valid ? hdi_flat_max(native->model) : native->model->coded->plan.successors_max;
  if (status == HD_OK && plan.successors_max > most) {
    status = HD_E_LIMIT; /* callers of the fast path make room for `most` */
  }
  hdi_plan_free(&plan);
  if (status == HD_OK && (!make_folder(native) || hd_file_write(native->source, text.data, text.size_bytes) != HD_OK)) {
    status = HD_E_IO;
  }
  hd_buffer_free(&text);
  return status;
}

hd_status hd_native_begin(const hd_model *model, hd_native **out) {
  *out = NULL;
  if (model->has_strong || model->has_weak || (!model->flat.valid && model->coded == NULL)) {
    return HD_E_LIMIT;
  }
  hd_native *native = calloc(1, sizeof *native);
  if (native == NULL) {
    return HD_E_NOMEM;
  }
  native->model = model;
  native->state = HD_NATIVE_WORKING;
  hd_status status = print_model(native);
  if (status == HD_OK && !start_compiler(native)) {
    status = HD_E_IO;
  }
  if (status != HD_OK) {
    hd_native_free(native);
    return status;
  }
  *out = native;
  return HD_OK;
}

void hd_native_free(hd_native *native) {
  if (native == NULL) {
    return;
  }
  if (native->compiler > 0) {
    (void)kill(-native->compiler, SIGKILL); /* with the processes that it has started */
    while (waitpid(native->compiler, NULL, 0) < 0 && errno == EINTR) {}
  }
  remove_folder(native);
  if (native->library != NULL) {
    (void)dlclose(native->library);
  }
  free(native);
}

/* ---- using ---- */

void hd_stepper_use_native(hd_stepper *stepper, const hd_native *native) {
  HD_REQUIRE(native->state == HD_NATIVE_READY && native->model == stepper->model && hd_stepper_bulk_max(stepper) > 0);
  stepper->native = native;
}

uint32_t hdi_native_bulk(hd_stepper *stepper, const uint64_t *states, uint32_t count, hd_weight_filter weights,
                         uint64_t *next, size_t room, uint32_t *ends, bool *odd) {
  const hd_native *native = stepper->native;
  const hd_model *model = stepper->model;
  if (!model->has_zero_weights) { /* all weights are 1: one function is enough */
    if (weights == HD_WEIGHT_ZERO) {
      memset(ends, 0, count * sizeof *ends);
      return count;
    }
    weights = HD_WEIGHT_ANY;
  }
  uint32_t is_odd = 0;
  const uint64_t *last = next + (room - hd_stepper_bulk_max(stepper) - HD_BULK_SLACK) * model->words;
  uint32_t done = native->run[weights](states, count, next, last, ends, &is_odd);
  *odd = is_odd != 0;
  return done;
}
