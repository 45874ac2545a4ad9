// SPDX-License-Identifier: Apache-2.0
// All of SPIRV-Tools is used from this file, its C part too: its C header defines an object, so
// that only one C file of a program could include it.
#include "tools.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <glslang/Include/glslang_c_interface.h>
#include <spirv-tools/libspirv.h>
#include <spirv-tools/optimizer.hpp>

// glslang keeps two thread-specific keys for ever after its first start; a process has 1024 of
// them, so a host that loads and unloads us some 500 times would run out. Its own way to free them
// is declared in no installed header. Weak, because releases that use thread_local instead have no
// keys.
namespace glslang
{
extern void *ThreadInitializeIndex __attribute__((weak));
extern void *PoolIndex __attribute__((weak));
bool OS_FreeTLSIndex(void *index) __attribute__((weak));
} // namespace glslang

#ifdef __GLIBCXX__
namespace __gnu_cxx
{
void __freeres();
}

// The static libstdc++ sets 72 KB aside for exceptions when it is loaded and gives them back to
// nobody; a host that loads and unloads us would lose them each time. Only for the static one,
// which every final object links (see CMakeLists.txt): of a shared one this would free what belongs
// to the host.
__attribute__((destructor)) static void unload()
{
    __gnu_cxx::__freeres();
}
#endif

namespace
{

// Process-wide because glslang is: how many hold it, and whether it was left in the middle of a
// call.
std::mutex lock;
size_t holds;
bool broken;

constexpr spv_target_env target = SPV_ENV_VULKAN_1_2;

struct context_deleter {
    void operator()(spv_context context) const
    {
        spvContextDestroy(context);
    }
};
using context_ptr = std::unique_ptr<spv_context_t, context_deleter>;

void free_key(void **index)
{
    if (!index || !*index || !glslang::OS_FreeTLSIndex)
        return;
    glslang::OS_FreeTLSIndex(*index);
    *index = nullptr; // glslang takes this for "not started yet" and makes new keys
}

void stop_glslang()
{
    glslang_finalize_process();
    free_key(&glslang::ThreadInitializeIndex);
    free_key(&glslang::PoolIndex);
}

// Copies into memory that C code can free.
void *copy_out(const void *bytes, size_t n)
{
    void *copy = std::malloc(n);
    if (copy)
        std::memcpy(copy, bytes, n);
    return copy;
}

} // namespace

enum pail_spirv_status pail_spirv_acquire(void)
try {
    const std::lock_guard<std::mutex> guard(lock);
    if (broken)
        return PAIL_SPIRV_MEMORY;
    if (holds == 0 && !glslang_initialize_process())
        return PAIL_SPIRV_MEMORY;
    holds++;
    return PAIL_SPIRV_OK;
} catch (...) {
    broken = true;
    return PAIL_SPIRV_MEMORY;
}

void pail_spirv_release(void)
{
    const std::lock_guard<std::mutex> guard(lock);
    if (--holds == 0 && !broken)
        stop_glslang();
}

// glslang is built without exception handling: a throw passes it without unlocking its locks or
// repairing its tables. So one such event ends its use, which loses run-time compiling and nothing
// else.
int pail_tools_guard(void (*body)(void *user), void *user)
try {
    {
        const std::lock_guard<std::mutex> guard(lock);
        if (broken)
            return 0;
    }
    body(user);
    return 1;
} catch (...) {
    const std::lock_guard<std::mutex> guard(lock);
    broken = true;
    return 0;
}

enum pail_spirv_status pail_tools_validate(const uint32_t *words, size_t n_words, const char *what,
                                           struct pail_message *message)
try {
    const context_ptr context(spvContextCreate(target));
    if (!context)
        return PAIL_SPIRV_MEMORY;
    spv_diagnostic diagnostic = nullptr;
    const spv_result_t result = spvValidateBinary(context.get(), words, n_words, &diagnostic);
    if (result != SPV_SUCCESS)
        pail_message_add(message, "%s: invalid SPIR-V: %s", what,
                         diagnostic ? diagnostic->error : "no reason given");
    spvDiagnosticDestroy(diagnostic);
    return result == SPV_SUCCESS ? PAIL_SPIRV_OK : PAIL_SPIRV_INVALID;
} catch (...) {
    return PAIL_SPIRV_MEMORY;
}

enum pail_spirv_status pail_tools_shorten(const uint32_t *words, size_t n_words, const char *what,
                                          uint32_t **out_words, size_t *n_out,
                                          struct pail_message *message)
try {
    spvtools::Optimizer optimizer(target);
    optimizer.SetMessageConsumer(
        [&](spv_message_level_t level, const char *, const spv_position_t &, const char *text) {
            if (level <= SPV_MSG_ERROR)
                pail_message_add(message, "%s: SPIRV-Tools: %s", what, text);
        });
    // Short on purpose. The list behind -O inlines every call and unrolls every loop, which turns
    // field code of 15 KB into hundreds of KB and takes gigabytes to do it.
    optimizer.RegisterPass(spvtools::CreateStripDebugInfoPass())
        .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass())
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateLoopUnrollPass(true))
        .RegisterPass(spvtools::CreateCCPPass())
        .RegisterPass(spvtools::CreateDeadBranchElimPass())
        .RegisterPass(spvtools::CreateSimplificationPass())
        .RegisterPass(spvtools::CreateBlockMergePass())
        .RegisterPass(spvtools::CreateScalarReplacementPass(64))
        .RegisterPass(spvtools::CreateSSARewritePass())
        .RegisterPass(spvtools::CreateSimplificationPass())
        .RegisterPass(spvtools::CreateAggressiveDCEPass())
        .RegisterPass(spvtools::CreateCompactIdsPass());
    spvtools::OptimizerOptions options;
    options.set_run_validator(false); // the caller validates, before and after
    std::vector<uint32_t> result;
    if (!optimizer.Run(words, n_words, &result, options))
        return PAIL_SPIRV_INVALID;
    *out_words = static_cast<uint32_t *>(copy_out(result.data(), result.size() * sizeof(uint32_t)));
    if (!*out_words)
        return PAIL_SPIRV_MEMORY;
    *n_out = result.size();
    return PAIL_SPIRV_OK;
} catch (...) {
    return PAIL_SPIRV_MEMORY;
}

enum pail_spirv_status pail_tools_disassemble(const uint32_t *words, size_t n_words, char **text)
try {
    *text = nullptr;
    const context_ptr context(spvContextCreate(target));
    if (!context)
        return PAIL_SPIRV_MEMORY;
    spv_text assembler = nullptr;
    const uint32_t options =
        SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
    const spv_result_t result =
        spvBinaryToText(context.get(), words, n_words, options, &assembler, nullptr);
    if (result == SPV_SUCCESS)
        *text = static_cast<char *>(copy_out(assembler->str, assembler->length + 1));
    spvTextDestroy(assembler);
    if (result != SPV_SUCCESS)
        return PAIL_SPIRV_INVALID;
    return *text ? PAIL_SPIRV_OK : PAIL_SPIRV_MEMORY;
} catch (...) {
    return PAIL_SPIRV_MEMORY;
}
