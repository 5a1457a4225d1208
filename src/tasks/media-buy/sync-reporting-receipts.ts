import type { AccountReference } from '@adcp/sdk/types'
import type { Adjustment } from '../../domain/reporting/adjustment.ts'
import { judgeAdjustmentReceipt, judgeReceipt } from '../../domain/reporting/judge-receipt.ts'
import { ledgerOf, type ReportLedger } from '../../domain/reporting/ledger.ts'
import type { Materialization } from '../../domain/reporting/materialization.ts'
import type { Obligation } from '../../domain/reporting/obligation.ts'
import type { AdjustmentReceipt, Receipt } from '../../domain/reporting/receipt.ts'
import { type AuthenticatedContext, defineTask, type InTransaction } from '../../pipeline/task.ts'
import { AdcpError, toWireError } from '../../protocol/errors.ts'
import { addRecords, type NewRecord, RecordedElsewhere } from '../../store/reporting/add-records.ts'
import type { ReportOwner } from '../../store/reporting/generations.ts'
import { findObligations, findRecords, listRecords, newestRecord, recordedReceipts } from '../../store/reporting/records.ts'
import { ownerOf, requireAccount } from './reporting-walk.ts'

/** AdCP 3.2, media-buy/sync-reporting-receipts-request.json. */
interface Request {
  readonly account: AccountReference
  readonly idempotency_key: string
  readonly receipts?: readonly Receipt[]
  readonly adjustment_receipts?: readonly AdjustmentReceipt[]
}

/** AdCP 3.2, media-buy/sync-reporting-receipts-request.json, `batch_identity`: of both kinds together. */
const MOST_RECEIPTS = 100

/** Each receipt stands by itself: one that is refused holds up no other. */
export const syncReportingReceipts = defineTask<Request, object>()({
  name: 'sync_reporting_receipts',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'media_buys',
  account: 'required',
  ofPrograms: true,
  summary: 'Accept or reject report files and corrections.',
  async handle({ receipts = [], adjustment_receipts: corrections = [] }, context) {
    const { tx, now, principal } = context
    requireFew([...receipts, ...corrections])
    const owner = ownerOf(requireAccount(context), principal)
    // Read before everything that receipts are judged by: what others record from here on is noticed when it is written.
    const newest = await newestRecord(tx, owner)
    const facts = await factsOf(owner, { receipts, corrections }, context)
    const results = [
      ...receipts.map((receipt, index) => ofFiles(receipt, `receipts[${index}]`, facts, now)),
      ...corrections.map((receipt, index) => ofCorrection(receipt, `adjustment_receipts[${index}]`, facts, now)),
    ]
    const records = results.flatMap(({ record }) => record ?? [])
    await addRecords(tx, owner, records, { after: newest, now }).catch(askAgain)
    return { status: 'completed', results: results.map(({ answer }) => answer) }
  },
})

interface Judged {
  readonly answer: object
  readonly record?: NewRecord
}

interface Facts {
  readonly obligations: ReadonlyMap<string, Obligation>
  readonly materializations: ReadonlyMap<string, { readonly document: Materialization }>
  readonly adjustments: ReadonlyMap<string, { readonly sliceId: string; readonly document: Adjustment }>
  readonly ledger: Pick<ReportLedger, 'receipts' | 'adjustmentReceipts'>
  /** Names that are recorded, of whatever report. */
  readonly known: ReadonlySet<string>
  /** Ids and targets that the batch has twice. */
  readonly twice: ReadonlySet<string>
}

/** Throws INVALID_REQUEST for more than a batch holds. */
function requireFew({ length }: readonly object[]): void {
  if (length <= MOST_RECEIPTS) return
  const message = `receipts and adjustment_receipts are ${length} together; at most ${MOST_RECEIPTS}: send the others in another batch`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'adjustment_receipts' })
}

async function factsOf(
  owner: ReportOwner,
  { receipts, corrections }: { readonly receipts: readonly Receipt[]; readonly corrections: readonly AdjustmentReceipt[] },
  { tx, now }: InTransaction<AuthenticatedContext>,
): Promise<Facts> {
  const unique = (values: readonly string[]) => [...new Set(values)]
  const owed = await findObligations(tx, owner, unique(receipts.map((each) => each.reporting_obligation_id)))
  const obligations = new Map(owed.map((obligation) => [obligation.obligationId, obligation] as const))
  const named = unique(receipts.map((each) => each.reporting_materialization_id))
  const materializations = await findRecords<Materialization>(tx, owner, 'materialization', named)
  const corrected = unique(corrections.map((each) => each.reporting_adjustment_id))
  const adjustments = await findRecords<Adjustment>(tx, owner, 'adjustment', corrected)
  const slices = unique([...obligations.keys(), ...[...adjustments.values()].map(({ sliceId }) => sliceId)])
  const ledger = ledgerOf([], await listRecords(tx, owner, { slices }), now)
  const all = [...receipts, ...corrections]
  const known = await recordedReceipts(
    tx,
    owner,
    all.map((each) => each.reporting_receipt_id),
  )
  return { obligations, materializations, adjustments, ledger, known, twice: repeated(all.flatMap(namesOf)) }
}

