import type { CreateMediaBuyRequest } from '@adcp/sdk/types'
import { agentKey } from '../../domain/directory/agent-url.ts'
import type { Product } from '../../domain/product/product.ts'
import { unknownSignal, unlistedSignals } from '../../domain/product/signal-targeting.ts'
import { isOfferedTo, type Signal } from '../../domain/signal/signal.ts'
import { signalIdKey, signalIdOf } from '../../domain/signal/signal-id.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import { isObject } from '../../protocol/is-object.ts'

/** A package with the overlay that a request gives it; `path` is that of the package in the request. */
export interface TargetedPackage {
  readonly productId: string | undefined
  readonly overlay: object | undefined
  readonly path: string
}

/** The packages of a request for new ones, below `path`. */
export function newPackages(packages: CreateMediaBuyRequest['packages'], path: string): readonly TargetedPackage[] {
  return (packages ?? []).map((pkg, index) => ({
    productId: pkg.product_id,
    overlay: pkg.targeting_overlay,
    path: `${path}[${index}]`,
  }))
}

/**
 * Checks the signals that packages choose for products which list none of their own: they have to be offered to the caller by get_signals (AdCP 3.1,
 * core/product.json `signal_targeting_allowed`). Throws what {@link unknownSignal} says, naming the reference.
 */
export async function requireSignals(
  context: AuthenticatedContext,
  packages: readonly TargetedPackage[],
  products: ReadonlyMap<string, Product>,
): Promise<void> {
  const chosen = packages.flatMap(({ productId = '', overlay, path }) => {
    const product = products.get(productId)
    const signals = product && overlay ? unlistedSignals(product, overlay, `${path}.targeting_overlay`) : []
    return signals.map((signal) => ({ ...signal, productId }))
  })
  if (chosen.length === 0) return
  const { services, tenant, principal } = context
  const { agentUrl } = services.wiring
  const { index } = await services.signals.load(tenant)
  const offered = new Set(
    index.signals.filter((signal) => isOfferedTo(signal, principal.principalId)).map((signal) => keyOf(signal, agentUrl)),
  )
  for (const { productId, ...signal } of chosen) {
    if (!offered.has(keyOfReference(signal.reference))) throw unknownSignal(signal, productId)
  }
}

function keyOf(signal: Signal, agentUrl: string): string {
  return signalIdKey(signalIdOf(signal, agentUrl))
}

/** The key of a reference (AdCP 3.1, core/signal-ref.json) to a signal of a catalog or of an agent; text that no signal has for any other. */
function keyOfReference(reference: unknown): string {
  if (!isObject(reference) || typeof reference.signal_id !== 'string') return ''
  const { scope, signal_id: id, data_provider_domain: domain, signal_source_url: url } = reference
  if (scope === 'data_provider' && typeof domain === 'string')
    return signalIdKey({ source: 'catalog', data_provider_domain: domain, id })
  if (scope === 'signal_source' && typeof url === 'string' && agentKey(url) !== undefined)
    return signalIdKey({ source: 'agent', agent_url: url, id })
  return ''
}
