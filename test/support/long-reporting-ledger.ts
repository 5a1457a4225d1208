import { dueAt, offeringOf } from '../../src/domain/reporting/generation.ts'
import { type Obligation, obligationIdOf, sliceOf } from '../../src/domain/reporting/obligation.ts'
import { revisionOf } from '../../src/domain/reporting/revision.ts'
import { addRecords, type NewRecord } from '../../src/store/reporting/add-records.ts'
import { listGenerations } from '../../src/store/reporting/generations.ts'
import { newestRecord } from '../../src/store/reporting/records.ts'
import type { ReportedAccount } from './reported-account.ts'

const DAY = 86_400_000

interface Size {
  readonly days: number
  readonly buys: number
  /** Statements of the buyer about each obligation. */
  readonly statements: number
}

/** Writes what was owed, published and said of `days` days up to now for each configuration of an account. Returns the period of all, and whose it is. */
export async function writeLongLedger(
  { agent, account_id: accountId, now }: ReportedAccount,
  { days, buys, statements }: Size,
): Promise<{ readonly period: { readonly start: string; readonly end: string } }> {
  const { store } = agent.server
  const { principal_id: principalId } = await store.read
    .selectFrom('reporting_generations')
    .select('principal_id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const owner = { tenantId: agent.tenant, principalId, accountId }
  const generations = await listGenerations(store.read, owner)
  const ids = (name: string) => Array.from({ length: buys }, (_, index) => `${name}_${String(index).padStart(36, '0')}`)
  const [mediaBuyIds, packageIds] = [ids('mb'), ids('pkg')]
  const until = now() - (now() % DAY)
  const at = (day: number) => new Date(until - (days - day) * DAY).toISOString()
  for (let day = 0; day < days; day += 1) {
    const period = { start: at(day), end: at(day + 1) }
    const published = new Set<string>()
    const records = generations.flatMap((generation): NewRecord[] => {
      const { configId, version } = generation
      const { offeringId, feedPurpose, finality } = offeringOf(generation)
      const obligation: Obligation = {
        obligationId: obligationIdOf(accountId, generation, period),
        ...{ configId, version, offeringId, feedPurpose, finality },
        ...{ period, expectedAt: dueAt(generation, period), accountId, mediaBuyIds, packageIds },
      }
      const sliceId = sliceOf(obligation)
      const place = { finality, supersedes: undefined, origin: 'https://seller.example', now: new Date(period.end) }
      const revision = revisionOf(obligation, [], place)
      const { reporting_revision_id: revisionId } = revision
      const isNew = !published.has(revisionId)
      published.add(revisionId)
      const said = Array.from({ length: statements }, (_, index): NewRecord => {
        const id = `said-by-buyer-${configId}-${day}-${index}`
        return {
          ...{ kind: 'consumer_status', sliceId: obligation.obligationId },
          statement: {
            ...{ reporting_status_id: id, delivery_config_id: configId, delivery_config_version: version },
            ...(index > 0 && { supersedes_reporting_status_id: `said-by-buyer-${configId}-${day}-${index - 1}` }),
            ...{
              report_definition_id: revision.report_definition_id,
              period: revision.period,
              reporting_revision_id: revisionId,
            },
            ...{ reporting_obligation_id: obligation.obligationId, consumer_status: 'received' },
            ...{ observed_revision_content_sha256: revision.revision_content_sha256 },
            ...{ status_as_of: period.end, recorded_at: period.end },
          },
        }
      })
      return [
        { kind: 'obligation', sliceId, obligation },
        ...(isNew ? [{ kind: 'revision' as const, sliceId, revision, rows: [] }] : []),
        ...said,
      ]
    })
    await store.transaction(async (tx) => {
      await addRecords(tx, owner, records, { after: await newestRecord(tx, owner), now: new Date(until) })
    })
  }
  return { period: { start: at(0), end: at(days) } }
}
