import type { LineSettings } from '../domain/ad-serving/desired-order.ts'
import type { ObservedOrder } from '../domain/ad-serving/observed-order.ts'
import { withListTokens } from '../domain/media-buy/list-tokens.ts'
import type { ListTokenSeal } from '../security/secrets/list-token-seal.ts'
import type { AdServer, LineOrder } from './ad-server.ts'
import type { AdServerBackend } from './backend.ts'

/** A reconciled ad server that others wrote: it gets the tokens of buyers' lists as the buyers sent them, and what it reports of them is sealed again. */
export function backendWithListTokens(backend: AdServerBackend, tokens: ListTokenSeal): AdServerBackend {
  const { observeAll } = backend
  const sealed = (tenantId: string, observed: ObservedOrder | undefined) =>
    observed && orderWithListTokens(observed, (token) => tokens.seal(tenantId, token))
  return {
    ...backend,
    putLine: (order, line, settings) =>
      backend.putLine(
        order,
        line,
        targeted(settings, (token) => tokens.open(order.tenantId, token)),
      ),
    observe: async (order) => sealed(order.tenantId, await backend.observe(order)),
    ...(observeAll && {
      observeAll: async (orders) => (await observeAll(orders)).map((each, at) => sealed(orders[at]?.tenantId ?? '', each)),
    }),
  }
}

/** An ad server that is called with each order, for one publisher: it gets the tokens of buyers' lists as the buyers sent them. */
export function adServerWithListTokens(adServer: AdServer, tenantId: string, tokens: ListTokenSeal): AdServer {
  const opened = (lines: readonly LineOrder[]) => lines.map((line) => withOpenTokens(line, tenantId, tokens))
  return {
    ...adServer,
    book: (anchor, mediaBuyId, lines) => adServer.book(anchor, mediaBuyId, opened(lines)),
    change: (anchor, orderId, lines, mediaBuyId) => adServer.change(anchor, orderId, opened(lines), mediaBuyId),
  }
}

function withOpenTokens(line: LineOrder, tenantId: string, tokens: ListTokenSeal): LineOrder {
  const { targetingOverlay: overlay } = line
  return overlay ? { ...line, targetingOverlay: withListTokens(overlay, (token) => tokens.open(tenantId, token)) } : line
}

/** An order whose list tokens are sealed by `seal`: those that were sealed under an earlier secret compare with those under the current one. */
export function orderWithListTokens<
  L extends { readonly settings: Pick<Partial<LineSettings>, 'targeting'> },
  O extends { readonly lines: readonly L[] },
>(order: O, seal: (token: string) => string): O {
  return { ...order, lines: order.lines.map((line) => ({ ...line, settings: targeted(line.settings, seal) })) }
}

function targeted<S extends Pick<Partial<LineSettings>, 'targeting'>>(settings: S, change: (token: string) => string): S {
  const { targeting } = settings
  return targeting ? { ...settings, targeting: withListTokens(targeting, change) } : settings
}
