// SPDX-License-Identifier: Apache-2.0
/* Circuits in SpiderMonkey. Each run has a context and a memory of its own, which are unmapped when
 * it ends; compiled code is shared. Inputs and the witness are lent to the engine where they are,
 * so that its heap holds none of them. */
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include <jsapi.h>

#include <js/ArrayBuffer.h>
#include <js/CompilationAndEvaluation.h>
#include <js/ContextOptions.h>
#include <js/Conversions.h>
#include <js/Exception.h>
#include <js/Initialization.h>
#include <js/Interrupt.h>
#include <js/SourceText.h>
#include <js/WasmModule.h>
#include <js/experimental/TypedData.h>

#include "witness/engine.h"

extern "C" const char pail_circuit_script[]; // circuit.js of the binding of Node

namespace
{

constexpr uint32_t HEAP_BYTES = 64u << 20; // of the engine; a circuit's memory is beside it
constexpr size_t STACK_BYTES = 6u << 20;   // of 8 MiB
constexpr double WTNS_WORDS_MIN = 19;      // of a witness without values
constexpr double WTNS_WORDS_END = 0x1p33;

const JSClass GLOBAL = {
    "global", JSCLASS_GLOBAL_FLAGS, &JS::DefaultGlobalClassOps, nullptr, nullptr, nullptr};

// Threads of the engine inherit this mask: signals of the host do not arrive in them.
class Masked
{
  public:
    Masked()
    {
        sigset_t all;
        sigfillset(&all);
        for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
            sigdelset(&all, own);
        pthread_sigmask(SIG_BLOCK, &all, &before);
    }
    ~Masked()
    {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    Masked(const Masked &) = delete;
    Masked &operator=(const Masked &) = delete;

  private:
    sigset_t before;
};

// The engine from its first use to the end of the process, when it has to be shut down before its
// own destructors run. Contexts that are in use then are interrupted.
class Engine
{
  public:
    Engine()
    {
        const Masked masked;
        good = JS_Init();
    }
    ~Engine()
    {
        std::unique_lock<std::mutex> lock(mutex);
        ending = true;
        // Between two runs of code that can be interrupted, an interrupt may be missed.
        do
            for (JSContext *const cx : contexts)
                JS_RequestInterruptCallback(cx);
        while (!changed.wait_for(lock, std::chrono::milliseconds(10),
                                 [this] { return contexts.empty(); }));
        if (good)
            JS_ShutDown();
    }
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    JSContext *make()
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const Masked masked;
        JSContext *const cx = good && !ending ? JS_NewContext(HEAP_BYTES) : nullptr;
        if (cx)
            contexts.insert(cx);
        return cx;
    }

    void destroy(JSContext *cx)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        JS_DestroyContext(cx);
        contexts.erase(cx);
        changed.notify_all();
    }

  private:
    bool good, ending = false;
    std::mutex mutex;
    std::condition_variable changed;
    std::set<JSContext *> contexts;
};

Engine &engine()
{
    static Engine only;
    return only;
}

// An interrupt ends the script with an exception that nobody can catch.
bool stop(JSContext *cx)
{
    static_cast<pail_engine_job *>(JS_GetContextPrivate(cx))->interrupted = true;
    return false;
}

bool log_line(JSContext *cx, unsigned argc, JS::Value *vp)
{
    const JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
    const auto *job = static_cast<const pail_engine_job *>(JS_GetContextPrivate(cx));
    args.rval().setUndefined();
    if (!job->log)
        return true;
    const JS::RootedString text(cx, JS::ToString(cx, args.get(0)));
    JS::UniqueChars line = text ? JS_EncodeStringToUTF8(cx, text) : nullptr;
    if (!line)
        return false;
    job->log(job->user, line.get());
    explicit_bzero(line.get(), strlen(line.get())); // it may have secrets
    return true;
}

