import { createHash } from 'node:crypto'
import type { AvailablePackage } from '../../domain/trusted-match/synced-package.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import type { SealedAddress } from '../../security/secrets/sealed-address.ts'

/** A provider that packages are synced to. */
export interface SyncTarget {
  readonly tenantId: string
  readonly providerId: string
  /** The address, with what is sealed of it. */
  readonly address: SealedAddress
  /** Encrypted; undefined: the provider takes packages without one. */
  readonly sealedKey: string | undefined
  /** Hash of what it has. */
  readonly synced: string
  /** ISO 8601 UTC: when it took them; undefined: never. */
  readonly syncedAt: string | undefined
  /** Failed attempts in a row. */
  readonly attempts: number
  /** ISO 8601 UTC: no attempt is made before. */
  readonly dueAt: string
}

export interface PackageSyncParts {
  /** Active providers that packages are synced to. */
  readonly targets: () => Promise<readonly SyncTarget[]>
  readonly packagesOf: (tenantId: string) => Promise<readonly AvailablePackage[]>
  /** Rejects when the provider does not take them. */
  readonly send: (target: SyncTarget, body: string) => Promise<void>
  /** `packages`: how many were sent. */
  readonly done: (target: SyncTarget, synced: string, packages: number) => Promise<void>
  readonly failed: (
    target: SyncTarget,
    failure: { readonly fault: string; readonly attempts: number; readonly dueAt: Date },
  ) => Promise<void>
  readonly clock: () => Date
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 5 * 60_000
/** A provider may drop packages that it took, when a publisher does not authorise the seller for a while: it takes them back with a sync alone. */
const REPEAT_MS = 60 * 60_000

/**
 * Brings the active packages of publishers to their providers: all of them, whenever they differ from what the provider took last, so that a change which was
 * missed comes with the next, and once an hour (specification, "Package Sync"). A provider that fails is tried again after twice the time, five minutes at most; the others are not
 * affected.
 */
export function createPackageSync({ targets, packagesOf, send, done, failed, clock }: PackageSyncParts): () => Promise<boolean> {
  const sync = async (target: SyncTarget, packages: readonly AvailablePackage[]) => {
    const body = JSON.stringify({ packages })
    const hash = createHash('sha256').update(body).digest('base64url')
    const ageMs = clock().getTime() - Date.parse(target.syncedAt ?? '')
    if (hash === target.synced && ageMs < REPEAT_MS) return
    try {
      await send(target, body)
    } catch (error) {
      const attempts = target.attempts + 1
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts, 20), LONGEST_WAIT_MS)
      const fault = error instanceof Error ? error.message.slice(0, 500) : 'failed'
      await failed(target, { fault, attempts, dueAt: new Date(clock().getTime() + waitMs) })
      return
    }
    await done(target, hash, packages.length)
  }
  return async () => {
    const now = clock().toISOString()
    const due = (await targets()).filter(({ dueAt }) => dueAt <= now)
    const packages = new Map<string, Promise<readonly AvailablePackage[]>>()
    for (const { tenantId } of due) if (!packages.has(tenantId)) packages.set(tenantId, packagesOf(tenantId))
    await Promise.all(due.map(async (target) => sync(target, (await packages.get(target.tenantId)) ?? [])))
    return false
  }
}

/**
 * What a provider that answered a sync with 200 says of packages that it refused because their seller is not authorised; undefined: it refused none. `text`: the
 * beginning of its answer, whose shape is each provider's own but for the code (specification, "Sync-Time Validation").
 */
export function syncRefusal(text: string): string | undefined {
  if (!/"code"\s*:\s*"seller_not_authorized"/.test(text)) return undefined
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.){1,300}")/.exec(text)?.[1]
  return `the provider refused packages with seller_not_authorized${message === undefined ? '' : `: ${textOf(message)}`}`
}

function textOf(quoted: string): string {
  return String(foreignJsonIn(quoted) ?? quoted)
}
