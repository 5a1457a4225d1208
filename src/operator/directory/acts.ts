import type { Act } from '../act.ts'
import { listFeedSubscribers, subscribeToFeed, unsubscribeFromFeed } from './feed-subscribers.ts'
import { listDirectoryMirrors, removeMirror } from './mirrors.ts'

/** What can be done with the directory, in the order of the help. */
export const directoryActs: readonly Act[] = [
  subscribeToFeed,
  unsubscribeFromFeed,
  listFeedSubscribers,
  listDirectoryMirrors,
  removeMirror,
]