// The message of the pending exception.
pail_status failed(JSContext *cx, pail_engine_job *job)
{
    if (!JS_IsExceptionPending(cx)) { // of an interrupt, or without memory even for one
        (void)snprintf(job->error, sizeof(job->error), "%s",
                       job->interrupted ? "was interrupted" : "the engine is out of memory");
        return job->interrupted ? PAIL_ERR_STOPPED : PAIL_ERR_HOST_MEMORY;
    }
    const bool no_memory = JS_IsThrowingOutOfMemory(cx);
    JS::RootedValue thrown(cx), message(cx);
    if (JS_GetPendingException(cx, &thrown))
        message = thrown;
    JS_ClearPendingException(cx);
    if (thrown.isObject()) {
        const JS::RootedObject object(cx, &thrown.toObject());
        (void)JS_GetProperty(cx, object, "message", &message);
    }
    const JS::RootedString text(cx, JS::ToString(cx, message));
    const JS::UniqueChars chars = text ? JS_EncodeStringToUTF8(cx, text) : nullptr;
    JS_ClearPendingException(cx);
    (void)snprintf(job->error, sizeof(job->error), "%s", chars ? chars.get() : "out of memory");
    return no_memory || !chars ? PAIL_ERR_HOST_MEMORY : PAIL_ERR_DATA;
}

// Memory of ours as an array of words; NULL with an exception.
JSObject *lent(JSContext *cx, const void *bytes, size_t n)
{
    const JS::RootedObject buffer(
        cx, JS::NewArrayBufferWithUserOwnedContents(cx, n, const_cast<void *>(bytes)));
    return buffer ? JS_NewUint32ArrayWithBuffer(cx, buffer, 0, static_cast<int64_t>(n / 4))
                  : nullptr;
}

// The class Circuit, which the script exports.
bool read_script(JSContext *cx, JS::MutableHandleObject made)
{
    const JS::RootedObject exporting(cx, JS_NewPlainObject(cx));
    JS::SourceText<mozilla::Utf8Unit> source;
    JS::CompileOptions options(cx);
    options.setFileAndLine("circuit.js", 1);
    const char *const names[] = {"module"};
    JS::RootedObjectVector scope(cx);
    if (!exporting || !source.init(cx, pail_circuit_script, strlen(pail_circuit_script),
                                   JS::SourceOwnership::Borrowed))
        return false;
    const JS::RootedFunction wrapper(
        cx, JS::CompileFunction(cx, scope, options, "circuit", 1, names, source));
    JS::RootedValueArray<1> arguments(cx);
    JS::RootedValue ignored(cx), exported(cx);
    arguments[0].setObject(*exporting);
    if (!wrapper || !JS_CallFunction(cx, nullptr, wrapper, arguments, &ignored) ||
        !JS_GetProperty(cx, exporting, "exports", &exported))
        return false;
    made.set(&exported.toObject());
    return true;
}

// A WebAssembly.Module: out of compiled code, or compiled.
JSObject *read_module(JSContext *cx, JS::HandleObject global, const pail_engine_job *job)
{
    if (job->module)
        return static_cast<const JS::WasmModule *>(job->module)->createObject(cx);
    JS::RootedValue webassembly(cx), constructor(cx);
    JS::RootedValueArray<1> arguments(cx);
    JS::RootedObject made(cx);
    if (!JS_GetProperty(cx, global, "WebAssembly", &webassembly) || !webassembly.isObject()) {
        JS_ReportErrorASCII(cx, "cannot run: the engine has no WebAssembly for this processor");
        return nullptr;
    }
    const JS::RootedObject object(cx, &webassembly.toObject());
    const JS::RootedObject bytes(cx, JS::NewArrayBufferWithUserOwnedContents(
                                         cx, job->n_wasm, const_cast<uint8_t *>(job->wasm)));
    if (!bytes || !JS_GetProperty(cx, object, "Module", &constructor))
        return nullptr;
    arguments[0].setObject(*bytes);
    return JS::Construct(cx, constructor, arguments, &made) ? made.get() : nullptr;
}

JSObject *list_signals(JSContext *cx, const pail_engine_job *job)
{
    const JS::RootedObject list(cx, JS::NewArrayObject(cx, job->n_signals));
    for (size_t i = 0; list && i < job->n_signals; i++) {
        const JS::RootedObject signal(cx, JS_NewPlainObject(cx));
        const JS::ConstUTF8CharsZ utf8(job->signals[i].name, strlen(job->signals[i].name));
        const JS::RootedString name(cx, JS_NewStringCopyUTF8Z(cx, utf8));
        const JS::RootedValue n(cx, JS::NumberValue(static_cast<double>(job->signals[i].n)));
        if (!signal || !name || !JS_DefineProperty(cx, signal, "name", name, JSPROP_ENUMERATE) ||
            !JS_DefineProperty(cx, signal, "n", n, JSPROP_ENUMERATE) ||
            !JS_DefineElement(cx, list, static_cast<uint32_t>(i), signal, JSPROP_ENUMERATE))
            return nullptr;
    }
    return list;
}

