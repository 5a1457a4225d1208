import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { creativeDeliveries } from './creative-deliveries.ts'

/** What a creative of the library has served over all its assignments. */
export interface ServedCreative {
  readonly impressions: number
  /** UTC day, `YYYY-MM-DD`. */
  readonly lastDay: string
}

/** The agent's creatives that have served at least one impression, by id. Asks the ad server, so it is for `prepare`. */
export async function servedCreatives(context: AuthenticatedContext): Promise<ReadonlyMap<string, ServedCreative>> {
  const { rows } = await creativeDeliveries({ ...context, account: undefined }, {})
  const served = new Map<string, ServedCreative>()
  for (const { creativeId, days } of rows) {
    for (const { day, impressions } of days) {
      if (impressions === 0) continue
      const before = served.get(creativeId)
      const lastDay = before && before.lastDay > day ? before.lastDay : day
      served.set(creativeId, { impressions: (before?.impressions ?? 0) + impressions, lastDay })
    }
  }
  return served
}
