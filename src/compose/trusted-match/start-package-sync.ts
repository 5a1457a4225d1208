import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { isActive } from '../../domain/trusted-match/provider-registration.ts'
import { describeMatched } from '../../domain/trusted-match/why-unmatched.ts'
import { createPackageSync, type SyncTarget, syncRefusal } from '../../features/trusted-match/package-sync.ts'
import { createSafePost } from '../../platform/net/safe-post.ts'
import { type BackgroundJob, startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { VERSION } from '../../platform/version.ts'
import type { SecretSource } from '../../security/secrets/deployment-secrets.ts'
import { syncAddressPlace, syncKeyPlace } from '../../security/secrets/match-secret-places.ts'
import { openAddress, sealSubscriber } from '../../security/secrets/sealed-address.ts'
import type { Store } from '../../store/database.ts'
import { listActivePackages, readPackageSupply } from '../../store/trusted-match/active-packages.ts'
import { listMatchProviders, noteSync } from '../../store/trusted-match/match-providers.ts'
import { sealSyncAddresses } from '../../store/trusted-match/seal-sync-addresses.ts'
import { matchBox } from './match-box.ts'
import { sellerAgentUrlOf } from './seller-agent-url.ts'

export interface PackageSyncOptions {
  readonly store: Store
  readonly config: Config
  /** The deployment's. */
  readonly secret: SecretSource
  readonly clock: () => Date
  readonly log: Logger
}

/** How soon a change of an order is on its way to the providers. */
const EVERY_MS = 2_000

/** Seals what addresses of a store from before hide. */
export async function sealMatchProviders(store: Pick<Store, 'transaction'>, secret: SecretSource): Promise<void> {
  const box = matchBox(secret)
  await store.transaction((tx) =>
    sealSyncAddresses(tx, (url, of) => sealSubscriber(box, url, syncAddressPlace(of.tenantId, of.providerId))),
  )
}

/** Starts the sync of packages to the providers that publishers registered. A process without any reads one empty table. */
export function startPackageSync({ store, config, secret, clock, log }: PackageSyncOptions): BackgroundJob {
  const box = matchBox(secret)
  const post = createSafePost({ userAgent: `adcp-sales-agent/${VERSION}` })
  const loopback = config.mode === 'development'
  const keyOf = ({ tenantId, providerId, sealedKey }: SyncTarget) =>
    sealedKey === undefined ? {} : { authorization: `Bearer ${box.open(sealedKey, syncKeyPlace(tenantId, providerId))}` }
  const urlOf = ({ tenantId, providerId, address }: SyncTarget) =>
    openAddress(box, address, syncAddressPlace(tenantId, providerId))
  const stored = ({ tenantId, providerId, dueAt }: SyncTarget) => ({ tenantId, providerId, dueAt })
  const sync = createPackageSync({
    async targets() {
      const all = await listMatchProviders(store.read)
      return all.flatMap(({ tenantId, registration, syncTo, syncKey, synced, syncedAt, attempts, dueAt }) =>
        syncTo === undefined || !isActive(registration)
          ? []
          : [
              {
                tenantId,
                providerId: registration.provider_id,
                address: syncTo,
                sealedKey: syncKey,
                synced,
                syncedAt,
                attempts,
                dueAt,
              },
            ],
      )
    },
    async packagesOf(tenantId) {
      const agent_url = sellerAgentUrlOf(config)
      const active = await listActivePackages(store.read, tenantId, clock())
      return active.map(({ mediaBuyId, pkg: { packageId } }) => ({
        package_id: packageId,
        media_buy_id: mediaBuyId,
        seller_agent: { agent_url },
      }))
    },
    async send(target, body) {
      const headers = { 'content-type': 'application/json', ...keyOf(target) }
      const { status, text } = await post(urlOf(target), { headers, body: Buffer.from(body), loopback })
      if (status !== 200) throw new Error(`the provider answered with status ${status}`)
      const refusal = syncRefusal(text)
      if (refusal !== undefined) throw new Error(refusal)
    },
    async done(target, synced, packages) {
      await store.transaction((tx) => noteSync(tx, stored(target), { synced }, clock()))
      const { tenantId: tenant, providerId: provider } = target
      const why = packages === 0 ? describeMatched(await readPackageSupply(store.read, tenant, clock())) : undefined
      log.info({ tenant, provider, packages }, why ?? 'packages were synced to a provider of Trusted Match')
    },
    failed: (target, failure) => store.transaction((tx) => noteSync(tx, stored(target), failure, clock())),
    clock,
  })
  return startBackgroundJob(sync, EVERY_MS, (error) => log.error({ err: error }, 'syncing packages failed'))
}
