import cluster from 'node:cluster'
import { type Config, publicOrigin } from '../config/config.ts'
import { CONSOLE_STREAMS } from '../console/open-stream.ts'
import { processFailureMemory } from '../domain/identity/failure-memory.ts'
import { startAudit } from '../features/audit/audit.ts'
import { createFeedSource } from '../features/catalogs/feed-source.ts'
import { startRefetch } from '../features/catalogs/refetch.ts'
import { startDirectory } from '../features/directory/service.ts'
import { sealGovernance } from '../features/governance/compose.ts'
import { composeOauth } from '../features/oauth/compose.ts'
import { startRegistry } from '../features/registry/service.ts'
import { loadLastingKeys, storeLastingKeys } from '../features/secrets/lasting-keys.ts'
import { startAccountChanges } from '../features/webhooks/account-changes.ts'
import { SEALED, startWebhooks } from '../features/webhooks/service.ts'
import { adEventSpool } from '../operator/store/ad-event-spool.ts'
import { namesCredential } from '../pipeline/credential-names.ts'
import { watchCalls } from '../pipeline/record-calls.ts'
import { createSlots } from '../platform/concurrency/slots.ts'
import { parseJson } from '../platform/decode/parse-json.ts'
import { createLog } from '../platform/log.ts'
import { collectMetrics } from '../platform/metrics/collect.ts'
import { createSafeFetch } from '../platform/net/safe-fetch.ts'
import { createShutdown, type Shutdown } from '../platform/shutdown.ts'
import { VERSION } from '../platform/version.ts'
import { graderKeyFile } from '../protocol/contract-source.ts'
import { loadContracts } from '../protocol/contracts.ts'
import { currentSources } from '../protocol/present-sources.ts'
import { createCallLimits, exemptFromLimits } from '../security/auth/call-limits.ts'
import { createGuessGuard } from '../security/auth/guess-guard.ts'
import { createVerifiers } from '../security/auth/verifiers.ts'
import { derivedSecrets } from '../security/secrets/derived-secret.ts'
import { createFileLinks } from '../security/secrets/file-links.ts'
import { addressSeals } from '../security/secrets/sealed-address.ts'
import { createAnswerSeal } from '../security/secrets/sealed-answer.ts'
import { createSecretBox } from '../security/secrets/secret-box.ts'
import { rememberedBuyers } from '../store/account/remembered-buyers.ts'
import { sealKeyAddresses } from '../store/identity/key-addresses.ts'
import { sharedLimits } from '../store/limits/shared-limits.ts'
import { openStore } from '../store/open.ts'
import { createProductCache } from '../store/product/product-cache.ts'
import { registerTasks } from '../tasks/index.ts'
import { listView } from '../tasks/list-view.ts'
import { mediaBuyView } from '../tasks/media-buy/media-buy-view.ts'
import { activationView } from '../tasks/signals/settle-activation.ts'
import { REGISTRY_STREAMS } from '../transports/http/registry-stream.ts'
import type { App, AppOptions } from './app-types.ts'
import { builtInAdServers } from './backend-types.ts'
import { startBackgroundWork } from './background-work.ts'
import { bindPipeline } from './bind-pipeline.ts'
import { startStoreCheck } from './check-store.ts'
import { deploymentSecrets } from './deployment-secrets.ts'
import { embeddedBackend } from './embedded-ad-server.ts'
import { loadConnections } from './load-connections.ts'
import { openAdServers } from './open-ad-servers.ts'
import { ownAgents } from './own-agents.ts'
import { startSecretHolder } from './secret-holder.ts'
import { composeServices } from './services.ts'
import { storedSignals } from './stored-signals.ts'
import { startTracing } from './tracing.ts'
import { sealMatchProviders } from './trusted-match/start-package-sync.ts'

export type { App, AppOptions } from './app-types.ts'

