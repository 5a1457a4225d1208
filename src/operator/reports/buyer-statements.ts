import { DAY_MS } from '../../domain/calendar/instant.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { RecordedStatement } from '../../domain/reporting/consumer-status.ts'
import { ledgerOf } from '../../domain/reporting/ledger.ts'
import { type Mismatch, mismatchOf } from '../../domain/reporting/mismatch.ts'
import { sliceOf } from '../../domain/reporting/obligation.ts'
import { readChunks } from '../../store/chunks.ts'
import { type CaseRow, listCases, listStatements, type OwnedStatement } from '../../store/reporting/cases.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { findObligations, listRecords } from '../../store/reporting/records.ts'
import type { OperatorContext } from '../operator-context.ts'
import { buyerReceipts } from './buyer-receipts.ts'
import type { BuyerStatement, StatementState } from './buyer-statement.ts'

/** More than people look through. */
const MOST_STATEMENTS = 5_000

/** The newest that each buyer said of each report within so many days, and receipts that are due; the newest first. */
export async function buyerStatements(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  tenantId: string,
  days: number,
): Promise<readonly BuyerStatement[]> {
  const now = clock()
  const since = new Date(now.getTime() - days * DAY_MS)
  const said = await listStatements(store.read, tenantId, since, MOST_STATEMENTS)
  const cases = await listCases(store.read, tenantId)
  const found: BuyerStatement[] = []
  for (const statements of groupBy(said, ({ owner }) => JSON.stringify([owner.principalId, owner.accountId])).values()) {
    const [first] = statements
    if (first) found.push(...(await standing({ store, now }, first.owner, statements, cases)))
  }
  found.push(...(await buyerReceipts({ store, now, cases }, tenantId, since)))
  return found.sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
}

/** When it was said; of what is due, when its period ended. */
function momentOf({ recordedAt, period }: BuyerStatement): string {
  return recordedAt ?? period.end
}

async function standing(
  { store, now }: Pick<OperatorContext, 'store'> & { readonly now: Date },
  owner: ReportOwner,
  statements: readonly OwnedStatement[],
  cases: ReadonlyMap<string, CaseRow>,
): Promise<readonly BuyerStatement[]> {
  const names = [...new Set(statements.map(({ chain }) => chain))]
  const owed = await readChunks(names, (chains) => findObligations(store.read, owner, chains))
  const obligations = new Map(owed.map((obligation) => [obligation.obligationId, obligation] as const))
  const own = await readChunks(names, (chains) => listRecords(store.read, owner, { slices: chains }))
  const shared = await readChunks([...new Set(owed.map(sliceOf))], (slices) => listRecords(store.read, owner, { slices }))
  const ledger = ledgerOf([], [...own, ...shared.filter(({ kind }) => kind === 'revision')], now)
  return names.flatMap((name) => {
    const chain = ledger.statements.get(name) ?? []
    const statement = chain.at(-1)
    if (!statement) return []
    const obligation = obligations.get(name)
    const published = obligation ? (ledger.revisions.get(sliceOf(obligation)) ?? []) : []
    const issue = obligation && mismatchOf(obligation, published, chain, now)
    const decision = issue && cases.get(issue.issueId)
    const { delivery_config_id: id, delivery_config_version: version, period } = statement
    return [
      {
        ...{ owner, about: 'report' as const, configuration: `${id} ${version}`, period, said: statement.consumer_status },
        code: statement.failure_code ?? statement.mismatch_code,
        ...{ revisionId: statement.reporting_revision_id, adjustmentId: undefined, recordedAt: statement.recorded_at },
        ...{ state: stateOf(chain, issue, decision), issue, decision, orderIds: obligation?.mediaBuyIds ?? [] },
        sliceId: obligation && sliceOf(obligation),
      },
    ]
  })
}

function stateOf(
  chain: readonly RecordedStatement[],
  mismatch: Mismatch | undefined,
  decision: CaseRow | undefined,
): StatementState {
  if (decision) return decision.state
  if (mismatch) return mismatch.severity === 'delayed' ? 'rereading' : 'open'
  if (chain.at(-1)?.consumer_status !== 'received') return 'missing'
  return chain.every(({ consumer_status: status }) => status === 'received') ? 'agreed' : 'corrected'
}
