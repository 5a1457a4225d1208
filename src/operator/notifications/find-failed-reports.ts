import { DAY_MS } from '../../domain/calendar/instant.ts'
import { listFailedReports } from '../../store/notification/notification-outbox.ts'
import { findPerson } from '../../store/people/people.ts'
import { listSchedules } from '../../store/saved-report/report-schedules.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { Condition } from './condition.ts'

/** More than one message lists. */
const MOST_FOUND = 500
/** What was given up longer ago than this is no news. */
const OLD_MS = 7 * DAY_MS
/** An ad server that is away for a minute is no news either. */
const TOLD_ATTEMPTS = 3

/** Saved reports that were not made for their mails, and mails of reports that were given up. */
export async function findFailedReports({ store, clock }: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const now = clock()
  const at = now.toISOString()
  const pageOf = (report: string) => `/t/${tenantId}/reports/saved/${encodeURIComponent(report)}`
  const unmade = (await listSchedules(store.read, tenantId)).flatMap(({ report, attempts, failure }): Condition[] => {
    const isGivenUp = attempts === 0
    if (!failure || !(isGivenUp || attempts >= TOLD_ATTEMPTS)) return []
    const title = `The report ${report} was not sent`
    const next = isGivenUp ? '' : ' It is tried again.'
    return [
      {
        ...{ kind: 'report_failed', key: JSON.stringify([report, failure.at]), subject: report, title },
        ...{ text: `${title}: ${failure.error}.${next}`, path: pageOf(report), at },
      },
    ]
  })
  const refused = await listFailedReports(store.read, tenantId, new Date(now.getTime() - OLD_MS), MOST_FOUND)
  const names = new Map<string, string>()
  for (const id of new Set(refused.map(({ personId }) => personId)))
    names.set(id, (await findPerson(store.read, id))?.username ?? 'somebody who left')
  const undelivered = refused.map(({ deliveryId, personId, document, lastError }): Condition => {
    const report = document.items[0]?.subject ?? ''
    const title = `The report ${report} did not reach ${names.get(personId)} by mail`
    return {
      ...{ kind: 'report_failed', key: deliveryId, subject: report, title },
      ...{ text: `${title}: ${lastError ?? 'no reason is given'}.`, path: pageOf(report), at },
    }
  })
  return [...unmade, ...undelivered]
}
