import { userInfo } from 'node:os'
import type { AdServers } from '../ad-serving/ad-servers.ts'
import { configuredAdServers } from '../config/ad-server-settings.ts'
import { type Config, givenSecrets, publicOrigin } from '../config/config.ts'
import { loadLastingKeys } from '../features/secrets/lasting-keys.ts'
import type { Actor, OperatorContext, OperatorServices } from '../operator/operator-context.ts'
import { limitConcurrency } from '../platform/concurrency/limit-concurrency.ts'
import type { SafeFetch } from '../platform/net/safe-fetch.ts'
import { type Contracts, loadContracts } from '../protocol/contracts.ts'
import { AdcpError } from '../protocol/errors.ts'
import { currentSources } from '../protocol/present-sources.ts'
import { createPseudonyms } from '../security/secrets/pseudonyms.ts'
import type { Store } from '../store/database.ts'
import { openStore } from '../store/open.ts'
import { deploymentSecrets, secretFileOf } from './deployment-secrets.ts'

/** An operator's context on a store that this process has opened. */
export interface OpenOperator extends OperatorContext {
  close(): Promise<void>
}

/** A command waits longer for other processes than a caller of a server does: it has one transaction, and on a busy machine those of a server take seconds. */
const PATIENCE_MS = 60_000

/**
 * Opens the store of a configuration for the person at the command line. Throws INVALID_REQUEST when there is no store and `create` is not
 * set.
 */
export async function openOperator(
  config: Config,
  { create = false }: { readonly create?: boolean } = {},
): Promise<OpenOperator> {
  const store = await openStore(config, { create, patienceMs: PATIENCE_MS })
  return { ...operatorOn(store, config), close: () => store.close() }
}

/** The context of the person at the command line on an open store. */
export function operatorOn(
  store: Store,
  config: Config,
  contracts: Contracts = loadContracts(currentSources(config.data)),
): OperatorContext {
  const clock = () => new Date()
  const services = operatorServices(store, config, contracts, clock)
  return { store, config, schemas: contracts.base.schemas, clock, actor: commandLineActor(), services }
}

/** The context of acts inside a server: with its clock and its ad servers; who acts is known with each request. */
export function operatorIn({ store, config, contracts, clock, services, safeFetch }: ServerParts): OperatorContext {
  const own = operatorOn(store, config, contracts)
  const approvals: OperatorServices['approvals'] = async (changed) => {
    const { composeApprovals } = await import('./approval-services.ts')
    const secret = deploymentSecrets(config)
    const lastingKeys = await loadLastingKeys(store.read, secret)
    return composeApprovals({ store: changed, config, contracts, secret, lastingKeys, clock, adServers: services.adServers })
  }
  return {
    ...own,
    clock,
    services: {
      ...own.services,
      adServers: async () => services.adServers,
      approvals,
      ...(safeFetch && { safeFetch: async () => safeFetch }),
    },
  }
}

interface ServerParts {
  readonly store: Store
  readonly config: Config
  readonly contracts: Contracts
  readonly clock: () => Date
  readonly services: { readonly adServers: AdServers }
  /** How it reads addresses that others gave; absent: as a command does. */
  readonly safeFetch?: SafeFetch
}

/** The account of the operating system that runs the command. */
function commandLineActor(): Actor {
  return { who: 'operator', credential: osAccount(), transport: 'cli' }
}

/** In a container the account may have no name. */
function osAccount(): string {
  try {
    return `os:${userInfo().username}`
  } catch {
    return `os:${process.getuid?.() ?? 'unknown'}`
  }
}

/** Looks at creatives that run at once, each with four answers of 10 MB at most, and that wait. */
const EXAMINATIONS = 2
const WAITING_EXAMINATIONS = 8

function tooManyExaminations(): AdcpError {
  return new AdcpError('RATE_LIMITED', 'many creatives are being examined: ask again in some seconds', { retryAfter: 10 })
}

