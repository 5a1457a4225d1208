import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { AdServers } from '../ad-serving/ad-servers.ts'
import type { AdServerBackend } from '../ad-serving/backend.ts'
import { EMBEDDED, SIMULATOR } from '../ad-serving/external-id.ts'
import { createImportOnRead } from '../ad-serving/reconcile/import-on-read.ts'
import type { ReadLedger } from '../ad-serving/reconciled-ad-server.ts'
import type { ReconciledBackend } from '../ad-serving/reconciled-backends.ts'
import { createSimulator } from '../ad-serving/simulator/simulator.ts'
import { unavailableBackend } from '../ad-serving/unavailable-backend.ts'
import { backendWithListTokens } from '../ad-serving/with-list-tokens.ts'
import type { AdServerChoice, AdServerConfig, AdServerSettings } from '../config/ad-server-settings.ts'
import { ConfigError } from '../config/config-error.ts'
import type { DriftPolicy } from '../domain/ad-serving/drift.ts'
import { reasonOf } from '../domain/ad-serving/reason-of.ts'
import { groupBy } from '../domain/group-by.ts'
import type { Contracts } from '../protocol/contracts.ts'
import type { KnowsCode } from '../protocol/foreign-error.ts'
import type { ListTokenSeal } from '../security/secrets/list-token-seal.ts'
import { storedIds } from '../store/ad-serving/ad-server-ids.ts'
import { dayOfPeriods } from '../store/ad-serving/delivery-sources.ts'
import { ledgerDays, ledgerHours } from '../store/ad-serving/ledger-times.ts'
import { storedManualOrders } from '../store/ad-serving/manual-orders.ts'
import { adServersVersion, listStoredAdServers, type StoredAdServer } from '../store/ad-serving/stored-ad-servers.ts'
import type { Store } from '../store/database.ts'
import { type BuiltInAdServers, storedCredentials } from './backend-types.ts'
import { type LoadedAdServer, loadAdServer } from './load-ad-server.ts'
import { type Choice, forPublisher, type Made, type PublisherAdServers } from './publisher-ad-servers.ts'

export interface ChooseParts {
  readonly store: Store
  /** The ad server of this program itself. */
  readonly embedded: AdServerBackend
  readonly builtIn: BuiltInAdServers
  readonly log: Logger
  readonly contracts: Contracts
}

/**
 * Loads every ad server that the configuration names, and those that publishers set up at run time, which go before it. A publisher without settings of
 * its own has the deployment's. Throws ConfigError for a module that cannot be used (see {@link loadAdServer}), and for two ad servers of one publisher
 * under the same name.
 */
export async function chooseAdServers(config: AdServerConfig, parts: ChooseParts): Promise<AdServers> {
  const { store, contracts, embedded } = parts
  const drift = config.adServer.drift ?? 'leave'
  const own: Made = { name: EMBEDDED, reconciled: () => ({ backend: embedded, drift }) }
  const shared = { parts, own, knowsCode: (code: string) => contracts.base.knowsCode(code) }
  const others = await choose(['adServer'], config.adServer, { ...shared, tenantId: undefined })
  const byTenant = new Map<string, Choice>()
  for (const [tenantId, { adServer }] of Object.entries(config.tenants))
    if (adServer) byTenant.set(tenantId, await choose(['tenants', tenantId, 'adServer'], adServer, { ...shared, tenantId }))
  const { listTokens } = parts.builtIn
  const readings = { readLedger: ledgerOf(store), embedded: own, listTokens }
  let version = await adServersVersion(store.read)
  let stored = groupBy(await listStoredAdServers(store.read), ({ tenantId }) => tenantId)
  const chosen = remembered((tenantId) => {
    const configured = byTenant.get(tenantId) ?? others
    const choice = withStored(
      configured,
      (stored.get(tenantId) ?? []).map((each) => ({ ...each, made: madeOf(each, shared) })),
    )
    return forPublisher(choice, tenantId, readings)
  })
  const { adServers } = chosen
  const asProduction = config.adServer.sandboxOrders === 'same'
  const { log, builtIn } = parts
  return {
    ...adServers,
    importOnRead: createImportOnRead({ store, clock: builtIn.clock, log, backends: adServers.backends }),
    sandboxOrders: config.adServer.sandboxOrders,
    of: (tenantId, { sandbox }) => adServers.of(tenantId, { sandbox: sandbox && !asProduction }),
    async refresh() {
      const now = await adServersVersion(store.read)
      if (now === version) return
      stored = groupBy(await listStoredAdServers(store.read), ({ tenantId }) => tenantId)
      version = now
      chosen.forget()
    },
  }
}

/** One reconciled ad server for every publisher and every buyer. */
export function singleBackend(reconciled: ReconciledBackend, store: Store): AdServers {
  const main: Made = { name: reconciled.backend.name, reconciled: () => reconciled }
  const choice = { main, byProduct: new Map(), byName: new Map([[main.name, main]]) }
  const { adServers } = remembered((tenantId) => forPublisher(choice, tenantId, { readLedger: ledgerOf(store) }))
  return {
    ...adServers,
    of: (tenantId) => adServers.of(tenantId, { sandbox: false }),
    importOnRead: async () => {},
    refresh: async () => {},
  }
}

