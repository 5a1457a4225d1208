import type { AdServer } from '../ad-serving/ad-server.ts'
import type { UsedAdServer } from '../ad-serving/ad-servers.ts'
import { SIMULATOR } from '../ad-serving/external-id.ts'
import { createReconciledAdServer, type ReadLedger } from '../ad-serving/reconciled-ad-server.ts'
import type { ReconciledBackend } from '../ad-serving/reconciled-backends.ts'
import { createRoutedAdServer, type Routes } from '../ad-serving/routed-ad-server.ts'
import { createSimulator } from '../ad-serving/simulator/simulator.ts'
import { adServerWithListTokens } from '../ad-serving/with-list-tokens.ts'
import type { ListTokenSeal } from '../security/secrets/list-token-seal.ts'

/** An ad server of a setting: one that is called with each order, or one that orders of each publisher are reconciled with. */
export type Made =
  | { readonly name: string; readonly adServer: AdServer; readonly reconciled?: undefined }
  | { readonly name: string; readonly reconciled: (tenantId: string) => ReconciledBackend; readonly adServer?: undefined }

/** The ad servers of a setting, and where its products go. */
export interface Choice {
  readonly main: Made
  readonly byProduct: ReadonlyMap<string, Made>
  /** All that booked orders may lie in. */
  readonly byName: ReadonlyMap<string, Made>
}

/** Ad servers of one publisher, for both kinds of buyers. */
export interface PublisherAdServers {
  readonly production: AdServer
  readonly sandbox: AdServer
  readonly used: readonly UsedAdServer[]
  readonly backends: ReadonlyMap<string, ReconciledBackend>
}

/** What ad servers of publishers have in common. */
export interface Readings {
  readonly readLedger: ReadLedger
  /** The ad server of this program itself: orders may lie in it, whatever the configuration names. */
  readonly embedded?: Made
  /** Opens the tokens of buyers' lists for ad servers of modules; absent: they are not sealed. */
  readonly listTokens?: ListTokenSeal
}

/** The ad servers of a setting as one publisher uses them. */
export function forPublisher(
  choice: Choice,
  tenantId: string,
  { readLedger, embedded, listTokens }: Readings,
): PublisherAdServers {
  const { main, byProduct, byName } = choice
  // An order that was booked before the configuration named another ad server is still there.
  const reachable = new Map(embedded ? [[embedded.name, embedded], ...byName] : byName)
  const backends = new Map(
    [...reachable].flatMap(([name, { reconciled }]) => (reconciled ? [[name, reconciled(tenantId)] as const] : [])),
  )
  const serverOf = (made: Made): AdServer | undefined => {
    if (made.adServer) return listTokens ? adServerWithListTokens(made.adServer, tenantId, listTokens) : made.adServer
    const found = backends.get(made.name)
    return found && createReconciledAdServer(found.backend, tenantId, readLedger)
  }
  const servers = new Map(
    [...reachable].flatMap(([name, made]) => {
      const server = serverOf(made)
      return server ? [[name, server] as const] : []
    }),
  )
  const simulator = servers.get(SIMULATOR) ?? createSimulator()
  const named = ({ name }: Made) => servers.get(name) ?? simulator
  const routes: Routes = {
    main: named(main),
    byProduct: new Map([...byProduct].map(([productId, made]) => [productId, named(made)])),
    byName: new Map([[simulator.name, simulator], ...servers]),
  }
  const used = new Set([routes.main, ...routes.byProduct.values()])
  return {
    production: createRoutedAdServer(routes),
    sandbox: createRoutedAdServer({ ...routes, main: simulator, byProduct: new Map() }),
    used: [...used].map((server) => usedOf(server, routes, backends)),
    backends,
  }
}

function usedOf(adServer: AdServer, { main, byProduct }: Routes, backends: PublisherAdServers['backends']): UsedAdServer {
  const { name, description, simulated } = adServer
  const products = [...byProduct].flatMap(([productId, server]) => (server === adServer ? [productId] : []))
  const capabilities = backends.get(name)?.backend.capabilities
  return { name, description, simulated, ...(adServer !== main && { products }), ...(capabilities && { capabilities }) }
}
