import type { Act } from '../act.ts'
import { createKey } from './create-key.ts'
import { listKeys } from './list-keys.ts'
import { revokeKey, revokeSigningKey } from './revoke-key.ts'
import { rotateKey } from './rotate-key.ts'

/** What can be done with the keys of buyers, in the order of the help. */
export const keyActs: readonly Act[] = [createKey, listKeys, rotateKey, revokeKey, revokeSigningKey]
