import type { Act } from '../act.ts'
import { addToCrawlList, blockDomain, joinDirectory, removeFromCrawlList, unblockDomain } from './change-crawl-list.ts'
import { crawlPublisher, showCrawledPublisher } from './crawled-publisher.ts'
import { showOwnDirectory } from './directory-of-publisher.ts'
import { explainDirectoryListing } from './explain-listing.ts'
import { listFeedSubscribers, subscribeToFeed, unsubscribeFromFeed } from './feed-subscribers.ts'
import { listDirectoryMirrors, removeMirror } from './mirrors.ts'
import { listCrawlList, listExclusions, readDirectoryStats } from './show-crawl-list.ts'
import { verifyAuthorization } from './verify-acts.ts'

/** What can be done with the directory, in the order of the help. */
export const directoryActs: readonly Act[] = [
  addToCrawlList,
  joinDirectory,
  showOwnDirectory,
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
