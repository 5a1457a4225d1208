import type { Logger } from 'pino'
import type { AdServer } from '../ad-serving/ad-server.ts'
import type { ReconcilerParts } from '../ad-serving/reconcile/reconciler.ts'
import type { ReconciledBackend } from '../ad-serving/reconciled-backends.ts'
import type { Config } from '../config/config.ts'
import type { Audit } from '../features/audit/audit.ts'
import type { GovernanceParts } from '../features/governance/compose.ts'
import type { Oauth } from '../features/oauth/compose.ts'
import type { RegistryService } from '../features/registry/service.ts'
import type { SignalSource } from '../features/signals/signal-source.ts'
import type { WebhookService, WebhookTuning } from '../features/webhooks/service.ts'
import type { Dispatch } from '../pipeline/call.ts'
import type { NameReader } from '../pipeline/read-names.ts'
import type { WatchedCalls } from '../pipeline/record-calls.ts'
import type { Services } from '../pipeline/services.ts'
import type { Task } from '../pipeline/task.ts'
import type { Slots } from '../platform/concurrency/slots.ts'
import type { Metrics } from '../platform/metrics/collect.ts'
import type { Counters } from '../platform/net/rate-limit.ts'
import type { SafeFetch } from '../platform/net/safe-fetch.ts'
import type { BackgroundJob } from '../platform/scheduler/background-job.ts'
import type { Contracts } from '../protocol/contracts.ts'
import type { Schemas } from '../protocol/schemas.ts'
import type { CallLimits } from '../security/auth/call-limits.ts'
import type { GuessGuard } from '../security/auth/guess-guard.ts'
import type { Verifier } from '../security/auth/verifier.ts'
import type { FileLinks } from '../security/secrets/file-links.ts'
import type { AnswerSeal } from '../security/secrets/sealed-answer.ts'
import type { KeyProvider } from '../security/signing/key-provider.ts'
import type { Store } from '../store/database.ts'
import type { StoreCheck, StoreCheckTuning } from './check-store.ts'
import type { EmbeddedServing } from './embedded-ad-server.ts'
import type { NotificationJobs, NotificationTuning } from './notifications.ts'
import type { Tracing } from './tracing.ts'

/** What a test or another transport may replace. */
export interface AppOptions {
  readonly clock?: () => Date
  readonly log?: Logger
  /** The releases that are served. */
  readonly contracts?: Contracts
  /** Tasks beside those of this program. */
  readonly tasks?: readonly Task[]
  /** Takes the place of every ad server that the configuration names. */
  readonly adServer?: AdServer
  /** The same, with one that orders are reconciled with. */
  readonly backend?: ReconciledBackend
  readonly reconciler?: Pick<ReconcilerParts, 'timing' | 'beforeStep'>
  readonly signals?: SignalSource
  /** The way out to the key documents of agents and token issuers. */
  readonly safeFetch?: SafeFetch
  readonly webhooks?: WebhookTuning
  readonly notifications?: NotificationTuning
  readonly storeCheck?: StoreCheckTuning
  /** How often it is looked whether a check of the agent itself is due. */
  readonly ownChecksMs?: number
  /** How often subscribers are told of what this agent supports. */
  readonly capabilitiesMs?: number
  /** How long governance agents are waited for. */
  readonly governance?: Pick<GovernanceParts, 'policy'>
}

/** The assembled system without its HTTP listener: what stdio, HTTP and tests share. */
export interface App {
  readonly config: Config
  readonly store: Store
  readonly contracts: Contracts
  /** Of the lowest release, with the schemas that are ours. */
  readonly schemas: Schemas
  readonly services: Services
  readonly safeFetch: SafeFetch
  /** The deployment's own keys. */
  readonly keys: KeyProvider
  readonly webhooks: WebhookService
  /** The background job of pending approvals. */
  readonly approvals: BackgroundJob
  /** The background job that keeps ad servers in step with the orders. */
  readonly reconciler: BackgroundJob
  /** What notifies the publisher's people. */
  readonly notifications: NotificationJobs
  readonly audit: Audit
  readonly storeCheck: Pick<StoreCheck, 'damagedPlaces'>
  /** Absent when people do not log in here. */
  readonly oauth: Oauth | undefined
  /** The registry of agents, brands and publishers. */
  readonly registry: RegistryService
  /** Decisions and events of the embedded ad server. */
  readonly embedded: EmbeddedServing
  /** Absent when the configuration names neither a port nor a token for scrapers. */
  readonly metrics: Metrics | undefined
  /** Absent when the configuration names no collector of spans. */
  readonly tracing: Tracing | undefined
  readonly tasks: ReadonlyMap<string, Task>
  readonly verifiers: readonly Verifier[]
  /** Slows the guessing of credentials down, at every entrance. */
  readonly guard: GuessGuard
  /** Event streams that are open, by what they follow. */
  readonly streams: { readonly console: Slots; readonly registry: Slots }
  /** Where limits are counted; undefined: in each process. */
  readonly counters: Counters | undefined
  /** Counts what is asked beside calls, such as the list of tools. */
  readonly limitCalls: CallLimits
  /** Writes and reads stored answers. */
  readonly answerSeal: AnswerSeal
  /** Signs addresses of files of reports. */
  readonly fileLinks: FileLinks
  readonly dispatch: Dispatch
  readonly readNames: NameReader
  /** Calls of the agents that people watch in the console. */
  readonly watchedCalls: WatchedCalls
  readonly clock: () => Date
  readonly log: Logger
  /** Ends everything; after `mostMs`, whatever is still at work. */
  close(mostMs?: number): Promise<void>
}
