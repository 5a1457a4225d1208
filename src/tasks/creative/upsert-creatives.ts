import { adoptCreative } from '../../domain/creative/adopt-creative.ts'
import { provenanceFault } from '../../domain/creative/check-provenance.ts'
import type { Creative, SentCreative } from '../../domain/creative/creative.ts'
import { decideSync, type SyncDecision, strictly } from '../../domain/creative/sync-creative.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { endServing } from '../../store/creative/creative-assignments.ts'
import { findCreatives, insertCreative, saveCreative } from '../../store/creative/creatives.ts'
import type { Db } from '../../store/database.ts'
import { formatScopeOf } from './format-scope.ts'
import type { Generated } from './generate-creatives.ts'
import type { LimitsOf } from './option-limits.ts'
import type { PoliciesOf } from './provenance-policies.ts'
import { reviewPolicyOf } from './review-policy-of.ts'

export interface UpsertOptions {
  readonly accountId: string
  readonly mode: 'strict' | 'lenient'
  readonly dryRun: boolean
  /** What the products that a creative is meant for ask of its provenance. */
  readonly policiesOf: PoliciesOf
  /** What breaks the limits that products set for the formats of their creatives. */
  readonly limitsOf: LimitsOf
  /** Creatives that were made of a brief here, and briefs that nothing could be made of, by creative id. */
  readonly generated?: Pick<Generated, 'previews' | 'refused' | 'unverified'>
}

/** Decides on creatives and writes what was accepted. Both sync_creatives and packages that come with creatives use it. */
export async function upsertCreatives(
  context: InTransaction<AuthenticatedContext>,
  creatives: readonly SentCreative[],
  { accountId, mode, dryRun, policiesOf, limitsOf, generated }: UpsertOptions,
): Promise<readonly SyncDecision[]> {
  const { tx, principal, tenant, now } = context
  const ids = creatives.map((creative) => creative.creative_id)
  const library = await findCreatives(tx, principal, accountId, ids)
  const scope = await formatScopeOf(context)
  const reviewPolicy = await reviewPolicyOf(tx, principal, accountId, tenant.settings)
  const examining = {
    examined: context.services.wiring.examinesFiles && principal.conformance !== true,
    sandbox: principal.sandbox || context.account?.sandbox === true,
  }
  const decisions = creatives.map((sent, index): SyncDecision => {
    const wire = adoptCreative(sent, scope, context.services.wiring.formats.ofKind)
    const field = `creatives[${index}]`
    if (ids.indexOf(wire.creative_id) !== index) return twice(wire.creative_id, field)
    const refusal = generated?.refused.get(wire.creative_id)
    if (refusal) return { action: 'failed', creativeId: wire.creative_id, errors: [refusal] }
    const faults = policiesOf(wire).flatMap((policy) => provenanceFault(wire, policy, field) ?? [])
    const breaches = limitsOf(wire, field)
    if (faults.length > 0) return { action: 'failed', creativeId: wire.creative_id, errors: [...faults, ...breaches] }
    if (breaches.length > 0) return { action: 'failed', format: true, creativeId: wire.creative_id, errors: breaches }
    const made = generated?.previews.has(wire.creative_id) === true
    const unverified = generated?.unverified.get(wire.creative_id)
    const sync = { accountId, scope, reviewPolicy, generated: made, unverified, examining, now }
    return decideSync(wire, library.get(wire.creative_id), field, sync)
  })
  const final = mode === 'strict' ? strictly(decisions) : decisions
  if (!dryRun) for (const decision of final) await write(context, decision)
  return final
}

function twice(creativeId: string, field: string): SyncDecision {
  const error = new AdcpError('VALIDATION_ERROR', `${field} has the creative_id of an earlier creative`, {
    field: `${field}.creative_id`,
  })
  return { action: 'failed', creativeId, errors: [error] }
}

async function write(context: InTransaction<AuthenticatedContext>, decision: SyncDecision): Promise<void> {
  if (decision.action === 'created') await insertCreative(context.tx, context.principal, decision.creative)
  if (decision.action === 'updated') await replaceCreative(context, decision.before, decision.creative)
}

/** Saves a changed creative; one that loses its approval stops serving now, and what it served stays. */
export async function replaceCreative(
  { tx, principal, now }: { readonly tx: Db; readonly principal: ActingPrincipal; readonly now: Date },
  before: Creative,
  after: Creative,
): Promise<void> {
  if (before.status === 'approved' && after.status !== 'approved') await endServing(tx, principal, before, now)
  await saveCreative(tx, principal, after)
}