bool run(JSContext *cx, JS::HandleObject global, pail_engine_job *job)
{
    JS::RootedObject circuit_class(cx), circuit(cx), signals(cx), values(cx), wtns(cx);
    const JS::RootedObject module(cx, read_module(cx, global, job));
    if (!module)
        return false;
    if (!job->module)
        job->compiled(job, JS::GetWasmModule(module).forget().take());
    if (!read_script(cx, &circuit_class))
        return false;
    JSFunction *const logging = JS_NewFunction(cx, log_line, 1, 0, "log");
    JS::RootedValueArray<2> given(cx);
    if (!logging)
        return false;
    given[0].setObject(*module);
    given[1].setObject(*JS_GetFunctionObject(logging));
    const JS::RootedValue constructor(cx, JS::ObjectValue(*circuit_class));
    JS::RootedValue size(cx), ignored(cx);
    if (!JS::Construct(cx, constructor, given, &circuit) ||
        !JS_GetProperty(cx, circuit, "size", &size))
        return false;
    const double words = size.isNumber() ? size.toNumber() : 0;
    if (!(words >= WTNS_WORDS_MIN && words < WTNS_WORDS_END)) {
        JS_ReportErrorASCII(cx, "is no circuit of circom: it tells no size of its witness");
        return false;
    }
    job->bytes = 4 * static_cast<size_t>(words);
    job->wtns = static_cast<uint32_t *>(calloc(1, job->bytes));
    if (!job->wtns) {
        JS_ReportOutOfMemory(cx);
        return false;
    }
    signals = list_signals(cx, job);
    values = signals ? lent(cx, job->values, 32 * job->n_values) : nullptr;
    wtns = values ? lent(cx, job->wtns, job->bytes) : nullptr;
    JS::RootedValueArray<3> arguments(cx);
    if (!wtns)
        return false;
    arguments[0].setObject(*signals);
    arguments[1].setObject(*values);
    arguments[2].setObject(*wtns);
    return JS_CallFunctionName(cx, circuit, "calculate", arguments, &ignored);
}

pail_status calculate(pail_engine_job *job)
{
    pail_status status = PAIL_ERR_HOST_MEMORY;
    JSContext *const cx = engine().make();
    (void)snprintf(job->error, sizeof(job->error), "%s", "cannot run: the engine cannot start");
    if (cx && JS::InitSelfHostedCode(cx) && JS_AddInterruptCallback(cx, stop)) {
        JS_SetNativeStackQuota(cx, STACK_BYTES);
        JS_SetContextPrivate(cx, job);
        if (job->quick)
            JS::ContextOptionsRef(cx).setWasmIon(false);
        const JS::RealmOptions options;
        const JS::RootedObject global(
            cx, JS_NewGlobalObject(cx, &GLOBAL, nullptr, JS::FireOnNewGlobalHook, options));
        if (global) {
            const JSAutoRealm realm(cx, global);
            job->begun(job, cx);
            status = run(cx, global, job) ? PAIL_OK : failed(cx, job);
            job->begun(job, nullptr);
        }
    }
    if (cx)
        engine().destroy(cx);
    return status;
}

void interrupt(void *run)
{
    JS_RequestInterruptCallback(static_cast<JSContext *>(run));
}

void release(void *module)
{
    if (module)
        static_cast<JS::WasmModule *>(module)->Release();
}

constexpr pail_engine ENGINE = {sizeof(ENGINE), PAIL_ENGINE_ABI, "SpiderMonkey",
                                calculate,      interrupt,       release};

} // namespace

extern "C" __attribute__((visibility("default"))) pail_status
pail_engine_open(uint32_t abi, const pail_engine **engine)
{
    *engine = abi == PAIL_ENGINE_ABI ? &ENGINE : nullptr;
    return *engine ? PAIL_OK : PAIL_ERR_ABI;
}
