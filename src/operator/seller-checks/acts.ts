import type { Act } from '../act.ts'
import { listOwnChecks } from './list-own-checks.ts'
import { showOwnCheck } from './show-own-check.ts'

/** The checks of this agent by itself. */
export const checkActs: readonly Act[] = [listOwnChecks, showOwnCheck]
