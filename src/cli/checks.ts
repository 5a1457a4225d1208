import type { Command } from 'commander'
import { checkActs } from '../operator/seller-checks/acts.ts'
import { actsCommand } from './act-command.ts'

/** `sales-agent checks`: the checks of this agent by itself. */
export function checksCommand(): Command {
  return actsCommand('checks', checkActs)
}
