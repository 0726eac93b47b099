#include "handlers/file_cache.h"

#include <gtest/gtest.h>

namespace handlers {
namespace {

std::shared_ptr<CachedFile> entry(std::string key, CachedFile::Class ring, size_t cost = 100) {
  auto file = std::make_shared<CachedFile>();
  file->key = std::move(key);
  file->ring = ring;
  file->cost = cost;
  return file;
}

FileCacheOptions small(uint32_t files, uint64_t size = 1 << 20) {
  FileCacheOptions options;
  options.files = files;
  options.size = size;
  return options;
}

TEST(FileCache, FindsWhatWasPutInAndForgetsWhatWasErased) {
  FileCache cache(small(8), {1, 2});
  cache.insert(entry("/a", CachedFile::Class::memory));
  ASSERT_NE(cache.find("/a"), nullptr);
  EXPECT_EQ(cache.find("/b"), nullptr);
  cache.erase(*cache.find("/a"));
  EXPECT_EQ(cache.find("/a"), nullptr);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(FileCache, AnEntryTakesThePlaceOfItsKey) {
  FileCache cache(small(8), {1, 2});
  cache.insert(entry("/a", CachedFile::Class::memory, 10));
  cache.insert(entry("/a", CachedFile::Class::descriptor, 20));
  EXPECT_EQ(cache.find("/a")->cost, 20u);
  EXPECT_EQ(cache.size(), 20u);
  EXPECT_EQ(cache.count(CachedFile::Class::memory), 0u);
}

TEST(FileCache, HoldsNoMoreFilesThanAllowed) {
  FileCache cache(small(8), {1, 2});
  for (int i = 0; i < 1000; ++i) {
    cache.insert(entry("/" + std::to_string(i), CachedFile::Class::memory));
    ASSERT_LE(cache.count(CachedFile::Class::memory), 8u);
    ASSERT_NE(cache.find("/" + std::to_string(i)), nullptr);
  }
  EXPECT_EQ(cache.size(), 800u);
}

TEST(FileCache, HoldsNoMoreBytesThanAllowed) {
  FileCache cache(small(1000, 1000), {1, 2});
  for (int i = 0; i < 100; ++i) {
    cache.insert(entry("/" + std::to_string(i), CachedFile::Class::memory, 300));
    ASSERT_LE(cache.size(), 1000u);
  }
  cache.insert(entry("/large", CachedFile::Class::memory, 1001));
  EXPECT_EQ(cache.find("/large"), nullptr);
}

TEST(FileCache, WhatIsUsedStays) {
  FileCache cache(small(16), {1, 2});
  cache.insert(entry("/hot", CachedFile::Class::memory));
  for (int i = 0; i < 500; ++i) {
    cache.insert(entry("/" + std::to_string(i), CachedFile::Class::memory));
    ASSERT_NE(cache.find("/hot"), nullptr) << i;
  }
}

TEST(FileCache, AFloodOfMissingPathsEvictsNoFile) {
  FileCache cache(small(128), {1, 2});
  for (int i = 0; i < 128; ++i) {
    cache.insert(entry("/" + std::to_string(i), CachedFile::Class::memory));
  }
  for (int i = 0; i < 10'000; ++i) {
    cache.insert(entry("/missing" + std::to_string(i), CachedFile::Class::nothing, 0));
  }
  EXPECT_EQ(cache.count(CachedFile::Class::memory), 128u);
  EXPECT_EQ(cache.count(CachedFile::Class::nothing), FileCache::kNegativeMin);
  cache.insert(entry(std::string(FileCache::kNegativeKeyMax + 1, 'x'), CachedFile::Class::nothing));
  EXPECT_EQ(cache.find(std::string(FileCache::kNegativeKeyMax + 1, 'x')), nullptr);
}

TEST(FileCache, DescriptorsHaveALimitOfTheirOwn) {
  FileCache cache(small(10'000), {1, 2});
  for (int i = 0; i < 1000; ++i) {
    cache.insert(entry("/" + std::to_string(i), CachedFile::Class::descriptor));
  }
  EXPECT_EQ(cache.count(CachedFile::Class::descriptor), FileCache::kDescriptorsMax);
}

TEST(FileCache, NoFilesMeansNoCache) {
  FileCache cache(small(0), {1, 2});
  EXPECT_FALSE(cache.enabled());
  cache.insert(entry("/a", CachedFile::Class::memory));
  cache.insert(entry("/b", CachedFile::Class::nothing));
  EXPECT_EQ(cache.find("/a"), nullptr);
  EXPECT_EQ(cache.find("/b"), nullptr);
}

TEST(FileCache, ManyInsertionsAndErasuresKeepTheTableRight) {
  FileCache cache(small(64), {1, 2});
  uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::string key = "/" + std::to_string((state >> 33) % 200);
    CachedFile* found = cache.find(key);
    if (found != nullptr && (state >> 60) % 3 == 0) {
      cache.erase(*found);
      ASSERT_EQ(cache.find(key), nullptr);
    } else {
      cache.insert(entry(key, CachedFile::Class::memory));
      ASSERT_NE(cache.find(key), nullptr);
      ASSERT_EQ(cache.share(*cache.find(key)).get(), cache.find(key));
    }
  }
  EXPECT_EQ(cache.size(), cache.count(CachedFile::Class::memory) * 100);
}

}  // namespace
}  // namespace handlers
