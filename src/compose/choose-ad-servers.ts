import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { AdServer } from '../ad-serving/ad-server.ts'
import type { AdServers, UsedAdServer } from '../ad-serving/ad-servers.ts'
import type { AdServerBackend } from '../ad-serving/backend.ts'
import type { KnowsCode } from '../ad-serving/checked-ad-server.ts'
import { EMBEDDED, SIMULATOR } from '../ad-serving/external-id.ts'
import { createReconciledAdServer, type ReadLedger } from '../ad-serving/reconciled-ad-server.ts'
import type { ReconciledBackend } from '../ad-serving/reconciled-backends.ts'
import { createRoutedAdServer, type Routes } from '../ad-serving/routed-ad-server.ts'
import { createSimulator } from '../ad-serving/simulator/simulator.ts'
import type { AdServerChoice, AdServerConfig, AdServerSettings } from '../config/ad-server-settings.ts'
import { ConfigError } from '../config/config.ts'
import type { DriftPolicy } from '../domain/ad-serving/drift.ts'
import type { Contracts } from '../protocol/contracts.ts'
import { ledgerDays } from '../store/ad-serving/delivery-ledger.ts'
import type { Store } from '../store/database.ts'
import { type LoadedAdServer, loadAdServer } from './load-ad-server.ts'

/** An ad server of the configuration: one for all publishers that it serves, or reconciled with the orders of each. */
type Made =
  | { readonly name: string; readonly adServer: AdServer; readonly reconciled?: undefined }
  | { readonly name: string; readonly reconciled: ReconciledBackend; readonly adServer?: undefined }

/** The ad servers of a setting, and where its products go. */
interface Choice {
  readonly main: Made
  readonly byProduct: ReadonlyMap<string, Made>
  readonly byName: ReadonlyMap<string, Made>
}

/** Ad servers of one publisher, for both kinds of buyers. */
interface Chosen {
  readonly production: AdServer
  readonly sandbox: AdServer
  readonly used: readonly UsedAdServer[]
  readonly backends: ReadonlyMap<string, ReconciledBackend>
}

/** The ad server of this program itself, and what it has counted of packages. */
export interface Embedded {
  readonly backend: AdServerBackend
  readonly readDays: ReadLedger
}

export interface ChooseParts {
  readonly store: Store
  readonly embedded: Embedded
  readonly log: Logger
  readonly contracts: Contracts
}

/**
 * Loads every ad server that the configuration names. A publisher without settings of its own has the deployment's. Throws ConfigError for a module
 * that cannot be used (see {@link loadAdServer}), and for two ad servers of one publisher under the same name.
 */
export async function chooseAdServers(
  config: AdServerConfig,
  { store, log, contracts, embedded }: ChooseParts,
): Promise<AdServers> {
  const own: Made = { name: EMBEDDED, reconciled: { backend: embedded.backend, drift: config.adServer.drift ?? 'leave' } }
  const shared = { log, own, knowsCode: (code: string) => contracts.base.knowsCode(code) }
  const others = await choose(['adServer'], config.adServer, { ...shared, tenantId: undefined })
  const byTenant = new Map<string, Choice>()
  for (const [tenantId, { adServer }] of Object.entries(config.tenants))
    if (adServer) byTenant.set(tenantId, await choose(['tenants', tenantId, 'adServer'], adServer, { ...shared, tenantId }))
  const readLedger: ReadLedger = (tenantId, packageIds) => ledgerDays(store.read, tenantId, packageIds)
  const readings = { readLedger, embedded: { made: own, readDays: embedded.readDays } }
  const chosen = remembered((tenantId) => forTenant(byTenant.get(tenantId) ?? others, tenantId, readings))
  return {
    of: (tenantId, { sandbox }) => (sandbox ? chosen(tenantId).sandbox : chosen(tenantId).production),
    list: (tenantId) => chosen(tenantId).used,
    backends: (tenantId) => chosen(tenantId).backends,
  }
}

/** One reconciled ad server for every publisher and every buyer. */
export function singleBackend(reconciled: ReconciledBackend, store: Store): AdServers {
  const main: Made = { name: reconciled.backend.name, reconciled }
  const choice = { main, byProduct: new Map(), byName: new Map([[main.name, main]]) }
  const readLedger: ReadLedger = (tenantId, packageIds) => ledgerDays(store.read, tenantId, packageIds)
  const chosen = remembered((tenantId) => forTenant(choice, tenantId, { readLedger }))
  return {
    of: (tenantId) => chosen(tenantId).production,
    list: (tenantId) => chosen(tenantId).used,
    backends: (tenantId) => chosen(tenantId).backends,
  }
}

/** Publishers whose ad servers are remembered; making them again costs microseconds. */
const MOST_TENANTS = 1_000

