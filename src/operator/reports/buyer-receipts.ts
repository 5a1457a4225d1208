import { groupBy } from '../../domain/group-by.ts'
import { requiredRevision } from '../../domain/reporting/consumer-status.ts'
import { ledgerOf, type ReportLedger } from '../../domain/reporting/ledger.ts'
import { type Obligation, sliceOf } from '../../domain/reporting/obligation.ts'
import { offeringNamed, reconciliationMode } from '../../domain/reporting/offering.ts'
import { type ReceiptIssue, reconciliationOf } from '../../domain/reporting/reconciliation.ts'
import { readChunks } from '../../store/chunks.ts'
import type { Store } from '../../store/database.ts'
import { type CaseRow, listEvidence, type OwnedEvidence } from '../../store/reporting/cases.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { findObligations, listRecords } from '../../store/reporting/records.ts'
import type { BuyerStatement, StatementState } from './buyer-statement.ts'

/** More than people look through. */
const MOST_RECORDS = 5_000

interface Parts {
  readonly store: Pick<Store, 'read'>
  readonly now: Date
  readonly cases: ReadonlyMap<string, CaseRow>
}

/** What buyers accept and reject of files for billing and of corrections that were made or received since a moment, and what they have not said. */
export async function buyerReceipts(parts: Parts, tenantId: string, since: Date): Promise<readonly BuyerStatement[]> {
  const evidence = await listEvidence(parts.store.read, tenantId, since, MOST_RECORDS)
  const byOwner = groupBy(evidence, ({ owner }) => JSON.stringify([owner.principalId, owner.accountId]))
  const found: BuyerStatement[] = []
  for (const own of byOwner.values()) {
    const [first] = own
    if (first) found.push(...(await ofOwner(parts, first.owner, own)))
  }
  return found
}

async function ofOwner(
  { store, now, cases }: Parts,
  owner: ReportOwner,
  evidence: readonly OwnedEvidence[],
): Promise<readonly BuyerStatement[]> {
  const db = store.read
  const names = (of: OwnedEvidence['of']) => [...new Set(evidence.flatMap((each) => (each.of === of ? [each.name] : [])))]
  const named = await readChunks(names('chain'), (ids) => findObligations(db, owner, ids))
  const isReceipted = ({ offeringId }: Obligation) => reconciliationMode(offeringNamed(offeringId)) === 'consumer_receipt'
  const slices = new Set([...named.filter(isReceipted).map(sliceOf), ...names('slice')])
  const shared = await readChunks([...slices], (part) => listRecords(db, owner, { slices: part }))
  const owed = shared.flatMap((each) => (each.kind === 'obligation' && isReceipted(each.obligation) ? [each.obligation] : []))
  const chains = owed.map(({ obligationId }) => obligationId)
  const received = await readChunks(chains, (part) => listRecords(db, owner, { slices: part }))
  const ledger = ledgerOf([], [...shared, ...received], now)
  return owed.flatMap((obligation) => standing(owner, obligation, ledger, cases))
}

/** A row for the files of the report that is required, and one for each correction of it. */
function standing(
  owner: ReportOwner,
  obligation: Obligation,
  ledger: ReportLedger,
  cases: ReadonlyMap<string, CaseRow>,
): readonly BuyerStatement[] {
  const { obligationId, configId, version, period, mediaBuyIds: orderIds } = obligation
  const slice = sliceOf(obligation)
  const required = requiredRevision(obligation, ledger.revisions.get(slice) ?? [])
  if (!required) return []
  const { reporting_revision_id: revisionId } = required
  const { issues } = reconciliationOf(obligation, ledger)
  const rowOf = (adjustmentId: string | undefined, chain: readonly AnyReceipt[]): BuyerStatement => {
    const issue = issues.find((each) => each.adjustmentId === adjustmentId)
    const decision = issue && cases.get(issue.issueId)
    const leaf = chain.at(-1)
    return {
      ...{ owner, about: adjustmentId === undefined ? 'files' : 'correction', configuration: `${configId} ${version}` },
      ...{ period, said: leaf?.status, code: leaf?.rejection_codes?.join(', '), revisionId, adjustmentId },
      ...{ recordedAt: leaf?.received_at, state: stateOf(chain, issue, decision) },
      issue: leaf && issue ? { issueId: issue.issueId, party: issue.party, openedAt: issue.openedAt } : undefined,
      ...{ decision, orderIds, sliceId: slice },
    }
  }
  const files = (ledger.receipts.get(obligationId) ?? []).filter((each) => each.reporting_revision_id === revisionId)
  const corrections = (ledger.adjustments.get(slice) ?? []).map(({ reporting_adjustment_id: id }) =>
    rowOf(
      id,
      (ledger.adjustmentReceipts.get(slice) ?? []).filter((each) => each.reporting_adjustment_id === id),
    ),
  )
  return [rowOf(undefined, files), ...corrections]
}

interface AnyReceipt {
  readonly status: 'accepted' | 'rejected'
  readonly rejection_codes?: readonly string[]
  readonly received_at: string
}

function stateOf(chain: readonly AnyReceipt[], issue: ReceiptIssue | undefined, decision: CaseRow | undefined): StatementState {
  if (decision) return decision.state
  if (issue) return chain.length > 0 ? 'open' : 'awaited'
  return chain.every(({ status }) => status === 'accepted') ? 'agreed' : 'corrected'
}
