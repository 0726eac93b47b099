// Coroutines of one worker: `Task` and its frame pool.
//
// A `Task<T>` is lazy: it runs when awaited, or when `start`ed by what owns it, and resumes its
// awaiter directly (symmetric transfer) when it ends. It is bound to one thread. Destroying a
// suspended task destroys its frame and, through the destructors of its locals and awaiters, every
// task that it awaits: that is how an exchange is cancelled, so awaiters must take themselves off
// whatever would resume them. A task is never destroyed while it runs. Frames come from a free list
// of the thread. Exceptions never leave a task: they are bugs and end the process.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace base {

// Memory of coroutine frames, kept per thread in size classes.
void* allocate_frame(size_t size);
void free_frame(void* frame, size_t size);

namespace detail {

struct PromiseBase {
  std::coroutine_handle<> continuation;
  void (*done)(void*) = nullptr;
  void* done_argument = nullptr;

  static void* operator new(size_t size) { return allocate_frame(size); }
  static void operator delete(void* frame, size_t size) { free_frame(frame, size); }

  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      PromiseBase& promise = self.promise();
      if (promise.continuation) return promise.continuation;
      if (promise.done != nullptr) promise.done(promise.done_argument);
      return std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  [[noreturn]] void unhandled_exception() noexcept { std::terminate(); }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;
  std::coroutine_handle<Promise> get_return_object() {
    return std::coroutine_handle<Promise>::from_promise(*this);
  }
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  std::coroutine_handle<Promise> get_return_object() {
    return std::coroutine_handle<Promise>::from_promise(*this);
  }
  void return_void() {}
  void take() {}
};

}  // namespace detail

template <typename T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  Task(Handle handle) : handle_(handle) {}  // NOLINT: how the compiler makes it
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { destroy(); }

  explicit operator bool() const { return static_cast<bool>(handle_); }
  bool done() const { return handle_.done(); }

  // Runs until the first suspension. `on_done(argument)` is called when the task ends, perhaps
  // within this call, by the task itself: it must not destroy the task but have that done later.
  void start(void (*on_done)(void*), void* argument) {
    handle_.promise().done = on_done;
    handle_.promise().done_argument = argument;
    handle_.resume();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().continuation = awaiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  void destroy() {
    if (handle_) std::exchange(handle_, nullptr).destroy();
  }
  Handle handle_;
};

// One place where one coroutine waits for one kind of event. `notify` resumes the waiter within the
// call, or lets the next wait return at once when nobody waits.
class Signal {
 public:
  Signal() = default;
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  class Awaiter {
   public:
    explicit Awaiter(Signal& signal) : signal_(&signal) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      if (waiting_) signal_->waiter_ = nullptr;
    }
    bool await_ready() noexcept { return std::exchange(signal_->set_, false); }
    void await_suspend(std::coroutine_handle<> handle) noexcept {
      signal_->waiter_ = handle;
      waiting_ = true;
    }
    void await_resume() noexcept { waiting_ = false; }

   private:
    Signal* signal_;
    bool waiting_ = false;
  };

  Awaiter wait() { return Awaiter(*this); }
  bool awaited() const { return static_cast<bool>(waiter_); }
  void reset() { set_ = false; }
  void notify() {
    if (waiter_) {
      std::exchange(waiter_, nullptr).resume();
    } else {
      set_ = true;
    }
  }

 private:
  std::coroutine_handle<> waiter_;
  bool set_ = false;
};

}  // namespace base
