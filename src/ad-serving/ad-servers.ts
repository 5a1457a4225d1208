import type { BackendCapabilities } from '../domain/ad-serving/capabilities.ts'
import type { AdServer } from './ad-server.ts'
import type { ImportOnRead } from './reconcile/import-on-read.ts'
import type { ReconciledBackends } from './reconciled-backends.ts'

/** An ad server of a publisher, and the products that it alone serves. */
export interface UsedAdServer {
  readonly name: string
  readonly description: string
  /** Nothing is really served. */
  readonly simulated: boolean
  /** Ids of the products that the configuration gives it; absent: all others. */
  readonly products?: readonly string[]
  /** What orders there may say; absent for one that is called with each order and decides then. */
  readonly capabilities?: BackendCapabilities
}

/** The ad servers of every publisher of the deployment, as the configuration chose them. */
export interface AdServers {
  /**
   * The ad server of a publisher's orders. New orders of sandbox buyers (`sandbox`) go to the simulator; an order that is booked stays where it is,
   * whoever asks about it.
   */
  of(tenantId: string, buyer: { readonly sandbox: boolean }): AdServer
  /** `same`: orders of sandbox buyers are booked in the production ad server, so sandbox buyers are offered only what that ad server supports. */
  readonly sandboxOrders?: 'simulator' | 'same' | undefined
  /** What production buyers of a publisher are served by, its main ad server first. */
  list(tenantId: string): readonly UsedAdServer[]
  /** Those of a publisher's ad servers that orders are reconciled with; none for the simulator and for modules of the synchronous port. */
  readonly backends: ReconciledBackends
  /** Called before delivery is read (see {@link ImportOnRead}). */
  readonly importOnRead: ImportOnRead
  /** Takes over what publishers changed of their ad servers since, in this process or another. */
  refresh(): Promise<void>
}

/** One ad server for every publisher and every buyer. */
export function singleAdServer(adServer: AdServer): AdServers {
  const { name, description, simulated } = adServer
  return {
    of: () => adServer,
    list: () => [{ name, description, simulated }],
    backends: () => new Map(),
    importOnRead: async () => {},
    refresh: async () => {},
  }
}
