import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { DAY_MS } from '../../domain/calendar/instant.ts'
import { createSafePost, type SafePost, type SafePostOptions } from '../../platform/net/safe-post.ts'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import type { Contracts } from '../../protocol/contracts.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { SecretSource } from '../../security/secrets/deployment-secrets.ts'
import { addressSeals } from '../../security/secrets/sealed-address.ts'
import { createSecretBox, OTHER_SECRET, SealBroken } from '../../security/secrets/secret-box.ts'
import type { KeyProvider } from '../../security/signing/key-provider.ts'
import { ensureSigningKey, storedKeys } from '../../security/signing/stored-keys.ts'
import type { Store } from '../../store/database.ts'
import { sweepOutbox } from '../../store/webhook/outbox.ts'
import { findOverdrawn, giveUpOldest, giveUpStale, WAITING_OF_A_BUYER } from '../../store/webhook/outbox-results.ts'
import { sealStoredQueries } from '../../store/webhook/seal-queries.ts'
import { sweepEndpoints } from '../../store/webhook/webhook-endpoints.ts'
import { createDeliver } from './deliver.ts'
import { type Dispatcher, type DispatcherLimits, type OnGivenUp, startDispatcher } from './dispatcher.ts'
import type { MediaBuyView, ResolveList, SettleActivation } from './due-event.ts'
import { feedWebhooks } from './feed-subscribers.ts'
import { createProveControl } from './prove-control.ts'
import { startScheduler } from './scheduler.ts'
import type { Webhooks } from './webhook-types.ts'
import { createWebhooks } from './webhooks.ts'

/** What a test may replace. */
export interface WebhookTuning {
  readonly post?: Partial<SafePostOptions>
  readonly limits?: Partial<DispatcherLimits>
  readonly random?: () => number
  /** How often events are sent to the subscribers of the feed. */
  readonly subscribersMs?: number
}

export interface WebhookOptions {
  readonly store: Store
  readonly contracts: Contracts
  readonly config: Config
  /** The deployment's secret: signing keys and the buyers' credentials are encrypted under it. */
  readonly secret: SecretSource
  /** Address of this agent, by which it names itself to receivers. */
  readonly agentUrl: string
  readonly mediaBuys: MediaBuyView
  readonly settle: SettleActivation
  readonly lists: ResolveList
  readonly clock: () => Date
  readonly log: Logger
  readonly tuning?: WebhookTuning | undefined
  readonly onGivenUp?: OnGivenUp | undefined
  /** Puts spans around what is sent. */
  readonly traced?: ((post: SafePost) => SafePost) | undefined
}

export interface WebhookService {
  readonly webhooks: Webhooks
  readonly keys: KeyProvider
  readonly dispatcher: Dispatcher
  readonly scheduler: BackgroundJob
  close(): Promise<void>
}

/** The names under which keys are derived from the deployment's secret. */
export const SEALED = { signingKeys: 'signing-keys', webhooks: 'webhook-credentials' } as const

const USER_AGENT = 'adcp-sales-agent webhooks'
const SWEEP_MS = 10 * 60_000
/** How soon subscribers of the feed and of changes hear of one. */
const SUBSCRIBERS_MS = 2_000
/** How long one can see what was delivered, and redeliver what was not. */
const KEEP_DELIVERED_MS = 7 * DAY_MS
const KEEP_DEAD_MS = 30 * DAY_MS

