import type { AccountReference } from '@adcp/sdk/types'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import {
  chainOf,
  judgeStatement,
  type RecordedStatement,
  type Statement,
  type StatementFacts,
  unavailable,
} from '../../domain/reporting/consumer-status.ts'
import { ledgerOf } from '../../domain/reporting/ledger.ts'
import { sliceOf } from '../../domain/reporting/obligation.ts'
import { RETENTION_DAYS } from '../../domain/reporting/offering.ts'
import { snapshotOf } from '../../domain/reporting/snapshot.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError, toWireError } from '../../protocol/errors.ts'
import { addRecords, type NewRecord, RecordedElsewhere } from '../../store/reporting/add-records.ts'
import { listGenerations, type ReportOwner } from '../../store/reporting/generations.ts'
import { findObligations, listRecords, newestRecord, recordedStatements } from '../../store/reporting/records.ts'
import { atReportingClock, ownerOf, requireAccount } from './reporting-walk.ts'

/** AdCP 3.2, media-buy/sync-reporting-status-request.json. */
interface Request {
  readonly account: AccountReference
  readonly idempotency_key: string
  readonly statuses: readonly Statement[]
}

type Context = InTransaction<AuthenticatedContext>
type Facts = Pick<StatementFacts, 'obligation' | 'revisions' | 'chain'>

/** Each statement stands by itself: one that is refused holds up no other. */
export const syncReportingStatus = defineTask<Request, object>()({
  name: 'sync_reporting_status',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  ofPrograms: true,
  summary: 'Say which reports you received, miss, cannot read or dispute.',
  async handle({ statuses }, asked) {
    const owner = ownerOf(requireAccount(asked), asked.principal)
    const context = await atReportingClock(asked, owner)
    const { tx, now } = context
    // Read before everything that statements are judged by: what others record from here on is noticed when it is written.
    const newest = await newestRecord(tx, owner)
    const generations = await listGenerations(tx, owner)
    const chains = statuses.map((statement) => chainOf(statement, owner.accountId, generations))
    const facts = await factsOf(owner, [...new Set(chains.filter((chain) => chain !== undefined))], context)
    const ids = statuses.map(({ reporting_status_id: id }) => id)
    const known = await recordedStatements(tx, owner, ids)
    const results = statuses.map((statement, index): Judged => {
      const at = `statuses[${index}]`
      try {
        requireAlone(ids, chains, index)
        const chain = chains[index] ?? ''
        const own = facts.get(chain)
        if (!own) throw unavailable(`${at}.delivery_config_id`)
        requireNew(statement, own, known, at)
        const isIssued = (id: string, asOf: string) => isSnapshot(owner, id, asOf, { newest, now })
        const judging = { ...own, accountId: owner.accountId, generations, isSnapshot: isIssued, now }
        const judged = judgeStatement(statement, judging, at)
        if (judged) return { chain, answer: { result: 'recorded', consumer_status: judged }, recorded: judged }
        const before = own.chain.find((each) => each.reporting_status_id === statement.reporting_status_id)
        return { chain, answer: { result: 'unchanged', consumer_status: before } }
      } catch (error) {
        if (!(error instanceof AdcpError)) throw error
        const { reporting_status_id: id } = statement
        return { chain: '', answer: { result: 'failed', reporting_status_id: id, errors: [toWireError(error)] } }
      }
    })
    const records = results.flatMap(({ chain, recorded }): NewRecord[] =>
      recorded ? [{ kind: 'consumer_status', sliceId: chain, statement: recorded }] : [],
    )
    await addRecords(tx, owner, records, { after: newest, now }).catch(askAgain)
    return { status: 'completed', results: results.map(({ answer }) => answer) }
  },
})

interface Judged {
  readonly chain: string
  readonly answer: object
  readonly recorded?: RecordedStatement
}

function askAgain(error: unknown): never {
  if (!(error instanceof RecordedElsewhere)) throw error
  const message = 'reports of this account were recorded at the same moment; send the same request again'
  throw new AdcpError('SERVICE_UNAVAILABLE', message, { retryAfter: 1, cause: error })
}

/** Throws IDEMPOTENCY_CONFLICT for a name that a statement of another period has. */
function requireNew({ reporting_status_id: id }: Statement, { chain }: Facts, known: ReadonlySet<string>, at: string): void {
  if (!known.has(id) || chain.some((each) => each.reporting_status_id === id)) return
  const field = `${at}.reporting_status_id`
  throw new AdcpError('IDEMPOTENCY_CONFLICT', `${field} is that of a statement of another period; choose a new one`, { field })
}

/** What is recorded of each chain. */
async function factsOf(owner: ReportOwner, chains: readonly string[], { tx, now }: Context): Promise<ReadonlyMap<string, Facts>> {
  const obligations = await findObligations(tx, owner, chains)
  const slices = [...new Set(obligations.map(sliceOf))]
  const { revisions, statements } = ledgerOf([], await listRecords(tx, owner, { slices: [...chains, ...slices] }), now)
  return new Map(
    chains.map((chain) => {
      const obligation = obligations.find(({ obligationId }) => obligationId === chain)
      const published = obligation ? (revisions.get(sliceOf(obligation)) ?? []) : []
      return [chain, { obligation, revisions: published, chain: statements.get(chain) ?? [] }] as const
    }),
  )
}

/** Throws INVALID_REQUEST for a statement whose id or period another of the batch has too: nothing says which comes first. */
function requireAlone(ids: readonly string[], chains: readonly (string | undefined)[], index: number): void {
  const isTwice = (values: readonly (string | undefined)[]) =>
    values[index] !== undefined && values.some((value, other) => other !== index && value === values[index])
  const at = `statuses[${index}]`
  if (isTwice(ids)) {
    const field = `${at}.reporting_status_id`
    throw new AdcpError('INVALID_REQUEST', `${field} is in the batch twice; send each statement under an id of its own`, {
      field,
    })
  }
  if (isTwice(chains)) {
    const message = `${at}: the batch says more than one thing of that period; send them one after another`
    throw new AdcpError('INVALID_REQUEST', message, { field: at })
  }
}

function isSnapshot(
  owner: ReportOwner,
  id: string,
  asOf: string,
  { newest, now }: { readonly newest: number; readonly now: Date },
): boolean {
  const known = snapshotOf(owner, id)
  if (!known || known.seq > newest || known.asOf.getTime() !== Date.parse(asOf)) return false
  return known.asOf <= now && known.asOf.getTime() >= now.getTime() - RETENTION_DAYS * DAY_MS
}