/** Composes the system: opens the store, loads the schemas, registers the tasks, binds the pipeline: which part is given to which is written here. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const shutdown = createShutdown()
  try {
    return await composeApp(shutdown, config, options)
  } catch (error) {
    await shutdown.run()
    throw error
  }
}

async function composeApp(shutdown: Shutdown, config: Config, options: AppOptions): Promise<App> {
  const { started } = shutdown
  const store = started(await openStore(config), (it) => it.close())
  const log = options.log ?? createLog(config.log.level)
  const clock = options.clock ?? (() => new Date())
  const contracts = options.contracts ?? loadContracts(currentSources(config.data))
  const { schemas } = contracts.base
  const limits = sharedLimits(store, cluster.isWorker)
  const has = (task: string) => contracts.having(task).length > 0
  const tasks = registerTasks({ sandbox: config.sandbox, more: options.tasks ?? [], has })
  const agentUrl = `${publicOrigin(config)}/mcp`
  contracts.require([...tasks.values()].map((task) => task.name))
  const safeFetch = options.safeFetch ?? createSafeFetch({ userAgent: `adcp-sales-agent/${VERSION}`, mode: config.mode })
  const secret = deploymentSecrets(config)
  started(await startSecretHolder({ store, secrets: secret, config, log }), (job) => job.stop())
  await store.transaction((tx) => storeLastingKeys(tx, secret, clock()))
  const lastingKeys = await loadLastingKeys(store.read, secret)
  const onAuditError = (error: unknown) => log.error({ err: error }, 'writing the audit log failed')
  const audit = started(startAudit({ store, onError: onAuditError }), (it) => it.close())
  const oauth = started(await composeOauth(config, { store, secret, safeFetch, audit, clock, log }), (it) => it?.keys.stop())
  const realm = { agentUrl, resourceMetadata: oauth?.resourceMetadata }
  const guard = createGuessGuard(limits.failures ?? processFailureMemory())
  const addresses = addressSeals(createSecretBox(secret, SEALED.webhooks))
  await store.transaction((tx) => sealKeyAddresses(tx, addresses.address))
  const verifiers = createVerifiers({
    store,
    config,
    agentUrl,
    realm,
    oauth: oauth?.tokens,
    safeFetch,
    parseJson,
    namesCredential,
    gradingKeyFile: graderKeyFile(),
    guard,
    // A query of another deployment is lost: the address is asked without it.
    openKeyAddress: (address, place) => addresses.open(address, place) ?? address.url,
  })
  const metrics = await collectMetrics(config, store, { clock, spool: adEventSpool(config).contents })
  const streams = { console: createSlots(CONSOLE_STREAMS), registry: createSlots(REGISTRY_STREAMS) }
  metrics?.watchStreams(streams)
  const tracing = started(await startTracing(config, log), (it) => it?.close())
  const directory = started(
    startDirectory(store, config, { clock, log, onRefresh: metrics?.refreshed, counters: limits.counters }),
    (it) => it.close(),
  )
  const products = createProductCache(agentUrl)
  const own = embeddedBackend({ store, config, products, agentUrl, clock, safeFetch })
  const builtIn = builtInAdServers(config, secret, clock)
  const { listTokens } = builtIn
  const adServers = await openAdServers(options, config, { store, log, contracts, embedded: own, builtIn })
  const connections = await loadConnections(config.connect, {
    knowsCode: (code) => contracts.base.knowsCode(code),
    log,
    fellBack: (reason) => metrics?.rankingFellBack(reason),
  })
  const signals = options.signals ?? storedSignals(store)
  const feeds = createFeedSource(safeFetch)
  started(startRefetch({ store, feeds, clock, log }), (job) => job.stop())
  const buyers = rememberedBuyers(store)
  const webhooks = started(
    await startWebhooks({
      store,
      contracts,
      config,
      secret,
      agentUrl,
      mediaBuys: mediaBuyView(store.read, adServers, products, config),
      settle: activationView({ store, signals }),
      lists: listView(store.read, products),
      clock,
      log,
      tuning: options.webhooks,
      traced: tracing?.post,
      onGivenUp: metrics?.webhooksGivenUp,
    }),
    (it) => it.close(),
  )
  await sealGovernance(store, secret)
  await sealMatchProviders(store, secret)
  const accountChanges = started(
    startAccountChanges({
      store,
      wake: webhooks.webhooks.wake,
      clock,
      onError: (error) => log.error({ err: error }, 'putting changes of accounts in order failed'),
    }),
    (it) => it.stop(),
  )
  const services = composeServices({
    store,
    config,
    contracts,
    tasks,
    secret,
    lastingKeys,
    listTokens,
    realm,
    safeFetch,
    loopbackFetch: options.safeFetch,
    adServers,
    signals,
    connections,
    feeds,
    products,
    buyers,
    webhooks,
    accountChanges,
    clock,
    directoryLimit: directory.limit,
    governancePolicy: options.governance?.policy,
  })
  const answerSeal = createAnswerSeal(createSecretBox(secret, 'stored-answers'), namesCredential)
  const limitCalls = createCallLimits({ ...config.limits, isExempt: exemptFromLimits(config), counters: limits.counters })
  const watchedCalls = watchCalls(clock)
  const pipeline = bindPipeline(config, {
    ...{ store, buyers, contracts, services, tasks, verifiers, limitCalls, audit, answerSeal, clock, log },
    ...{ metrics, tracing, inspector: watchedCalls },
  })
  const registry = started(
    startRegistry(config, {
      store,
      schemas,
      brands: services.brandFiles,
      safeFetch: options.safeFetch,
      counters: limits.counters,
      audit,
      own: ownAgents(services),
      clock,
      log,
    }),
    (it) => it.upkeep.stop(),
  )
  const storeCheck = started(startStoreCheck({ store, metrics, log }, options.storeCheck), (job) => job.stop())
  const work = await startBackgroundWork(shutdown, {
    ...{ store, config, contracts, schemas, services, products, agentUrl, adServers, listTokens, safeFetch },
    ...{ secret, lastingKeys, keys: webhooks.keys, limits, withOauth: oauth !== undefined, clock, log, options },
    ...{ countEvents: metrics?.adEvents, countUncounted: metrics?.adRequestsUncounted, sweepFailed: metrics?.sweepFailed },
    countCapped: metrics?.adCapsDecided,
  })
  return {
    config,
    store,
    contracts,
    schemas,
    services,
    safeFetch,
    keys: webhooks.keys,
    webhooks,
    ...work,
    audit,
    storeCheck,
    oauth,
    registry,
    metrics,
    tracing,
    tasks,
    verifiers,
    guard,
    streams,
    counters: limits.counters,
    limitCalls,
    answerSeal,
    fileLinks: createFileLinks(derivedSecrets(secret, 'report-files', 'addresses')),
    ...pipeline,
    watchedCalls,
    clock,
    log,
    close: shutdown.run,
  }
}