function remembered(make: (tenantId: string) => Chosen): (tenantId: string) => Chosen {
  const made = new LRUCache<string, Chosen>({ max: MOST_TENANTS })
  return (tenantId) => {
    const known = made.get(tenantId)
    if (known) return known
    const chosen = make(tenantId)
    made.set(tenantId, chosen)
    return chosen
  }
}

/** Where delivery is read: imported into the ledger, or, where it is counted here, as it is at this moment. */
interface Readings {
  readonly readLedger: ReadLedger
  readonly embedded?: { readonly made: Made; readonly readDays: ReadLedger }
}

/** The ad servers of a setting as one publisher uses them. */
function forTenant({ main, byProduct, byName }: Choice, tenantId: string, { readLedger, embedded }: Readings): Chosen {
  // An order that was booked before the configuration named another ad server is still there.
  const reachable = new Map(embedded ? [[embedded.made.name, embedded.made], ...byName] : byName)
  const serverOf = (made: Made): AdServer => {
    if (made.adServer) return made.adServer
    const read = made === embedded?.made ? embedded.readDays : readLedger
    return createReconciledAdServer(made.reconciled.backend, tenantId, read)
  }
  const servers = new Map([...reachable].map(([name, made]) => [name, serverOf(made)]))
  const simulator = servers.get(SIMULATOR) ?? createSimulator()
  const named = ({ name }: Made) => servers.get(name) ?? simulator
  const routes: Routes = {
    main: named(main),
    byProduct: new Map([...byProduct].map(([productId, made]) => [productId, named(made)])),
    byName: new Map([[simulator.name, simulator], ...servers]),
  }
  return {
    production: createRoutedAdServer(routes),
    sandbox: createRoutedAdServer({ ...routes, main: simulator, byProduct: new Map() }),
    used: [...byName.values()].map((made) => usedOf(named(made), routes)),
    backends: new Map([...reachable].flatMap(([name, { reconciled }]) => (reconciled ? [[name, reconciled] as const] : []))),
  }
}

interface ChooseOptions {
  readonly log: Logger
  readonly own: Made
  readonly knowsCode: KnowsCode
  readonly tenantId: string | undefined
}

async function choose(path: readonly string[], settings: AdServerSettings, options: ChooseOptions): Promise<Choice> {
  const made = new Map<string, Made>()
  const main = await adServerAt(path, settings, options, made)
  const byProduct = new Map<string, Made>()
  for (const [productId, choice] of Object.entries(settings.products ?? {}))
    byProduct.set(productId, await adServerAt([...path, 'products', productId], choice, options, made))
  return { main, byProduct, byName: namedOnce(path, [main, ...byProduct.values()]) }
}

/** The ad server of a setting; equal settings of one publisher share one. */
async function adServerAt(
  path: readonly string[],
  { type, module, folder, name, options = {}, drift = 'leave' }: AdServerChoice,
  { log, own, knowsCode, tenantId }: ChooseOptions,
  made: Map<string, Made>,
): Promise<Made> {
  if (type === 'embedded') return own
  const same = JSON.stringify([type, module, name, options])
  const known = made.get(same)
  if (known) return known
  const key = path.join('.')
  const choice = { type, ...(module && { module }), ...(folder && { folder }), ...(name && { name }) }
  const load = () => loadAdServer(key, choice, { options, tenantId, log: log.child({ adServer: key }) }, knowsCode)
  const adServer = type === 'simulator' ? { name: SIMULATOR, adServer: createSimulator() } : withPolicy(await load(), drift)
  made.set(same, adServer)
  return adServer
}

function withPolicy({ adServer, backend }: LoadedAdServer, drift: DriftPolicy): Made {
  return adServer ? { name: adServer.name, adServer } : { name: backend.name, reconciled: { backend, drift } }
}

/** Stored ids name the ad server, so two of one publisher cannot share a name. */
function namedOnce(path: readonly string[], all: readonly Made[]): ReadonlyMap<string, Made> {
  const byName = new Map<string, Made>()
  for (const adServer of all) {
    const other = byName.get(adServer.name)
    if (other && other !== adServer) {
      const message = `names two ad servers "${adServer.name}"; give each a name of its own (name: …)`
      throw new ConfigError([{ key: path.join('.'), message, source: 'configuration' }])
    }
    byName.set(adServer.name, adServer)
  }
  return byName
}

function usedOf(adServer: AdServer, { main, byProduct }: Routes): UsedAdServer {
  const { name, description, simulated } = adServer
  const products = [...byProduct].flatMap(([productId, server]) => (server === adServer ? [productId] : []))
  return { name, description, simulated, ...(adServer !== main && { products }) }
}
