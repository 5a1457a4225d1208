import type { Account, AccountScope } from '../../domain/account/account.ts'
import { accountScopeOf } from '../../domain/account/account.ts'
import { creativePrices } from '../../domain/creative/prices.ts'
import { knownFormat } from '../../domain/creative/resolve-format.ts'
import { insteadOfBuy } from '../../domain/media-buy/not-found.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { RightsGrant } from '../../domain/rights/grant.ts'
import { pricesFor } from '../../domain/signal/prices.ts'
import type { UsageSubject, UsageTerms } from '../../domain/signal/usage.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import { getContentStandards } from '../../store/content-standards/content-standards.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import type { Db } from '../../store/database.ts'
import { getList } from '../../store/inventory-list/inventory-lists.ts'
import { findMediaBuys, newestMediaBuyIds } from '../../store/media-buy/media-buys.ts'
import { getGrant } from '../../store/rights/rights-grants.ts'
import { activatedSegments, findDeployments } from '../../store/signal/signal-deployments.ts'
import { formatScopeOf } from '../creative/format-scope.ts'

type Context = InTransaction<AuthenticatedContext>

/** A service without prices is not billed by usage reports. */
const UNPRICED: UsageTerms = { prices: [], committed: undefined }

/** The prices of what was used, for its user. Throws the code of an absent service, which another agent's is alike, naming `field`. */
export async function usageTerms(
  context: Context,
  account: Account,
  { kind, id }: UsageSubject,
  field: string,
): Promise<UsageTerms> {
  const { tx, principal } = context
  const reach = accountScopeOf(principal, account)
  switch (kind) {
    case 'signal_agent_segment_id':
      return signalTerms(context, account, id, field)
    case 'creative_id':
      return creativeTerms(context, account, id, field)
    case 'standards_id':
      await getContentStandards(tx, principal, id).catch((error: unknown) => rename(error, field))
      return UNPRICED
    case 'property_list_id':
      await getList(tx, reach, 'property', id, field)
      return UNPRICED
    case 'media_buy_id':
      return mediaTerms(context, account, id, field)
    case 'rights_id':
      return rightsTerms(await getGrant(tx, principal, id).catch((error: unknown) => rename(error, field)))
  }
}

/** A creative costs what its own prices or those of its format say. */
async function creativeTerms(context: Context, account: Account, id: string, field: string): Promise<UsageTerms> {
  const creative = await findCreative(context.tx, accountScopeOf(context.principal, account), id)
  if (!creative) throw new AdcpError('CREATIVE_NOT_FOUND', `${field} is not in your library`, { field })
  const format = knownFormat(creative.content.formatId, await formatScopeOf(context))
  return { prices: creativePrices(creative, format), committed: undefined }
}

/** Media costs what its packages were sold at; prices by other units than impressions are taken as the buyer counted them. */
async function mediaTerms({ tx, principal }: Context, account: Account, id: string, field: string): Promise<UsageTerms> {
  const [buy] = await findMediaBuys(tx, principal, [id])
  if (!buy || !(principal.conformance || buy.accountId === account.accountId)) {
    const newest = await newestMediaBuyIds(tx, principal, account.accountId)
    throw new AdcpError('MEDIA_BUY_NOT_FOUND', `${field} is not a media buy of this account${insteadOfBuy(id, newest)}`, {
      field,
    })
  }
  const prices = buy.packages.map(({ pricing, terms }) => {
    const { pricingOptionId: pricing_option_id, currency, model } = pricing
    return model === 'cpm'
      ? { pricing_option_id, currency, model: 'cpm' as const, cpm: microsToAmount(terms.rateMicros) }
      : { pricing_option_id, currency, model: 'custom' as const, description: `priced by ${model}`, metadata: {} }
  })
  return { prices: [...new Map(prices.map((price) => [price.pricing_option_id, price])).values()], committed: undefined }
}

/** Rights by impressions are billed by what is reported; of a flat rate, a report says only what was shown. */
function rightsTerms({ agreement: { price } }: RightsGrant): UsageTerms {
  const { pricing_option_id, currency } = price
  const usage =
    price.model === 'cpm'
      ? { pricing_option_id, currency, model: 'cpm' as const, cpm: price.price }
      : { pricing_option_id, currency, model: 'custom' as const, description: 'flat rate of the grant', metadata: {} }
  return { prices: [usage], committed: pricing_option_id }
}

/** Signals that an id is compared with. */
const MOST_COMPARED = 50

/** The refusal of a signal that was not activated, with those that were. */
async function notActivated(db: Db, reach: AccountScope, id: string, field: string): Promise<AdcpError> {
  const hint = instead(id, await activatedSegments(db, reach, MOST_COMPARED), 'activate_signal activates one')
  return new AdcpError('SIGNAL_NOT_FOUND', `${field} ${quoted(id)} is not a signal that this account activated${hint}`, { field })
}

/** Records of one call that are looked at where its form is wrong: an error names no more. */
const MOST_LOOKED_AT = 12

/** The signals that records name and that no account of the agent has activated; records may lack any member. */
export async function unknownSignals(
  records: readonly { readonly signal_agent_segment_id?: string }[],
  { db, principal }: Pick<AuthenticatedContext, 'db' | 'principal'>,
): Promise<readonly AdcpError[]> {
  const reach = accountScopeOf(principal, undefined)
  const ids = records.slice(0, MOST_LOOKED_AT).map(({ signal_agent_segment_id: id }) => id)
  const known = await findDeployments(db, reach, [...new Set(ids.filter((id) => id !== undefined))])
  const activated = new Set(known.map(({ segmentId }) => segmentId))
  const errors: AdcpError[] = []
  for (const [index, id] of ids.entries())
    if (id !== undefined && !activated.has(id))
      errors.push(await notActivated(db, reach, id, `usage[${index}].signal_agent_segment_id`))
  return errors
}

/** A signal is paid for once it was activated, also when it is no longer live or on offer. */
async function signalTerms(
  { tx, principal, tenant, services }: Context,
  account: Account,
  id: string,
  field: string,
): Promise<UsageTerms> {
  const reach = accountScopeOf(principal, account)
  const [deployment] = (await findDeployments(tx, reach, [id])).toReversed()
  const signalSet = await services.signals.load(tenant)
  const signal = signalSet.byId.get(id) ?? signalSet.withdrawn.get(id)
  if (!signal || !deployment) throw await notActivated(tx, reach, id, field)
  return { prices: pricesFor(signal, account), committed: deployment.pricingOptionId }
}

function rename(error: unknown, field: string): never {
  if (error instanceof AdcpError && error.code === 'REFERENCE_NOT_FOUND') {
    throw new AdcpError(error.code, `${field} is none of yours`, { field })
  }
  throw error
}
