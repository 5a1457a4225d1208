import type { AccountReference } from '@adcp/sdk/types'
import type { Params } from '../../domain/compliance/params.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import type { LineReports } from './simulate-spend.ts'

/**
 * One scenario of the controller: it checks its parameters, writes facts through the same functions as the product, and gives
 * the answer. Throws the product's own errors.
 */
export type Scenario = (params: Params, context: InTransaction<AuthenticatedContext>, asked: AskedScenario) => Promise<object>

/** What of a call a scenario may need beside its parameters. */
export interface AskedScenario {
  /** What the ad server reports, for a scenario that asks for it. */
  readonly reports: LineReports
  /** The account that the call names. */
  readonly account: AccountReference | undefined
}

/** The answer of a seed scenario. */
export function seeded(what: string, id: string): object {
  return { success: true, message: `${what} ${id} is there` }
}
