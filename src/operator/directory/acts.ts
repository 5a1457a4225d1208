import type { Act } from '../act.ts'
import { addToCrawlList, blockDomain, joinDirectory, removeFromCrawlList, unblockDomain } from './change-crawl-list.ts'
import { listFeedSubscribers, subscribeToFeed, unsubscribeFromFeed } from './feed-subscribers.ts'
import { listDirectoryMirrors, removeMirror } from './mirrors.ts'
import {
  crawlPublisher,
  explainDirectoryListing,
  listCrawlList,
  listExclusions,
  readDirectoryStats,
  showCrawledPublisher,
} from './publisher-acts.ts'
import { verifyAuthorization } from './verify-acts.ts'

/** What can be done with the directory, in the order of the help. */
export const directoryActs: readonly Act[] = [
  addToCrawlList,
  joinDirectory,
  showCrawledPublisher,
  crawlPublisher,
  listCrawlList,
  listExclusions,
  removeFromCrawlList,
  blockDomain,
  unblockDomain,
  readDirectoryStats,
  explainDirectoryListing,
  verifyAuthorization,
  subscribeToFeed,
  unsubscribeFromFeed,
  listFeedSubscribers,
  listDirectoryMirrors,
  removeMirror,
]
