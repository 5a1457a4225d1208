import type { Act } from '../act.ts'
import { endAdminKey, makeAdminKey, makePublisherAdminKey, showAdminKeys } from './admin-keys.ts'

/** What can be done with keys of the admin API, in the order of the help. */
export const adminKeyActs: readonly Act[] = [makeAdminKey, makePublisherAdminKey, showAdminKeys, endAdminKey]
