import { isDeepStrictEqual } from 'node:util'
import { AdcpError } from '../../protocol/errors.ts'
import type { Adjustment } from './adjustment.ts'
import { unavailable } from './consumer-status.ts'
import type { Materialization } from './materialization.ts'
import type { Obligation } from './obligation.ts'
import { offeringNamed, reconciliationMode } from './offering.ts'
import type { AdjustmentReceipt, Receipt, Recorded } from './receipt.ts'
import { adjustmentLeaf, leafOf } from './reconciliation.ts'
import type { ControlTotal } from './revision.ts'

/** Receipts of one report or correction: each is kept. */
const MOST_RECEIPTS = 16
/** Characters of a receipt as JSON: each is kept, and read with the account's reports. */
const LONGEST_RECEIPT = 4_096

/** What a receipt of files is judged by; undefined members are not the buyer's, or not there. */
export interface ReceiptFacts {
  readonly obligation: Obligation | undefined
  readonly materialization: Materialization | undefined
  /** Receipts of the obligation, in order. */
  readonly received: readonly Recorded<Receipt>[]
  readonly now: Date
}

/**
 * A receipt of files as it is to be recorded; undefined for one that is recorded already. What is accepted has to be what was delivered. Throws
 * IDEMPOTENCY_CONFLICT for other content under a known id, CONFLICT for one that does not follow the newest, INVALID_STATE behind an accepted one,
 * INVALID_REQUEST, and REFERENCE_NOT_FOUND alike for everything that is not there or not the buyer's.
 */
export function judgeReceipt(receipt: Receipt, facts: ReceiptFacts, at: string): Recorded<Receipt> | undefined {
  const { obligation, materialization, received, now } = facts
  if (isRecorded(receipt, received, at)) return undefined
  requireShort(receipt, at)
  const { reporting_obligation_id: obligationId, reporting_revision_id: revisionId } = receipt
  if (!obligation) throw unavailable(`${at}.reporting_obligation_id`)
  if (reconciliationMode(offeringNamed(obligation.offeringId)) !== 'consumer_receipt') {
    const field = `${at}.reporting_obligation_id`
    const message = `${field} takes no receipts: its reconciliation_mode is delivery_only; send sync_reporting_status`
    throw new AdcpError('INVALID_STATE', message, { field })
  }
  if (materialization?.reporting_obligation_id !== obligationId) throw unavailable(`${at}.reporting_materialization_id`)
  if (materialization.reporting_revision_id !== revisionId) throw unavailable(`${at}.reporting_revision_id`)
  requireTime(receipt, materialization.ready_at, now, at)
  const { verification_profile: profile } = materialization.verification
  if (receipt.verification_profile !== profile) {
    const field = `${at}.verification_profile`
    throw new AdcpError('INVALID_REQUEST', `${field} has to be ${profile}, as the files are verified`, { field })
  }
  if (receipt.status === 'accepted') requireEqual(receipt, materialization, at)
  const chain = received.filter((each) => each.reporting_revision_id === revisionId)
  requireNext(receipt, leafOf(received, revisionId), chain, at)
  return { ...receipt, received_at: now.toISOString() }
}

/** A receipt of a correction as it is to be recorded; undefined for one that is recorded already. Throws as {@link judgeReceipt}. */
export function judgeAdjustmentReceipt(
  receipt: AdjustmentReceipt,
  {
    adjustment,
    received,
    now,
  }: {
    readonly adjustment: Adjustment | undefined
    readonly received: readonly Recorded<AdjustmentReceipt>[]
    readonly now: Date
  },
  at: string,
): Recorded<AdjustmentReceipt> | undefined {
  if (isRecorded(receipt, received, at)) return undefined
  requireShort(receipt, at)
  if (!adjustment) throw unavailable(`${at}.reporting_adjustment_id`)
  if (adjustment.adjusts_reporting_revision_id !== receipt.adjusts_reporting_revision_id)
    throw unavailable(`${at}.adjusts_reporting_revision_id`)
  requireTime(receipt, adjustment.created_at, now, at)
  const digest = adjustment.canonical_adjustment_sha256
  if (receipt.status === 'accepted' && receipt.observed_adjustment_sha256.toLowerCase() !== digest)
    throw differs(`${at}.observed_adjustment_sha256`, 'the digest of that correction')
  const { reporting_adjustment_id: id } = receipt
  const chain = received.filter((each) => each.reporting_adjustment_id === id)
  requireNext(receipt, adjustmentLeaf(received, id), chain, at)
  return { ...receipt, received_at: now.toISOString() }
}