/** Everything behind webhooks: the deployment's signing key (made when there is none), registration, delivery, and the waking clock. */
export async function startWebhooks(options: WebhookOptions): Promise<WebhookService> {
  const { store, contracts, config, secret, agentUrl, mediaBuys, settle, lists, clock, log, tuning, traced, onGivenUp } = options
  const horizonMs = config.webhooks.retryHorizonSeconds * 1000
  const keyBox = createSecretBox(secret, SEALED.signingKeys)
  for (const purpose of ['webhook-signing', 'governance-signing'] as const) {
    const kid = await store.transaction((tx) => ensureSigningKey(tx, keyBox, purpose, clock()))
    if (kid !== undefined) log.info({ kid }, `${purpose} key made`)
  }
  const keys = storedKeys(store, keyBox, clock)
  await requireSecret(keys)
  const box = createSecretBox(secret, SEALED.webhooks)
  await store.transaction((tx) => sealStoredQueries(tx, addressSeals(box)))
  const post = createSafePost({ userAgent: USER_AGENT, ...tuning?.post })
  const deliver = createDeliver({ post: traced?.(post) ?? post, keys, box, contracts, clock, sandbox: config.sandbox })
  const dispatcher = startDispatcher({
    store,
    deliver,
    clock,
    log,
    horizonMs,
    onGivenUp,
    ...(tuning?.limits && { limits: tuning.limits }),
    ...(tuning?.random && { random: tuning.random }),
  })
  const scheduler = startScheduler({ store, mediaBuys, settle, lists, clock, log, wake: dispatcher.wake })
  const webhooks = createWebhooks({
    contracts,
    box,
    sandbox: config.sandbox,
    proveControl: createProveControl({ post, keys, agentUrl, clock }),
    lookup: tuning?.post?.lookup,
    wake() {
      dispatcher.wake()
      scheduler.wake()
    },
  })
  const sweeper = setInterval(() => {
    sweep(options, horizonMs).catch((error: unknown) => log.error({ err: error }, 'sweeping webhooks failed'))
  }, SWEEP_MS).unref()
  const toSubscribers = feedWebhooks({
    store,
    post,
    keys,
    box,
    clock,
    random: tuning?.random ?? Math.random,
    loopback: config.directory.allowLoopback && config.mode === 'development',
    developing: config.mode === 'development',
    log,
  })
  const subscribers = startBackgroundJob(toSubscribers, tuning?.subscribersMs ?? SUBSCRIBERS_MS, (error) =>
    log.error({ err: error }, 'webhooks to subscribers failed'),
  )
  dispatcher.wake()
  return {
    webhooks,
    keys,
    dispatcher,
    scheduler,
    async close() {
      clearInterval(sweeper)
      await subscribers.stop()
      await scheduler.stop()
      await dispatcher.stop()
    },
  }
}

/**
 * Throws CONFIGURATION_ERROR when the store was sealed under another secret: processes that share a database have to share the secret too,
 * and one that does not would fail at the first webhook.
 */
async function requireSecret(keys: KeyProvider): Promise<void> {
  try {
    await keys.signer('webhook-signing')
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw new AdcpError('CONFIGURATION_ERROR', OTHER_SECRET, { cause: error })
  }
}

/** Deliveries that one transaction drops. */
const SWEPT_AT_ONCE = 500

/** In short transactions, so that calls come in between. */
async function sweep(
  { store, clock, log, onGivenUp }: Pick<WebhookOptions, 'store' | 'clock' | 'log' | 'onGivenUp'>,
  horizonMs: number,
): Promise<void> {
  const now = clock()
  const before = (ms: number) => new Date(now.getTime() - ms)
  for (let ended = -1; ended !== 0; ) {
    ended = await store.transaction((tx) => giveUpStale(tx, now, horizonMs))
    onGivenUp?.('unreachable', ended)
  }
  await giveUpExcess(store, now, log, onGivenUp)
  for (const [state, end] of [
    ['delivered', before(KEEP_DELIVERED_MS)],
    ['dead', before(KEEP_DEAD_MS)],
  ] as const)
    while ((await store.transaction((tx) => sweepOutbox(tx, state, end, SWEPT_AT_ONCE))) === SWEPT_AT_ONCE);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const last: string = after
    after = await store.transaction((tx) => sweepEndpoints(tx, before(KEEP_DELIVERED_MS), last))
  }
}

/** Of what waits for one buyer the oldest is given up where it is too much. */
async function giveUpExcess(store: Store, now: Date, log: Logger, onGivenUp: OnGivenUp | undefined): Promise<void> {
  for (let found = await findOverdrawn(store.read); found; found = await findOverdrawn(store.read)) {
    const { tenantId, principalId } = found
    let left = found.over
    while (left > 0) {
      const ended = await store.transaction((tx) => giveUpOldest(tx, { tenantId, principalId }, left, now))
      if (ended === 0) break
      onGivenUp?.('too_many', ended)
      left -= ended
    }
    const entry = { tenant: tenantId, principal: principalId, count: found.over - left }
    log.error(entry, `webhooks given up: more than ${WAITING_OF_A_BUYER} waited for one buyer`)
    if (left > 0) return
  }
}
