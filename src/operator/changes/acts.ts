import type { Act } from '../act.ts'
import { listChangeSubscribers, subscribeToChanges, testChangeSubscriber, unsubscribeFromChanges } from './change-subscribers.ts'

/** What can be done with addresses that get every change, in the order of the help. */
export const changeActs: readonly Act[] = [
  subscribeToChanges,
  listChangeSubscribers,
  testChangeSubscriber,
  unsubscribeFromChanges,
]
