import { accountScopeOf } from '../../domain/account/account.ts'
import type { AccountStatus } from '../../domain/account/account-document.ts'
import { TRANSITIONS as ACCOUNT, canTransition as accountCan } from '../../domain/account/lifecycle.ts'
import { noTransition, transitioned } from '../../domain/compliance/outcome.ts'
import { oneOf, optionalText, requiredText } from '../../domain/compliance/params.ts'
import type { CreativeStatus } from '../../domain/creative/creative.ts'
import { TRANSITIONS as CREATIVE, canTransition as creativeCan, transition } from '../../domain/creative/lifecycle.ts'
import { TRANSITIONS as MEDIA_BUY, mediaBuyStatus } from '../../domain/media-buy/lifecycle.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { bringTo } from '../../domain/media-buy/seller-decisions.ts'
import type { MediaBuyStatus } from '../../domain/product/media-buy-status.ts'
import { CHANGE_REASONS } from '../../domain/webhook/creative-change.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findAccount, saveAccount } from '../../store/account/accounts.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import { getMediaBuy, saveMediaBuy } from '../../store/media-buy/media-buys.ts'
import { tellCreativeSubscribers } from '../creative/tell-creative-subscribers.ts'
import { replaceCreative } from '../creative/upsert-creatives.ts'
import { creativeFactsOf } from '../media-buy/creative-facts.ts'
import { poolOf } from '../media-buy/orders.ts'
import { reserve } from '../media-buy/reservations.ts'
import type { Scenario } from './scenario.ts'

const names = <T extends string>(table: Readonly<Record<T, unknown>>) => Object.keys(table) as T[]

/** `force_creative_status`: what a reviewer, or its buyer by archiving it, would decide. */
export const forceCreativeStatus: Scenario = async (params, context) => {
  const { tx, principal, services, now } = context
  const creativeId = requiredText(params, 'creative_id')
  const status = oneOf<CreativeStatus>(params.status, names(CREATIVE), 'status')
  const reason = optionalText(params, 'rejection_reason')
  const reasonCode = params.reason_code === undefined ? undefined : oneOf(params.reason_code, CHANGE_REASONS, 'reason_code')
  const told = optionalText(params, 'reason_detail', 500)
  const creative = await findCreative(tx, accountScopeOf(principal, undefined), creativeId)
  if (!creative) throw new AdcpError('CREATIVE_NOT_FOUND', 'there is no such creative', { field: 'params.creative_id' })
  if (!creativeCan(creative.status, status)) throw noTransition(creative.status, status)
  const after = transition(creative, status, now, status === 'rejected' ? reason : undefined)
  if (after !== creative) {
    await replaceCreative(context, creative, after)
    await tellCreativeSubscribers(tx, principal, { before: creative, after, reasonCode, told }, now)
    services.webhooks.wake()
  }
  return transitioned(creative.status, status, 'creative')
}

/** `force_account_status`: what the publisher's finance or sales would decide on an account. */
export const forceAccountStatus: Scenario = async (params, { tx, principal, now }) => {
  const accountId = requiredText(params, 'account_id')
  const status = oneOf<AccountStatus>(params.status, names(ACCOUNT), 'status')
  const account = await findAccount(tx, principal, accountId)
  if (!account) throw new AdcpError('ACCOUNT_NOT_FOUND', 'there is no such account', { field: 'params.account_id' })
  if (account.status !== status) {
    if (!accountCan(account.status, status)) throw noTransition(account.status, status)
    await saveAccount(tx, { ...account, status }, now)
  }
  return transitioned(account.status, status, 'account')
}

/** `force_media_buy_status`: the seller's decisions and dates that imply the status. */
export const forceMediaBuyStatus: Scenario = async (params, context) => {
  const mediaBuyId = requiredText(params, 'media_buy_id')
  const status = oneOf<MediaBuyStatus>(params.status, names(MEDIA_BUY), 'status')
  const reason = optionalText(params, 'rejection_reason')
  const buy = await getMediaBuy(context.tx, context.principal, mediaBuyId)
  return transitioned(await bringMediaBuyTo(context, buy, status, reason), status, 'media buy')
}

/** Brings a media buy into a status and gives the one before. Throws INVALID_STATE when the life cycle does not lead there. */
export async function bringMediaBuyTo(
  context: InTransaction<AuthenticatedContext>,
  buy: MediaBuy,
  status: MediaBuyStatus,
  reason: string | undefined,
): Promise<MediaBuyStatus> {
  const { tx, principal, now } = context
  const creatives = await creativeFactsOf(tx, principal, [buy])
  const before = mediaBuyStatus(buy, creatives, now)
  if (before === status) return before
  if (!MEDIA_BUY[before].includes(status)) throw noTransition(before, status)
  const actor = 'publisher'
  const { buy: after } = bringTo(buy, status, { creatives, actor, now, ...(reason !== undefined && { reason }) })
  await saveMediaBuy(tx, principal, buy, after)
  // Inventory moves with the dates; a sandbox's pool has no other buyers that could run short.
  await reserve(tx, poolOf(context), buy.packages, after.packages, new Map())
  return before
}
