import type { Act } from '../act.ts'
import { diffAdagents, showAdagents, validateAdagents } from './adagents-acts.ts'

/** What can be done with the adagents.json of a publisher, in the order of the help. */
export const adagentsActs: readonly Act[] = [showAdagents, validateAdagents, diffAdagents]
