import { DAY_MS } from '../../domain/calendar/instant.ts'
import type { RecordedStatement } from '../../domain/reporting/consumer-status.ts'
import { ledgerOf } from '../../domain/reporting/ledger.ts'
import { type Mismatch, mismatchOf } from '../../domain/reporting/mismatch.ts'
import { type Obligation, sliceOf } from '../../domain/reporting/obligation.ts'
import { type CaseRow, listCases, listStatements, type OwnedStatement } from '../../store/reporting/cases.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { findObligations, listRecords } from '../../store/reporting/records.ts'
import type { OperatorContext } from '../operator-context.ts'

/** More than people look through. */
const MOST_STATEMENTS = 5_000
/** What PostgreSQL and SQLite take as values of one statement, with room. */
const AT_ONCE = 500

/** Where the newest statement of a buyer about one period stands beside what was published. */
export type StatementState = (typeof STATEMENT_STATES)[number]
export const STATEMENT_STATES = ['agreed', 'corrected', 'rereading', 'open', 'acknowledged', 'waived', 'missing'] as const

/** The newest that a buyer said of one period. */
export interface BuyerStatement {
  readonly owner: ReportOwner
  readonly statement: RecordedStatement
  readonly state: StatementState
  /** What it contradicts of what was published. */
  readonly mismatch: Mismatch | undefined
  readonly decision: CaseRow | undefined
  /** Orders that the report is about. */
  readonly orderIds: readonly string[]
}

/** The newest statement of each buyer about each period that was said within so many days, the newest first. */
export async function buyerStatements(
  { store, clock }: Pick<OperatorContext, 'store' | 'clock'>,
  tenantId: string,
  days: number,
): Promise<readonly BuyerStatement[]> {
  const now = clock()
  const said = await listStatements(store.read, tenantId, new Date(now.getTime() - days * DAY_MS), MOST_STATEMENTS)
  const cases = await listCases(store.read, tenantId)
  const byOwner = new Map<string, OwnedStatement[]>()
  for (const each of said) {
    const key = JSON.stringify([each.owner.principalId, each.owner.accountId])
    const known = byOwner.get(key)
    if (known) known.push(each)
    else byOwner.set(key, [each])
  }
  const found: BuyerStatement[] = []
  for (const statements of byOwner.values()) {
    const [first] = statements
    if (first) found.push(...(await standing({ store, now }, first.owner, statements, cases)))
  }
  return found.sort((a, b) => (a.statement.recorded_at < b.statement.recorded_at ? 1 : -1))
}

async function standing(
  { store, now }: Pick<OperatorContext, 'store'> & { readonly now: Date },
  owner: ReportOwner,
  statements: readonly OwnedStatement[],
  cases: ReadonlyMap<string, CaseRow>,
): Promise<readonly BuyerStatement[]> {
  const names = [...new Set(statements.map(({ chain }) => chain))]
  const obligations = new Map<string, Obligation>()
  const records: Awaited<ReturnType<typeof listRecords>> = []
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const chains = names.slice(from, from + AT_ONCE)
    const owed = await findObligations(store.read, owner, chains)
    for (const obligation of owed) obligations.set(obligation.obligationId, obligation)
    const slices = [...new Set(owed.map(sliceOf))]
    records.push(...(await listRecords(store.read, owner, { slices: chains })))
    records.push(...(await listRecords(store.read, owner, { slices })).filter(({ kind }) => kind === 'revision'))
  }
  const ledger = ledgerOf([], records, now)
  return names.flatMap((name) => {
    const chain = ledger.statements.get(name) ?? []
    const statement = chain.at(-1)
    if (!statement) return []
    const obligation = obligations.get(name)
    const published = obligation ? (ledger.revisions.get(sliceOf(obligation)) ?? []) : []
    const mismatch = obligation && mismatchOf(obligation, published, chain, now)
    const decision = mismatch && cases.get(mismatch.issueId)
    const state = stateOf(chain, mismatch, decision)
    return [{ owner, statement, state, mismatch, decision, orderIds: obligation?.mediaBuyIds ?? [] }]
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