/** What of a receipt no other of the batch may have: its id, and what it is about. */
function namesOf(receipt: Receipt | AdjustmentReceipt): readonly string[] {
  const { reporting_receipt_id: id } = receipt
  return [`id ${id}`, `of ${targetOf(receipt)}`]
}

function targetOf(receipt: Receipt | AdjustmentReceipt): string {
  return 'reporting_adjustment_id' in receipt
    ? String(receipt.reporting_adjustment_id)
    : `${receipt.reporting_obligation_id} ${receipt.reporting_revision_id}`
}

function repeated(names: readonly string[]): ReadonlySet<string> {
  const [seen, twice] = [new Set<string>(), new Set<string>()]
  for (const name of names) (seen.has(name) ? twice : seen).add(name)
  return twice
}

function ofFiles(receipt: Receipt, at: string, facts: Facts, now: Date): Judged {
  const { reporting_obligation_id: sliceId, reporting_materialization_id: materializationId } = receipt
  const received = facts.ledger.receipts.get(sliceId) ?? []
  return judged(receipt, at, received, facts, () => {
    const obligation = facts.obligations.get(sliceId)
    const materialization = facts.materializations.get(materializationId)?.document
    const recorded = judgeReceipt(receipt, { obligation, materialization, received, now }, at)
    const shown = recorded ?? received.find((each) => each.reporting_receipt_id === receipt.reporting_receipt_id)
    if (!recorded || !obligation) return { answer: { result: 'unchanged', receipt: shown } }
    const record = { kind: 'receipt' as const, sliceId, periodStart: obligation.period.start, receipt: recorded }
    return { answer: { result: 'recorded', receipt: recorded }, record }
  })
}

function ofCorrection(receipt: AdjustmentReceipt, at: string, facts: Facts, now: Date): Judged {
  const found = facts.adjustments.get(receipt.reporting_adjustment_id)
  const received = facts.ledger.adjustmentReceipts.get(found?.sliceId ?? '') ?? []
  return judged(receipt, at, received, facts, () => {
    const adjustment = found?.document
    const recorded = judgeAdjustmentReceipt(receipt, { adjustment, received, now }, at)
    const shown = recorded ?? received.find((each) => each.reporting_receipt_id === receipt.reporting_receipt_id)
    if (!recorded || !found) return { answer: { result: 'unchanged', adjustment_receipt: shown } }
    const periodStart = found.document.accounting_period.start
    const record = { kind: 'adjustment_receipt' as const, sliceId: found.sliceId, periodStart, adjustmentReceipt: recorded }
    return { answer: { result: 'recorded', adjustment_receipt: recorded }, record }
  })
}

function judged(
  receipt: Receipt | AdjustmentReceipt,
  at: string,
  received: readonly { readonly reporting_receipt_id: string }[],
  { known, twice }: Facts,
  judge: () => Judged,
): Judged {
  const { reporting_receipt_id: id } = receipt
  try {
    const [isTwice, isOfTwice] = namesOf(receipt).map((name) => twice.has(name))
    if (isTwice || isOfTwice) {
      const field = isTwice ? `${at}.reporting_receipt_id` : at
      const what = isTwice ? `${field} is in the batch twice` : `${at}: the batch has more than one receipt of it`
      throw new AdcpError('INVALID_REQUEST', `${what}; send them one after another, each under an id of its own`, { field })
    }
    if (known.has(id) && !received.some((each) => each.reporting_receipt_id === id)) {
      const field = `${at}.reporting_receipt_id`
      throw new AdcpError('IDEMPOTENCY_CONFLICT', `${field} is that of another receipt; choose a new one`, { field })
    }
    return judge()
  } catch (error) {
    if (!(error instanceof AdcpError)) throw error
    return { answer: { result: 'failed', reporting_receipt_id: id, errors: [toWireError(error)] } }
  }
}

function askAgain(error: unknown): never {
  if (!(error instanceof RecordedElsewhere)) throw error
  const message = 'reports of this account were recorded at the same moment; send the same request again'
  throw new AdcpError('SERVICE_UNAVAILABLE', message, { retryAfter: 1, cause: error })
}
