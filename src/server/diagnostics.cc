#include "server/diagnostics.h"

#include <spdlog/async.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace server {

namespace {

// Lines that wait for the log's thread; beyond, the oldest are dropped.
constexpr size_t kQueuedMax = 8192;

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

spdlog::sink_ptr sink_for(const LogTarget& target) {
  switch (target.kind) {
    case LogTarget::Kind::kStdout:
      return std::make_shared<spdlog::sinks::stdout_sink_mt>();
    case LogTarget::Kind::kStderr:
      return std::make_shared<spdlog::sinks::stderr_sink_mt>();
    case LogTarget::Kind::kFile:
      break;
  }
  return std::make_shared<spdlog::sinks::basic_file_sink_mt>(target.path);
}

}  // namespace

std::expected<void, std::string> open_diagnostics(const DiagnosticsLogOptions& options) {
  try {
    if (spdlog::thread_pool() == nullptr) spdlog::init_thread_pool(kQueuedMax, 1);
    auto logger = std::make_shared<spdlog::async_logger>(
        "webship", sink_for(options.to), spdlog::thread_pool(),
        spdlog::async_overflow_policy::overrun_oldest);
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l: %v");
    logger->set_level(level_of(options.level));
    logger->flush_on(spdlog::level::debug);
    spdlog::set_default_logger(std::move(logger));
    return {};
  } catch (const spdlog::spdlog_ex& error) {
    return std::unexpected("can't open the diagnostics log: " + std::string(error.what()));
  }
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
