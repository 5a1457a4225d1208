import type { Logger } from 'pino'
import type { AdServers } from '../ad-serving/ad-servers.ts'
import { startReconciler } from '../ad-serving/reconcile/reconciler.ts'
import type { Config } from '../config/config.ts'
import type { Services } from '../pipeline/services.ts'
import type { SafeFetch } from '../platform/net/safe-fetch.ts'
import { startBackgroundJob } from '../platform/scheduler/background-job.ts'
import type { Shutdown } from '../platform/shutdown.ts'
import type { Contracts } from '../protocol/contracts.ts'
import type { Schemas } from '../protocol/schemas.ts'
import type { SecretSource } from '../security/secrets/deployment-secrets.ts'
import type { LastingKeys } from '../security/secrets/lasting-keys.ts'
import type { ListTokenSeal } from '../security/secrets/list-token-seal.ts'
import type { KeyProvider } from '../security/signing/key-provider.ts'
import type { Store } from '../store/database.ts'
import type { SharedLimits } from '../store/limits/shared-limits.ts'
import type { ProductCache } from '../store/product/product-cache.ts'
import { sweep } from '../store/sweep.ts'
import { settleRefusedCreatives } from '../tasks/creative/settle-refused-creatives.ts'
import { settleChanges } from '../tasks/media-buy/settle-changes.ts'
import { settleReviews } from '../tasks/media-buy/settle-review.ts'
import type { App, AppOptions } from './app-types.ts'
import { startDeliverySums } from './delivery-sums.ts'
import { type ServingParts, startEmbeddedServing } from './embedded-ad-server.ts'
import { startReferencedLists } from './list-reader.ts'
import { startMakeGoods } from './make-goods.ts'
import { startNotifications } from './notifications.ts'
import { operatorIn } from './operator.ts'
import { startOwnChecks } from './own-checks.ts'
import { startPeriodicChecks } from './periodic-checks.ts'
import { startReporting } from './reporting.ts'
import { startPackageSync } from './trusted-match/start-package-sync.ts'

/** How often what is over is dropped. */
const SWEEP_MS = 10 * 60_000

/** What goes on beside calls works with. */
export interface BackgroundParts {
  readonly store: Store
  readonly config: Config
  readonly contracts: Contracts
  readonly schemas: Schemas
  readonly services: Services
  readonly products: ProductCache
  readonly agentUrl: string
  readonly adServers: AdServers
  readonly listTokens: ListTokenSeal
  readonly safeFetch: SafeFetch
  readonly secret: SecretSource
  readonly lastingKeys: LastingKeys
  /** What the deployment signs with. */
  readonly keys: KeyProvider
  readonly limits: SharedLimits
  /** Whether people log in here. */
  readonly withOauth: boolean
  readonly clock: () => Date
  readonly log: Logger
  readonly countEvents: ServingParts['countEvents']
  readonly countUncounted: ServingParts['countUncounted']
  readonly countCapped: ServingParts['countCapped']
  /** Counts a step of dropping what is over that failed, by its name. */
  readonly sweepFailed: ((step: string) => void) | undefined
  readonly options: Pick<AppOptions, 'reconciler' | 'notifications' | 'capabilitiesMs' | 'ownChecksMs'>
}

/** Starts what a server does beside answering calls: ad serving, and the jobs that look at the store at intervals. */
export async function startBackgroundWork(
  { started }: Shutdown,
  parts: BackgroundParts,
): Promise<Pick<App, 'approvals' | 'reconciler' | 'embedded' | 'notifications'>> {
  const { store, config, services, adServers, listTokens, clock, log, limits, withOauth, options } = parts
  const { approvals, settings, capabilities, files } = startPeriodicChecks({ ...parts, capabilitiesMs: options.capabilitiesMs })
  started(capabilities, (job) => job.stop())
  if (files) started(files, (job) => job.stop())
  started(settings, (job) => job.stop())
  started(approvals, (job) => job.stop())
  const reconciler = started(
    startReconciler({
      store,
      clock,
      log,
      backends: adServers.backends,
      sealToken: listTokens.seal,
      settleReview: settleReviews({ ...services, store }, clock, services.webhooks.wake),
      settleCreatives: settleRefusedCreatives(store, clock, services.webhooks.wake),
      settleChanges: settleChanges(store, clock, services.webhooks.wake),
      ...options.reconciler,
    }),
    (job) => job.stop(),
  )
  const embedded = started(await startEmbeddedServing(parts), ({ service }) => service.close())
  const notifications = started(
    startNotifications({
      operator: operatorIn(parts),
      horizonMs: config.webhooks.retryHorizonSeconds * 1000,
      log,
      tuning: options.notifications,
    }),
    (jobs) => jobs.stop(),
  )
  started(startMakeGoods({ operator: operatorIn(parts), log }), (job) => job.stop())
  started(startDeliverySums(parts), (job) => job.stop())
  started(startReferencedLists(parts), (job) => job.stop())
  started(startPackageSync(parts), (job) => job.stop())
  started(startReporting(parts), (job) => job.stop())
  const checks = startOwnChecks({ ...parts, everyMs: options.ownChecksMs })
  if (checks) started(checks, (job) => job.stop())
  const sweepFailed = (step: string, error: unknown) => {
    log.error({ err: error, step }, 'dropping what is over failed')
    parts.sweepFailed?.(step)
  }
  const sweeping = startBackgroundJob(
    () => sweep(store, { privacy: config.privacy, limits, withOauth, clock, onFailure: sweepFailed }),
    SWEEP_MS,
    (error) => sweepFailed('all', error),
  )
  started(sweeping, (job) => job.stop())
  return { approvals, reconciler, embedded, notifications }
}
