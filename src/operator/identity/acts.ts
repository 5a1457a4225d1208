import type { Act } from '../act.ts'
import { showOwnIdentity, showPublisherIdentity } from './show-identity.ts'
import { initIdentity, rotateSigningKeys } from './signing-keys.ts'

/** What can be done with the agent's own keys, in the order of the help. */
export const identityActs: readonly Act[] = [initIdentity, showOwnIdentity, showPublisherIdentity, rotateSigningKeys]
