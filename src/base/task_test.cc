#include "base/task.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace base {
namespace {

Task<int> number(int value) { co_return value; }

Task<int> sum(int count) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += co_await number(i);
  co_return total;
}

struct Ended {
  bool value = false;
  static void set(void* self) { static_cast<Ended*>(self)->value = true; }
};

Task<> store(int& into) { into = co_await sum(4); }

TEST(Task, IsLazyAndResumesItsAwaiter) {
  int result = -1;
  Ended ended;
  Task<> task = store(result);
  EXPECT_EQ(result, -1);
  task.start(&Ended::set, &ended);
  EXPECT_EQ(result, 6);
  EXPECT_TRUE(ended.value);
  EXPECT_TRUE(task.done());
}

struct Trace {
  std::vector<std::string>& lines;
  std::string name;
  ~Trace() { lines.push_back("end of " + name); }
};

Task<> inner(Signal& signal, std::vector<std::string>& lines) {
  Trace trace{lines, "inner"};
  co_await signal.wait();
  lines.push_back("woken");
}

Task<> outer(Signal& signal, std::vector<std::string>& lines) {
  Trace trace{lines, "outer"};
  co_await inner(signal, lines);
  lines.push_back("after");
}

TEST(Task, DestroyingASuspendedTaskDestroysWhatItAwaits) {
  Signal signal;
  std::vector<std::string> lines;
  Ended ended;
  {
    Task<> task = outer(signal, lines);
    task.start(&Ended::set, &ended);
    EXPECT_TRUE(signal.awaited());
  }
  EXPECT_FALSE(signal.awaited());
  EXPECT_FALSE(ended.value);
  EXPECT_EQ(lines, (std::vector<std::string>{"end of inner", "end of outer"}));
  signal.notify();  // nobody is resumed
  EXPECT_EQ(lines.size(), 2u);
}

TEST(Signal, RemembersOneNotification) {
  Signal signal;
  std::vector<std::string> lines;
  Ended ended;
  signal.notify();
  Task<> task = outer(signal, lines);
  task.start(&Ended::set, &ended);
  EXPECT_TRUE(ended.value);
}

TEST(Signal, ResumesWithinTheCall) {
  Signal signal;
  std::vector<std::string> lines;
  Ended ended;
  Task<> task = outer(signal, lines);
  task.start(&Ended::set, &ended);
  signal.notify();
  EXPECT_TRUE(ended.value);
  EXPECT_EQ(lines, (std::vector<std::string>{"woken", "end of inner", "after", "end of outer"}));
}

TEST(Frames, AreReused) {
  void* first = allocate_frame(200);
  free_frame(first, 200);
  void* second = allocate_frame(220);  // the same class
  EXPECT_EQ(first, second);
  free_frame(second, 220);
  void* large = allocate_frame(1 << 16);
  free_frame(large, 1 << 16);
}

}  // namespace
}  // namespace base
