import type { GetAdCPCapabilitiesResponse, GetProductsResponse, SyncAccountsResponse } from '@adcp/sdk/types'
import { AdcpError } from '../../protocol/errors.ts'
import { chooseOffer, type Offer } from './choose-offer.ts'
import { placeOrder } from './place-order.ts'
import { type Delivered, readDelivery } from './read-delivery.ts'
import { sendCreative } from './send-creative.ts'
import { ACCOUNT, type FirstBuyParts, money } from './step.ts'

export interface FirstBuy extends Delivered {
  readonly mediaBuyId: string
  /** What the agent itself says is simulated. */
  readonly simulated: readonly string[]
}

/**
 * Plays a first buy in a sandbox account against an agent: its capabilities, products for a brief, an account, an order, its approval, a
 * creative, and delivery above zero. Throws AdcpError with the call that failed and what to do.
 */
export async function makeFirstBuy(parts: FirstBuyParts): Promise<FirstBuy> {
  const simulated = await readCapabilities(parts)
  const offer = await findOffer(parts)
  await declareAccount(parts)
  const { mediaBuyId, packageId } = await placeOrder(parts, offer)
  await sendCreative(parts, offer, packageId)
  return { mediaBuyId, ...(await readDelivery(parts, mediaBuyId)), simulated }
}

async function readCapabilities({ call, report }: FirstBuyParts): Promise<readonly string[]> {
  const answer = await call<GetAdCPCapabilitiesResponse>('get_adcp_capabilities', {})
  const simulated = simulatedIn(answer.ext)
  const isSandbox = answer.account?.sandbox === true
  report({
    actor: 'buyer',
    call: 'get_adcp_capabilities',
    request: {},
    answer,
    lines: [
      `protocols: ${answer.supported_protocols.join(', ')}`,
      `sandbox accounts: ${isSandbox ? 'yes' : 'no'}`,
      ...(simulated[0] === undefined ? [] : [`the agent says: ${simulated[0]}`]),
    ],
  })
  if (isSandbox) return simulated
  throw new AdcpError(
    'INVALID_REQUEST',
    'the agent offers no sandbox accounts (account.sandbox in its capabilities); an order on another account would spend money',
  )
}

/** Descriptions of simulated backends, as an agent of this program lists them in its capabilities. */
function simulatedIn(ext: unknown): readonly string[] {
  const listed: unknown = typeof ext === 'object' && ext !== null ? Reflect.get(ext, 'simulated_backends') : undefined
  const backends: readonly unknown[] = Array.isArray(listed) ? listed : []
  return backends
    .map((backend): unknown =>
      typeof backend === 'object' && backend !== null ? Reflect.get(backend, 'description') : undefined,
    )
    .filter((text) => typeof text === 'string')
}

async function findOffer({ call, report, brief }: FirstBuyParts): Promise<Offer> {
  const request = { buying_mode: 'brief', brief, brand: ACCOUNT.brand }
  const answer = await call<GetProductsResponse>('get_products', request)
  const products = answer.products ?? []
  const offer = chooseOffer(products)
  const price = offer && `${money(offer.cpm, offer.currency)} per thousand impressions${offer.isBid ? ' (bid)' : ''}`
  report({
    actor: 'buyer',
    call: 'get_products',
    request,
    answer,
    lines: [
      `${products.length} products for "${brief}"`,
      ...(offer ? [`chosen: ${offer.product.product_id}, "${offer.product.name}", ${price}`] : []),
    ],
  })
  if (offer) return offer
  throw new AdcpError('INVALID_REQUEST', `no product for "${brief}" has a price per thousand impressions; change --brief`)
}

async function declareAccount({ call, report, newId }: FirstBuyParts): Promise<void> {
  const request = { idempotency_key: newId(), accounts: [{ ...ACCOUNT, billing: 'operator' }] }
  const answer = await call<SyncAccountsResponse>('sync_accounts', request)
  const [account] = 'accounts' in answer ? answer.accounts : []
  report({
    actor: 'buyer',
    call: 'sync_accounts',
    request,
    answer,
    lines: [`sandbox account of ${ACCOUNT.brand.domain}: ${account?.status ?? 'refused'}`],
  })
  if (account?.status !== 'active')
    throw new AdcpError('INVALID_REQUEST', `the account is ${account?.status ?? 'refused'}; an order needs an active account`)
}
