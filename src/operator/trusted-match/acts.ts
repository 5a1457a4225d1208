import type { Act } from '../act.ts'
import { listMatchKeys, revokeMatchKey, rotateMatchKey } from './key-acts.ts'
import {
  addMatchProvider,
  checkMatchProvider,
  endMatchProvider,
  listMatchHealth,
  listMatchProviders,
  rotateSyncKey,
  setMatchProvider,
} from './provider-acts.ts'

/** What can be done with Trusted Match, in the order of the help. */
export const matchActs: readonly Act[] = [
  addMatchProvider,
  setMatchProvider,
  listMatchProviders,
  listMatchHealth,
  checkMatchProvider,
  endMatchProvider,
  rotateSyncKey,
  listMatchKeys,
  rotateMatchKey,
  revokeMatchKey,
]
