import type { DriftPolicy } from '../domain/ad-serving/drift.ts'
import type { Issue } from '../protocol/errors.ts'
import { type ModuleChoice, resolveModule } from './module-choice.ts'

/** An ad server as the configuration names it; `module` with `type` `module` only. */
export interface AdServerChoice extends Partial<ModuleChoice> {
  readonly type: 'embedded' | 'simulator' | 'module' | 'upstream' | 'google_ad_manager' | 'manual'
  /** Default: the name that the module gives its ad server. */
  readonly name?: string
  /** What happens when a reconciled ad server differs from what was written there. Default: leave. */
  readonly drift?: DriftPolicy
}

export interface AdServerSettings extends AdServerChoice {
  /** Ad servers of single products, by product id. */
  readonly products?: Readonly<Record<string, AdServerChoice>>
}

/** The ad servers of the deployment. */
export interface DeploymentAdServers extends AdServerSettings {
  /** `same`: orders of sandbox buyers are booked where those of production buyers are. Default: in the simulator. */
  readonly sandboxOrders?: 'simulator' | 'same'
}

/** The part of the configuration that chooses ad servers. */
export interface AdServerConfig {
  readonly adServer: DeploymentAdServers
  /** Settings of single publishers, by tenant id. */
  readonly tenants: Readonly<Record<string, { readonly adServer?: AdServerSettings }>>
}

/** The ad servers that hold for a publisher, its own or else the deployment's; those without a name go by their type. */
export function configuredAdServers({ adServer, tenants }: AdServerConfig, tenantId: string) {
  const own = Object.hasOwn(tenants, tenantId) ? tenants[tenantId]?.adServer : undefined
  const { products = {}, ...main } = own ?? adServer
  return [main, ...Object.values(products)].map(({ type, name = type, options = {} }) => ({ type, name, options }))
}

/** An ad server of the configuration and where it is named there, e.g. `['tenants', 'acme', 'adServer']`. */
export interface NamedChoice {
  readonly path: readonly string[]
  readonly choice: AdServerChoice
}

/** Every ad server that the configuration names. */
export function adServerChoices({ adServer, tenants }: AdServerConfig): readonly NamedChoice[] {
  return [
    ...choicesAt(['adServer'], adServer),
    ...Object.entries(tenants).flatMap(([tenant, settings]) =>
      settings.adServer ? choicesAt(['tenants', tenant, 'adServer'], settings.adServer) : [],
    ),
  ]
}

function choicesAt(path: readonly string[], settings: AdServerSettings): readonly NamedChoice[] {
  return [
    { path, choice: settings },
    ...Object.entries(settings.products ?? {}).map(([product, choice]) => ({ path: [...path, 'products', product], choice })),
  ]
}

/** What a schema cannot say in plain words: `module` belongs to `type: module`, and is needed there. */
export function adServerIssues(config: AdServerConfig): readonly Issue[] {
  return adServerChoices(config).flatMap(({ path, choice: { type, module, options } }): Issue[] => {
    if (type === 'module') {
      const message = 'has type module and needs module: a file (./my-ad-server.mjs) or the name of an installed package'
      return module === undefined ? [{ pointer: pointerTo(path), message, keyword: 'required' }] : []
    }
    const takesOptions = type !== 'embedded' && type !== 'simulator'
    const extra = module !== undefined ? 'module' : options !== undefined && !takesOptions ? 'options' : undefined
    const where = extra === 'module' ? 'type: module' : 'other types'
    const message = `belongs to ${where}, but the type here is ${type}; set type: module, or leave it out`
    return extra === undefined ? [] : [{ pointer: pointerTo([...path, extra]), message, keyword: 'enum' }]
  })
}

/** RFC 6901. */
function pointerTo(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The same settings with the paths of modules made absolute. */
export function resolveAdServers<C extends AdServerConfig>(config: C, folder: string): C {
  const { adServer, tenants } = config
  return {
    ...config,
    adServer: resolveSettings(adServer, folder),
    tenants: Object.fromEntries(
      Object.entries(tenants).map(([tenant, settings]) => [
        tenant,
        settings.adServer ? { ...settings, adServer: resolveSettings(settings.adServer, folder) } : settings,
      ]),
    ),
  }
}

function resolveSettings(settings: AdServerSettings, folder: string): AdServerSettings {
  const { products } = settings
  return {
    ...resolveModule(settings, folder),
    ...(products && {
      products: Object.fromEntries(Object.entries(products).map(([id, choice]) => [id, resolveModule(choice, folder)])),
    }),
  }
}
