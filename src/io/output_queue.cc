#include "io/output_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace io {

OutputPool::~OutputPool() {
  while (kept_ != nullptr) delete std::exchange(kept_, kept_->next);
}

OutputQueue::Piece* OutputPool::take() {
  if (kept_ == nullptr) return new OutputQueue::Piece;
  --kept_count_;
  OutputQueue::Piece* piece = std::exchange(kept_, kept_->next);
  piece->next = nullptr;
  return piece;
}

void OutputPool::put(OutputQueue::Piece* piece) {
  if (kept_count_ == kKeptMax) {
    delete piece;
    return;
  }
  piece->next = std::exchange(kept_, piece);
  ++kept_count_;
}

void OutputQueue::link(Piece* piece) {
  if (last_ == nullptr) {
    first_ = piece;
  } else {
    last_->next = piece;
  }
  last_ = piece;
}

void OutputQueue::pop() {
  Piece* piece = std::exchange(first_, first_->next);
  if (first_ == nullptr) {
    last_ = nullptr;
    release_tail();
  }
  piece->bytes = {};
  if (piece->is_file()) {
    piece->file = {};
    piece->warm_end = 0;
    --files_;
  }
  pool_.put(piece);
}

void OutputQueue::release_tail() {
  if (tail_ != nullptr) std::exchange(tail_, nullptr)->release();
  tail_used_ = 0;
}

void OutputQueue::new_tail(size_t size) {
  release_tail();
  tail_ = size <= pool_.blocks().block_size() ? pool_.blocks().take() : base::Block::create(size);
}

char* OutputQueue::prepare(size_t size) {
  if (room() < size || tail_ == nullptr) new_tail(size);
  return tail_->data() + tail_used_;
}

void OutputQueue::commit(size_t size) {
  if (size > 0) {
    const char* data = tail_->data() + tail_used_;
    tail_used_ += static_cast<uint32_t>(size);
    if (last_ != nullptr && !last_->is_file() &&
        last_->bytes.data() + last_->bytes.size() == data) {
      last_->bytes.extend(size);
    } else {
      Piece* piece = pool_.take();
      piece->bytes = base::Slice(tail_, data, size);
      link(piece);
    }
  }
  if (first_ == nullptr) release_tail();
}

void OutputQueue::append(std::string_view bytes) {
  while (!bytes.empty()) {
    char* into = prepare(1);
    const size_t count = std::min(bytes.size(), room());
    std::memcpy(into, bytes.data(), count);
    commit(count);
    bytes.remove_prefix(count);
  }
}

void OutputQueue::push(base::Slice bytes) {
  Piece* piece = pool_.take();
  piece->bytes = std::move(bytes);
  link(piece);
}

void OutputQueue::push(base::FileRange range) {
  Piece* piece = pool_.take();
  piece->file = std::move(range);
  ++files_;
  link(piece);
}

OutputQueue::Piece& OutputQueue::first_file() {
  Piece* piece = first_;
  while (!piece->is_file()) piece = piece->next;
  return *piece;
}

void OutputQueue::replace_file(Piece& piece, base::Slice bytes) {
  const uint64_t size = bytes.size();
  if (size < piece.file.length) {
    Piece* rest = pool_.take();
    rest->file = std::move(piece.file);
    rest->file.offset += size;
    rest->file.length -= size;
    rest->next = std::exchange(piece.next, rest);
    if (last_ == &piece) last_ = rest;
  } else {
    --files_;
  }
  piece.file = {};
  piece.warm_end = 0;
  piece.bytes = std::move(bytes);
}

int OutputQueue::gather(iovec* into, int max) const {
  int count = 0;
  for (const Piece* piece = first_; piece != nullptr && !piece->is_file() && count < max;
       piece = piece->next) {
    into[count].iov_base = const_cast<char*>(piece->bytes.data());
    into[count].iov_len = piece->bytes.size();
    ++count;
  }
  return count;
}

void OutputQueue::consume(size_t count) {
  while (count > 0) {
    const size_t size = first_->bytes.size();
    if (count < size) {
      first_->bytes.remove_prefix(count);
      return;
    }
    count -= size;
    pop();
  }
}

void OutputQueue::consume_file(uint64_t count) {
  first_->file.offset += count;
  first_->file.length -= count;
  if (first_->file.length == 0) pop();
}

void OutputQueue::clear() {
  while (first_ != nullptr) pop();
  release_tail();
}

}  // namespace io
