#include "server/diagnostics.h"

#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <format>
#include <memory>
#include <mutex>
#include <utility>

#include "io/file_writer.h"

namespace server {

namespace {

// Lines that wait for the log's thread; beyond, the oldest are dropped.
constexpr size_t kQueuedMax = 8192;
// How long a pipe that nobody reads may hold up the log's thread before a line is given up (O03).
constexpr std::chrono::milliseconds kPatience{500};

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// Writes what the log's thread hands it, and can change where to.
class DiagnosticsSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit DiagnosticsSink(io::FileWriter writer) : writer_(std::move(writer)) {}

  void replace(io::FileWriter writer) {
    std::lock_guard lock(mutex_);
    writer_ = std::move(writer);
    blocked_ = false;
  }
  std::expected<void, io::Error> reopen() {
    std::lock_guard lock(mutex_);
    return writer_.reopen();
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    auto written = writer_.write({line.data(), line.size()},
                                 blocked_ ? std::chrono::milliseconds::zero() : kPatience);
    blocked_ = written.value_or(0) < line.size();
  }
  void flush_() override {}  // nothing is kept back

 private:
  io::FileWriter writer_;
  bool blocked_ = false;  // the last line was lost: the end must not wait for each of many
};

// nullptr before the log was opened.
std::shared_ptr<DiagnosticsSink> current_sink() {
  auto logger = spdlog::default_logger();
  if (logger == nullptr || logger->sinks().empty()) return nullptr;
  return std::dynamic_pointer_cast<DiagnosticsSink>(logger->sinks().front());
}

}  // namespace

std::expected<void, std::string> open_diagnostics(const DiagnosticsLogOptions& options) {
  auto writer = io::FileWriter::open(target_of(options.to));
  if (!writer) {
    return std::unexpected(cant_open("diagnostics log", options.to, writer.error()));
  }
  if (auto sink = current_sink()) {
    sink->replace(std::move(*writer));
    spdlog::default_logger()->set_level(level_of(options.level));
    return {};
  }
  try {
    spdlog::init_thread_pool(kQueuedMax, 1);
    auto logger = std::make_shared<spdlog::async_logger>(
        "webship", std::make_shared<DiagnosticsSink>(std::move(*writer)), spdlog::thread_pool(),
        spdlog::async_overflow_policy::overrun_oldest);
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l: %v");
    logger->set_level(level_of(options.level));
    spdlog::set_default_logger(std::move(logger));
    return {};
  } catch (const spdlog::spdlog_ex& error) {
    return std::unexpected("can't open the diagnostics log: " + std::string(error.what()));
  }
}

void reopen_diagnostics() {
  auto sink = current_sink();
  if (sink == nullptr) return;
  if (auto reopened = sink->reopen(); !reopened) {
    log(LogLevel::kError, "the diagnostics log can't be opened anew, the old file goes on: " +
                              reopened.error().text());
  }
}

std::string target_of(const LogTarget& target) {
  switch (target.kind) {
    case LogTarget::Kind::kStdout:
      return "stdout";
    case LogTarget::Kind::kStderr:
      return "stderr";
    case LogTarget::Kind::kFile:
      break;
  }
  return target.path;
}

std::string cant_open(std::string_view log, const LogTarget& target, const io::Error& error) {
  std::string folder = target.path.substr(0, target.path.rfind('/') + 1);
  return std::format(
      "can't open the {} {}: {} (its folder, {}, must let the user that webship "
      "runs as write)",
      log, target.path, error.text(), folder);
}

void close_diagnostics() {
  // Outlives the log's thread, which shutdown() joins: otherwise whichever of the two lets go of it
  // last destroys it.
  const std::shared_ptr<spdlog::logger> logger = spdlog::default_logger();
  spdlog::shutdown();
}

void log(LogLevel level, std::string_view text) {
  spdlog::log(level_of(level), spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace server
