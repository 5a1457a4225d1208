import type { Act } from '../act.ts'
import { addSigningKeys, listSigningAgents, removeSigningKeys } from './manage-agents.ts'

/** What can be done with buyers that sign, in the order of the help. */
export const agentActs: readonly Act[] = [addSigningKeys, listSigningAgents, removeSigningKeys]