/** Loaded when they are asked for: most commands need none of them, and loading takes longer than they work. */
export function operatorServices(store: Store, config: Config, contracts: Contracts, clock: () => Date): OperatorServices {
  const secret = () => deploymentSecrets(config)
  const lastingKeys = () => loadLastingKeys(store.read, secret())
  const adServers = async () => {
    const [{ chooseAdServers }, { builtInAdServers }, { createLog }, { embeddedBackend }, { createProductCache }] =
      await Promise.all([
        import('./choose-ad-servers.ts'),
        import('./backend-types.ts'),
        import('../platform/log.ts'),
        import('./embedded-ad-server.ts'),
        import('../store/product/product-cache.ts'),
      ])
    const agentUrl = `${publicOrigin(config)}/mcp`
    const embedded = embeddedBackend({ store, config, products: createProductCache(agentUrl), agentUrl, clock })
    const builtIn = builtInAdServers(config, secret(), clock)
    return chooseAdServers(config, { store, log: createLog(config.log.level), contracts, embedded, builtIn })
  }
  return {
    adServers,
    examination: limitConcurrency(EXAMINATIONS, WAITING_EXAMINATIONS, tooManyExaminations),
    async connections() {
      const [{ connectedSystems, loadConnections }, { createLog }] = await Promise.all([
        import('./load-connections.ts'),
        import('../platform/log.ts'),
      ])
      const knowsCode = (code: string) => contracts.base.knowsCode(code)
      return connectedSystems(config, await loadConnections(config.connect, { knowsCode, log: createLog(config.log.level) }))
    },
    async builtInAdServers() {
      const { builtInAdServers } = await import('./backend-types.ts')
      const { credentialsPlace } = await import('../store/ad-serving/ad-server-credentials.ts')
      const { storedIds } = await import('../store/ad-serving/ad-server-ids.ts')
      const { storedManualOrders } = await import('../store/ad-serving/manual-orders.ts')
      const { createLog } = await import('../platform/log.ts')
      const { types, box, call } = builtInAdServers(config, secret(), clock)
      const log = createLog(config.log.level)
      return {
        types: Object.keys(types),
        configured: (tenantId) => configuredAdServers(config, tenantId),
        seal: (credentials, tenantId, name) => box.seal(JSON.stringify(credentials), credentialsPlace(tenantId, name)),
        make: (type, setup) => {
          const [ids, manual] = [storedIds(store, setup.name), storedManualOrders(store, setup.name)]
          return types[type]?.({ ...setup, ids, manual, call, clock, log })
        },
      }
    },
    async approvals(store) {
      const [{ composeApprovals }, chosen, keys] = await Promise.all([
        import('./approval-services.ts'),
        adServers(),
        lastingKeys(),
      ])
      return composeApprovals({ store, config, contracts, secret: secret(), lastingKeys: keys, clock, adServers: chosen })
    },
    async brands(store) {
      const { storedBrands } = await import('../features/brands/services.ts')
      return storedBrands(store, await lastingKeys(), config)
    },
    async signingKeyBox() {
      const [{ createSecretBox }, { SEALED }] = await Promise.all([
        import('../security/secrets/secret-box.ts'),
        import('../features/webhooks/service.ts'),
      ])
      return createSecretBox(secret(), SEALED.signingKeys)
    },
    async webhookBox() {
      const [{ createSecretBox }, { SEALED }] = await Promise.all([
        import('../security/secrets/secret-box.ts'),
        import('../features/webhooks/service.ts'),
      ])
      return createSecretBox(secret(), SEALED.webhooks)
    },
    matchBox: async () => (await import('./trusted-match/match-box.ts')).matchBox(secret()),
    async answerBox() {
      const { createSecretBox } = await import('../security/secrets/secret-box.ts')
      return createSecretBox(secret(), 'admin-answers')
    },
    async oauthBox() {
      const { oauthBox } = await import('../features/oauth/compose.ts')
      return oauthBox(secret())
    },
    async factorBox() {
      const { createSecretBox } = await import('../security/secrets/secret-box.ts')
      return createSecretBox(secret(), 'second-factors')
    },
    async notifications() {
      const { notificationServices } = await import('./notifications.ts')
      return notificationServices(store, config, secret(), clock)
    },
    async safeFetch() {
      const [{ createSafeFetch }, { VERSION }] = await Promise.all([
        import('../platform/net/safe-fetch.ts'),
        import('../platform/version.ts'),
      ])
      return createSafeFetch({ userAgent: `adcp-sales-agent/${VERSION}`, mode: config.mode })
    },
    async previewTokens() {
      const { previewTokens } = await import('./preview-tokens.ts')
      return previewTokens(secret())
    },
    async decisionLinks() {
      const { decisionLinks } = await import('./decision-links.ts')
      return decisionLinks(secret())
    },
    async pseudonyms() {
      return createPseudonyms((await lastingKeys()).pseudonyms)
    },
    secrets: () => ({ held: secret(), given: givenSecrets(), file: secretFileOf(config) }),
  }
}
