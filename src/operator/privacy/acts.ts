import type { Act } from '../act.ts'
import { erasePersonalData } from './erase-personal-data.ts'
import { eraseSessions } from './erase-sessions.ts'

/** What can be done with data of people, in the order of the help. */
export const privacyActs: readonly Act[] = [erasePersonalData]

/** What can be done with sponsored conversations. */
export const sessionActs: readonly Act[] = [eraseSessions]