function ledgerOf(store: Store): ReadLedger {
  return {
    days: (tenantId, packageIds, timeZone = 'UTC') => ledgerDays(store.read, tenantId, packageIds, dayOfPeriods(timeZone)),
    hours: (tenantId, packageIds, hours) => ledgerHours(store.read, tenantId, packageIds, hours),
  }
}

/** Publishers whose ad servers are remembered; making them again costs microseconds. */
const MOST_TENANTS = 1_000

function remembered(make: (tenantId: string) => PublisherAdServers) {
  const made = new LRUCache<string, PublisherAdServers>({ max: MOST_TENANTS })
  const chosen = (tenantId: string) => {
    const known = made.get(tenantId)
    if (known) return known
    const publisher = make(tenantId)
    made.set(tenantId, publisher)
    return publisher
  }
  const adServers: Omit<AdServers, 'importOnRead' | 'refresh'> = {
    of: (tenantId, { sandbox }) => (sandbox ? chosen(tenantId).sandbox : chosen(tenantId).production),
    list: (tenantId) => chosen(tenantId).used,
    backends: (tenantId) => chosen(tenantId).backends,
  }
  return { adServers, forget: () => made.clear() }
}

/** A publisher's choice with what it set up at run time in front. What the configuration names stays reachable for orders that lie there. */
function withStored(
  { main, byProduct, byName }: Choice,
  stored: readonly { readonly made: Made; readonly products: readonly string[] | undefined }[],
): Choice {
  const whole = stored.find(({ products }) => products === undefined)
  return {
    main: whole?.made ?? main,
    byProduct: new Map([
      ...(whole ? [] : byProduct),
      ...stored.flatMap(({ made, products = [] }) => products.map((productId) => [productId, made] as const)),
    ]),
    byName: new Map([...byName, ...stored.map(({ made }) => [made.name, made] as const)]),
  }
}

interface ChooseOptions {
  readonly parts: Pick<ChooseParts, 'store' | 'builtIn' | 'log'>
  readonly own: Made
  readonly knowsCode: KnowsCode
  readonly tenantId: string | undefined
}

/** An ad server that a publisher set up at run time. One that cannot be made is there and answers with the reason. */
function madeOf(stored: StoredAdServer, { parts, own }: Pick<ChooseOptions, 'parts' | 'own'>): Made {
  const { name, type, options, drift } = stored
  if (type === EMBEDDED) return own
  if (type === SIMULATOR) return { name: SIMULATOR, adServer: createSimulator() }
  return builtInServer({ name, type, options, drift }, parts)
}

interface BuiltInChoice {
  readonly name: string
  readonly type: string
  readonly options: Readonly<Record<string, unknown>>
  readonly drift: DriftPolicy
}

function builtInServer({ name, type, options, drift }: BuiltInChoice, parts: ChooseOptions['parts']): Made {
  const { store, log, builtIn } = parts
  const { call, clock, box } = builtIn
  const reconciled = (tenantId: string): ReconciledBackend => {
    const create = builtIn.types[type]
    const credentials = storedCredentials(store, box, tenantId, name)
    try {
      if (!create) throw new Error(`this program has no ad server of type ${type}`)
      return {
        backend: create({
          name,
          tenantId,
          options,
          credentials,
          ids: storedIds(store, name),
          manual: storedManualOrders(store, name),
          call,
          clock,
          log: log.child({ adServer: name }),
        }),
        drift,
      }
    } catch (error) {
      const reason = reasonOf(error)
      log.error({ tenant: tenantId, adServer: name, reason }, 'an ad server cannot be used')
      return { backend: unavailableBackend(name, reason), drift }
    }
  }
  return { name, reconciled }
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
  { parts, own, knowsCode, tenantId }: ChooseOptions,
  made: Map<string, Made>,
): Promise<Made> {
  if (type === 'embedded') return own
  const same = JSON.stringify([type, module, name, options])
  const known = made.get(same)
  if (known) return known
  const key = path.join('.')
  const choice = { type, ...(module && { module }), ...(folder && { folder }), ...(name && { name }) }
  const load = () => loadAdServer(key, choice, { options, tenantId, log: parts.log.child({ adServer: key }) }, knowsCode)
  const adServer =
    type === 'simulator'
      ? { name: SIMULATOR, adServer: createSimulator() }
      : type === 'module'
        ? withPolicy(await load(), drift, parts.builtIn.listTokens)
        : builtInServer({ name: name ?? type, type, options, drift }, parts)
  made.set(same, adServer)
  return adServer
}

function withPolicy({ adServer, backend }: LoadedAdServer, drift: DriftPolicy, tokens: ListTokenSeal): Made {
  if (adServer) return { name: adServer.name, adServer }
  const reconciled = { backend: backendWithListTokens(backend, tokens), drift, isModule: true }
  return { name: backend.name, reconciled: () => reconciled }
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
