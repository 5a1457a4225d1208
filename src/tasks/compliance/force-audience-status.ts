import { accountScopeOf } from '../../domain/account/account.ts'
import { type Audience, audienceStatus, EMPTY, SUSPENSION_REASONS, type Suspension } from '../../domain/audience/audience.ts'
import { noTransition, transitioned } from '../../domain/compliance/outcome.ts'
import { oneOf, requiredText } from '../../domain/compliance/params.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { sizesOf } from '../../store/audience/audience-members.ts'
import { findAudiences, saveAudience } from '../../store/audience/audiences.ts'
import { saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { buysAhead } from '../media-buy/audience-uses.ts'
import { minimumAudienceSize } from '../media-buy/minimum-audience-size.ts'
import type { Scenario } from './scenario.ts'

/** `force_audience_status` (AdCP 3.1): the publisher takes an audience offline, which impairs the media buys that target it, or back again. */
export const forceAudienceStatus: Scenario = async (params, context) => {
  const { tx, principal, services, now } = context
  const audienceId = requiredText(params, 'audience_id')
  const status = oneOf(params.status, ['ready', 'suspended'], 'status')
  const [audience] = await findAudiences(tx, accountScopeOf(principal, undefined), [audienceId])
  if (!audience) throw new AdcpError('REFERENCE_NOT_FOUND', 'there is no such audience', { field: 'params.audience_id' })
  const sizes = await sizesOf(tx, principal.tenantId, [audience.sellerId])
  const statusOf = (each: Audience) => audienceStatus(each, sizes.get(audience.sellerId) ?? EMPTY, minimumAudienceSize(context))
  const before = statusOf(audience)
  const { suspended: _before, ...document } = audience.document
  const reasonCode = oneOf(params.reason ?? 'policy_violation', SUSPENSION_REASONS, 'reason')
  const suspended = status === 'suspended' ? { reasonCode, since: now.toISOString() } : undefined
  const after = { ...audience, document: { ...document, ...(suspended && { suspended }) } }
  if (statusOf(after) !== status) throw noTransition(before, status)
  if (before === status) return transitioned(before, status, 'audience')
  await saveAudience(tx, principal, after)
  for await (const buy of buysAhead(tx, principal, audience.accountId, now))
    await saveMediaBuy(tx, principal, buy, withAudience(buy, audienceId, suspended, context))
  services.webhooks.wake()
  return transitioned(before, status, 'audience')
}

function withAudience(
  buy: MediaBuy,
  audienceId: string,
  suspended: Suspension | undefined,
  { now }: InTransaction<AuthenticatedContext>,
): MediaBuy {
  const packages = buy.packages.map((pkg) => {
    if (!pkg.targetingOverlay?.audience_include?.includes(audienceId)) return pkg
    const others = (pkg.offlineAudiences ?? []).filter((each) => each.audienceId !== audienceId)
    return { ...pkg, offlineAudiences: suspended ? [...others, { audienceId, ...suspended }] : others }
  })
  return { ...buy, packages, updatedAt: now.toISOString() }
}