function isRecorded<T extends Receipt | AdjustmentReceipt>(receipt: T, received: readonly Recorded<T>[], at: string): boolean {
  const known = received.find((each) => each.reporting_receipt_id === receipt.reporting_receipt_id)
  if (!known) return false
  const { received_at: _received, ...before } = known
  if (isDeepStrictEqual(before, receipt)) return true
  const message = `${at}.reporting_receipt_id was recorded with other content; send what changed under a new id`
  throw new AdcpError('IDEMPOTENCY_CONFLICT', message, { field: `${at}.reporting_receipt_id` })
}

function requireShort(receipt: Receipt | AdjustmentReceipt, at: string): void {
  const { length } = JSON.stringify(receipt)
  if (length <= LONGEST_RECEIPT) return
  const message = `${at} has ${length} characters; a receipt has at most ${LONGEST_RECEIPT}: name fewer rejection_codes, and the control totals of the files alone`
  throw new AdcpError('INVALID_REQUEST', message, { field: at })
}

function requireTime({ observed_at: observedAt }: Receipt | AdjustmentReceipt, since: string, now: Date, at: string): void {
  const observed = Date.parse(observedAt)
  if (observed >= Date.parse(since) && observed <= now.getTime()) return
  const field = `${at}.observed_at`
  throw new AdcpError('INVALID_REQUEST', `${field} has to be between ${since} and now, ${now.toISOString()}`, { field })
}

/** AdCP 3.2, core/reporting-receipt.json, `acceptance_match`. */
function requireEqual(receipt: Receipt, { verification, resource }: Materialization, at: string): void {
  if (receipt.observed_row_count !== verification.row_count) throw differs(`${at}.observed_row_count`, 'that of the files')
  if (!isDeepStrictEqual(byName(receipt.observed_control_totals), byName(verification.control_totals)))
    throw differs(`${at}.observed_control_totals`, 'those of the files')
  const { observed_canonical_content_digest: digest, observed_manifest_sha256: manifest } = receipt
  if (digest !== undefined && !isDeepStrictEqual(digest, verification.canonical_content_digest))
    throw differs(`${at}.observed_canonical_content_digest`, 'that of the report')
  if (manifest !== undefined && manifest.toLowerCase() !== resource.manifest_sha256)
    throw differs(`${at}.observed_manifest_sha256`, 'that of the manifest')
}

function byName(totals: readonly ControlTotal[]): readonly ControlTotal[] {
  return totals.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function differs(field: string, what: string): AdcpError {
  const message = `${field} is not ${what}, which cannot be accepted; read it again, or send rejected with rejection_codes`
  return new AdcpError('INVALID_REQUEST', message, { field })
}

function requireNext(
  { supersedes_reporting_receipt_id: supersedes }: Receipt | AdjustmentReceipt,
  leaf: Recorded<Receipt> | Recorded<AdjustmentReceipt> | undefined,
  chain: readonly { readonly reporting_receipt_id: string }[],
  at: string,
): void {
  const field = `${at}.supersedes_reporting_receipt_id`
  if (supersedes !== undefined && !chain.some((each) => each.reporting_receipt_id === supersedes)) throw unavailable(field)
  if (leaf?.status === 'accepted') {
    const message = `${at}: ${leaf.reporting_receipt_id} has accepted it, which is final`
    throw new AdcpError('INVALID_STATE', message, { field: at })
  }
  if (supersedes !== leaf?.reporting_receipt_id) {
    const message = `${field} has to be ${leaf?.reporting_receipt_id}, which is your newest receipt of it`
    throw new AdcpError('CONFLICT', message, { field })
  }
  if (chain.length >= MOST_RECEIPTS) {
    const message = `${at}: of one report at most ${MOST_RECEIPTS} receipts are kept`
    throw new AdcpError('INVALID_STATE', message, { field: at })
  }
}
