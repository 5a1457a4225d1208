import type { Logger } from 'pino'
import type { AdServer } from '../ad-serving/ad-server.ts'
import type { AdServers, UsedAdServer } from '../ad-serving/ad-servers.ts'
import type { KnowsCode } from '../ad-serving/checked-ad-server.ts'
import { createRoutedAdServer, type Routes } from '../ad-serving/routed-ad-server.ts'
import { createSimulator } from '../ad-serving/simulator/simulator.ts'
import type { AdServerChoice, AdServerConfig, AdServerSettings } from '../config/ad-server-settings.ts'
import { ConfigError } from '../config/config.ts'
import type { Contracts } from '../protocol/contracts.ts'
import { loadAdServer } from './load-ad-server.ts'

/** Ad servers of one publisher, for both kinds of buyers. */
interface Chosen {
  readonly production: AdServer
  readonly sandbox: AdServer
  readonly used: readonly UsedAdServer[]
}

/**
 * Loads every ad server that the configuration names. A publisher without settings of its own has the deployment's. Throws ConfigError for a module
 * that cannot be used (see {@link loadAdServer}), and for two ad servers of one publisher under the same name.
 */
export async function chooseAdServers(
  config: AdServerConfig,
  { log, contracts }: { readonly log: Logger; readonly contracts: Contracts },
): Promise<AdServers> {
  const simulator = createSimulator()
  const shared = { simulator, log, knowsCode: (code: string) => contracts.base.knowsCode(code) }
  const others = await choose(['adServer'], config.adServer, { ...shared, tenantId: undefined })
  const byTenant = new Map<string, Chosen>()
  for (const [tenantId, { adServer }] of Object.entries(config.tenants))
    if (adServer) byTenant.set(tenantId, await choose(['tenants', tenantId, 'adServer'], adServer, { ...shared, tenantId }))
  const chosen = (tenantId: string) => byTenant.get(tenantId) ?? others
  return {
    of: (tenantId, { sandbox }) => (sandbox ? chosen(tenantId).sandbox : chosen(tenantId).production),
    list: (tenantId) => chosen(tenantId).used,
  }
}

interface ChooseOptions {
  readonly simulator: AdServer
  readonly log: Logger
  readonly knowsCode: KnowsCode
  readonly tenantId: string | undefined
}

async function choose(path: readonly string[], settings: AdServerSettings, options: ChooseOptions): Promise<Chosen> {
  const made = new Map<string, AdServer>()
  const main = await adServerAt(path, settings, options, made)
  const byProduct = new Map<string, AdServer>()
  for (const [productId, choice] of Object.entries(settings.products ?? {}))
    byProduct.set(productId, await adServerAt([...path, 'products', productId], choice, options, made))
  const { simulator } = options
  const byName = namedOnce(path, [main, ...byProduct.values()])
  // An order that was booked before the configuration named another ad server is still there.
  const routes: Routes = { main, byProduct, byName: new Map([[simulator.name, simulator], ...byName]) }
  return {
    production: createRoutedAdServer(routes),
    sandbox: createRoutedAdServer({ ...routes, main: simulator, byProduct: new Map() }),
    used: [...byName.values()].map((adServer) => usedOf(adServer, routes)),
  }
}

/** The ad server of a setting; equal settings of one publisher share one. */
async function adServerAt(
  path: readonly string[],
  { type, module, folder, name, options = {} }: AdServerChoice,
  { simulator, log, knowsCode, tenantId }: ChooseOptions,
  made: Map<string, AdServer>,
): Promise<AdServer> {
  if (type === 'simulator') return simulator
  const same = JSON.stringify([module, name, options])
  const known = made.get(same)
  if (known) return known
  const key = path.join('.')
  const choice = { type, ...(module && { module }), ...(folder && { folder }), ...(name && { name }) }
  const adServer = await loadAdServer(key, choice, { options, tenantId, log: log.child({ adServer: key }) }, knowsCode)
  made.set(same, adServer)
  return adServer
}

/** Stored ids name the ad server, so two of one publisher cannot share a name. */
function namedOnce(path: readonly string[], all: readonly AdServer[]): ReadonlyMap<string, AdServer> {
  const byName = new Map<string, AdServer>()
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
