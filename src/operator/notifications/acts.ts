import type { Act } from '../act.ts'
import { listPersonChannels, removePersonChannel, setPersonChannel, testPersonChannel } from './channel-acts.ts'
import { listNotifications } from './list-notifications.ts'

/** What can be done with notifications to people, in the order of the help. */
export const notificationActs: readonly Act[] = [
  listPersonChannels,
  setPersonChannel,
  removePersonChannel,
  testPersonChannel,
  listNotifications,
]
