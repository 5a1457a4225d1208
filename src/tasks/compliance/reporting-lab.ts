import type { AccountReference } from '@adcp/sdk/types'
import { noTransition } from '../../domain/compliance/outcome.ts'
import { invalidParam } from '../../domain/compliance/params.ts'
import { LAB_DELIVERIES, type LabBeginning, labBuy } from '../../domain/compliance/reporting-lab.ts'
import { recordDelivery } from '../../domain/media-buy/record-delivery.ts'
import { endedPeriods, type Generation } from '../../domain/reporting/generation.ts'
import { ledgerOf, type ReportLedger } from '../../domain/reporting/ledger.ts'
import { type Obligation, obligationIdOf, sliceOf } from '../../domain/reporting/obligation.ts'
import { RECOVERY_SECONDS } from '../../domain/reporting/offering.ts'
import type { Revision } from '../../domain/reporting/revision.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findOrOpenAccount } from '../../store/account/account-references.ts'
import { takenIds } from '../../store/account/sandbox.ts'
import { findMediaBuys, insertMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { listGenerations, type ReportOwner, saveGenerations } from '../../store/reporting/generations.ts'
import { findLab, forgetReports, type ReportingLab, saveLab } from '../../store/reporting/labs.ts'
import { findObligations, listRecords } from '../../store/reporting/records.ts'
import { settleReporting } from '../media-buy/settle-reporting.ts'

type Context = InTransaction<AuthenticatedContext>

/** An account whose reports a scenario steers, with the obligation of its first period. */
export interface PreparedLab {
  readonly owner: ReportOwner
  readonly lab: ReportingLab
  readonly generation: Generation
  readonly obligation: Obligation
}

/**
 * Begins anew in the account that a scenario names: whatever was reported in it is forgotten, a configuration is there, and its first period is over. Throws
 * INVALID_STATE for an account whose buyer configured reports itself, and INVALID_REQUEST where the media buys of the scenario are somebody else's.
 */
export async function prepareLab(
  reference: AccountReference | undefined,
  { generation, now }: LabBeginning,
  context: Context,
): Promise<PreparedLab> {
  const { tx } = context
  const owner = await ownerIn(reference, context)
  if (!(await findLab(tx, owner)) && (await listGenerations(tx, owner)).length > 0) {
    const message = 'this account has reports of its own, which the scenario would drop; name another'
    throw new AdcpError('INVALID_STATE', message, { field: 'account' })
  }
  await forgetReports(tx, owner)
  for (const delivery of LAB_DELIVERIES) await putBuy(delivery, owner.accountId, context)
  await saveGenerations(tx, owner, [generation])
  await moveLab(owner, { now: now.toISOString() }, context)
  return preparedLab(reference, generation.configId, context)
}

/** The lab of an account as a scenario prepared it. Throws INVALID_STATE where it did not. */
export async function preparedLab(
  reference: AccountReference | undefined,
  configId: string,
  context: Context,
): Promise<PreparedLab> {
  const { tx } = context
  const owner = await ownerIn(reference, context)
  const [lab, [generation]] = [await findLab(tx, owner), await listGenerations(tx, owner)]
  if (!lab || generation?.configId !== configId) throw noTransition('unprepared', 'prepared')
  const [period] = endedPeriods(generation, new Date(lab.now), new Date(generation.activatedAt))
  const [obligation] = period ? await findObligations(tx, owner, [obligationIdOf(owner.accountId, generation, period)]) : []
  if (!obligation) throw noTransition('unprepared', 'prepared')
  return { owner, lab, generation, obligation }
}

/** Sets the clock and the source of an account, and brings its reports up to date by the same road as all others. */
export async function moveLab(
  owner: ReportOwner,
  lab: ReportingLab,
  { tx, principal, services, now }: Context,
  { isQuiet = false }: { readonly isQuiet?: boolean } = {},
): Promise<void> {
  await saveLab(tx, owner, lab)
  const store = { read: tx, transaction: <T>(work: (db: typeof tx) => Promise<T>) => work(tx) }
  await settleReporting({ store, services, now, isQuiet }, { ...owner, sandbox: principal.sandbox })
}

/** The clock of a lab does not go back. */
export function notBefore({ now }: ReportingLab, at: number): string {
  return new Date(Math.max(Date.parse(now), at)).toISOString()
}

/** Records what the source counts of the first `count` media buys of a lab at a moment. */
export async function countInLab(
  { count, times = 1, at }: { readonly count: number; readonly times?: number; readonly at: Date },
  { tx, principal }: Context,
): Promise<void> {
  for (const { mediaBuyId, impressions, clicks } of LAB_DELIVERIES.slice(0, count)) {
    const [buy] = await findMediaBuys(tx, principal, [mediaBuyId])
    if (!buy) throw noTransition('unprepared', 'prepared')
    const figures = { spendMicros: 0, impressions: impressions * times, clicks: clicks * times, conversions: 0 }
    await saveMediaBuy(tx, principal, buy, recordDelivery(buy, figures, at))
  }
}

/** What is recorded of an obligation. */
export async function ledgerAbout(
  { owner, obligation }: Pick<PreparedLab, 'owner' | 'obligation'>,
  { tx, now }: Pick<Context, 'tx' | 'now'>,
): Promise<ReportLedger> {
  return ledgerOf([], await listRecords(tx, owner, { slices: [sliceOf(obligation), obligation.obligationId] }), now)
}

/** The reports of an obligation, in order. */
export async function revisionsOf(
  lab: Pick<PreparedLab, 'owner' | 'obligation'>,
  context: Context,
): Promise<readonly Revision[]> {
  return (await ledgerAbout(lab, context)).revisions.get(sliceOf(lab.obligation)) ?? []
}

/** What every answer of a scenario about reports names. */
export function labFacts({ obligation, generation }: Pick<PreparedLab, 'obligation' | 'generation'>, now: string) {
  return {
    reporting_obligation_id: obligation.obligationId,
    delivery_config_id: generation.configId,
    delivery_config_version: generation.version,
    expected_at: obligation.expectedAt,
    recovery_deadline: new Date(recoveryDeadline(obligation)).toISOString(),
    simulated_now: now,
  }
}

/** Until when a report may be late before somebody has to act, in milliseconds. */
export function recoveryDeadline({ expectedAt }: Obligation): number {
  return Date.parse(expectedAt) + RECOVERY_SECONDS * 1_000
}

async function ownerIn(reference: AccountReference | undefined, { tx, principal, now }: Context): Promise<ReportOwner> {
  const isNamed = reference && ('account_id' in reference || 'brand' in reference)
  const account = isNamed ? await findOrOpenAccount(tx, principal, reference, now) : undefined
  if (!account)
    throw new AdcpError('ACCOUNT_NOT_FOUND', 'account has to name a sandbox account of this buyer', { field: 'account' })
  return { tenantId: principal.tenantId, principalId: principal.principalId, accountId: account.accountId }
}

async function putBuy(delivery: (typeof LAB_DELIVERIES)[number], accountId: string, { tx, principal }: Context): Promise<void> {
  const fresh = labBuy(delivery, { accountId, actor: principal.agentUrl ?? principal.name })
  const [known] = await findMediaBuys(tx, principal, [delivery.mediaBuyId])
  if (known?.accountId === accountId) return saveMediaBuy(tx, principal, known, { ...fresh, revision: known.revision })
  const [taken] = await takenIds(tx, principal, delivery.mediaBuyId, [delivery.packageId])
  if (taken !== undefined)
    throw invalidParam('operation', `needs the id ${taken}, which another account or buyer of this publisher has`)
  await insertMediaBuy(tx, principal, fresh)
}
