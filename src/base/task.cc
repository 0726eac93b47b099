#include "base/task.h"

#include <array>
#include <new>
#include <utility>

namespace base {

namespace {

constexpr size_t kClassSize = 128;
constexpr size_t kClasses = 32;         // frames up to 4 KiB are kept
constexpr size_t kKeptPerClass = 1024;  // so a burst does not hold memory for ever

struct Frame {
  Frame* next;
};

struct FrameLists {
  std::array<Frame*, kClasses> first{};
  std::array<size_t, kClasses> count{};
  ~FrameLists() {
    for (Frame* frame : first) {
      while (frame != nullptr) ::operator delete(std::exchange(frame, frame->next));
    }
  }
};

thread_local FrameLists lists;

}  // namespace

void* allocate_frame(size_t size) {
  size_t index = (size - 1) / kClassSize;
  if (index >= kClasses) return ::operator new(size);
  Frame*& first = lists.first[index];
  if (first == nullptr) return ::operator new((index + 1) * kClassSize);
  --lists.count[index];
  return std::exchange(first, first->next);
}

void free_frame(void* memory, size_t size) {
  size_t index = (size - 1) / kClassSize;
  if (index >= kClasses || lists.count[index] == kKeptPerClass) return ::operator delete(memory);
  ++lists.count[index];
  auto* frame = static_cast<Frame*>(memory);
  frame->next = lists.first[index];
  lists.first[index] = frame;
}

}  // namespace base
