import type { Params } from '../../domain/compliance/params.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import type { LineReports } from './simulate-spend.ts'

/**
 * One scenario of the controller: it checks its parameters, writes facts through the same functions as the product, and gives
 * the answer. Throws the product's own errors.
 */
export type Scenario = (
  params: Params,
  context: InTransaction<AuthenticatedContext>,
  /** What the ad server reports, for a scenario that asks for it. */
  reports: LineReports,
) => Promise<object>

/** The answer of a seed scenario. */
export function seeded(what: string, id: string): object {
  return { success: true, message: `${what} ${id} is there` }
}
