import type { IdentityPackage } from '../../../domain/trusted-match/identity/eligible-packages.ts'
import type { CapPolicy, Exposure } from '../../../domain/trusted-match/identity/frequency-caps.ts'
import { firedCaps } from '../../../domain/trusted-match/identity/frequency-caps.ts'
import { decodeTmpx, identityKey } from '../../../domain/trusted-match/identity/tmpx-plaintext.ts'
import { canonicalSeller } from '../../../domain/trusted-match/match-package.ts'

/** An impression as the pixel of a creative reports it. */
export interface ReportedImpression {
  /** The exposure token, as the publisher put it into the address; absent for an impression that was matched by its context alone. */
  readonly tmpx?: string
  /** Of the publisher or its ad server (universal macro `IMPRESSION_ID`). */
  readonly impressionId?: string
  readonly packageId: string
  readonly sellerAgentUrl: string
}

/** `counted`: for how many tokens of a user; `context_only`: nothing to count for; else why it counts for nothing. */
export type ImpressionOutcome = 'counted' | 'repeated' | 'context_only' | 'unknown_package' | 'forged' | 'replayed'

/** Where exposures and used-up caps lie, by the key of a token. */
export interface ExposureLog {
  /** Whether a token was used before; notes that it is used now. */
  useNonce(nonce: string, now: Date): Promise<boolean>
  /** Adds an impression to the log of each of these tokens; false when it is there already. */
  add(keys: readonly string[], exposure: Exposure): Promise<boolean>
  /** Impressions of any of these tokens since a time (milliseconds). */
  since(keys: readonly string[], from: number): Promise<readonly Exposure[]>
  /** Holds packages back from these tokens by a rule until a time. */
  cap(
    keys: readonly string[],
    packages: readonly { readonly sellerAgentUrl: string; readonly packageId: string }[],
    by: { readonly rule: string; readonly until: Date },
  ): Promise<void>
}

export interface TrackerParts {
  readonly packages: () => Promise<readonly IdentityPackage[]>
  readonly policies: () => Promise<readonly CapPolicy[]>
  readonly log: ExposureLog
  open(value: string): Promise<Uint8Array | undefined>
  readonly newId: () => string
  readonly serveWindowSeconds: number
  readonly clock: () => Date
}

/** A token is refused after this time whether it was used or not (specification, "Replay protection"). */
const LONGEST_MS = 7 * 86_400_000
/** Used-up caps of a campaign without an end are kept so long. */
const FOREVER = Date.parse('9999-01-01T00:00:00.000Z')

/**
 * Counts impressions for the users that their exposure tokens name, and holds packages back whose caps they use up (impression tracker reference, "Write
 * path"). An impression counts once for each token of the user, and once for all of them together. Within its serve window a token counts every
 * impression; after it the first one alone.
 */
export function createImpressionTracker(parts: TrackerParts): (impression: ReportedImpression) => Promise<ImpressionOutcome> {
  const { packages, policies, log, open, newId, serveWindowSeconds, clock } = parts

  const isReplayed = async (createdAt: number, nonce: string): Promise<boolean> => {
    const now = clock()
    const age = now.getTime() - createdAt * 1000
    if (age > LONGEST_MS) return true
    const wasUsed = await log.useNonce(nonce, now)
    return wasUsed && age > serveWindowSeconds * 1000
  }
  const holdBack = async (keys: readonly string[], labels: readonly string[], all: readonly IdentityPackage[]) => {
    const now = clock().getTime()
    const asked = (await policies()).filter(({ label }) => labels.includes(label))
    if (asked.length === 0) return
    const longest = Math.max(...asked.map(({ windowMs, bucketMs }) => windowMs + bucketMs))
    const exposures = await log.since(keys, Number.isFinite(longest) ? now - longest : 0)
    for (const { label, rule, until } of firedCaps(asked, exposures, now)) {
      const affected = all.filter(({ user }) => user.capLabels.includes(label))
      await log.cap(keys, affected, { rule, until: new Date(Math.min(until, FOREVER)) })
    }
  }
  return async ({ tmpx, impressionId, packageId, sellerAgentUrl }) => {
    const all = await packages()
    const seller = canonicalSeller(sellerAgentUrl)
    const found = all.find((each) => each.packageId === packageId && each.sellerAgentUrl === seller)
    if (!found) return 'unknown_package'
    if (tmpx === undefined) return 'context_only'
    const bytes = await open(tmpx)
    const token = bytes && decodeTmpx(bytes)
    if (!token) return 'forged'
    if (await isReplayed(token.createdAt, token.nonce)) return 'replayed'
    const keys = token.identities.map(identityKey)
    const labels = found.user.capLabels
    const isNew = await log.add(keys, { impressionId: impressionId ?? newId(), labels, at: clock().getTime() })
    if (!isNew) return 'repeated'
    await holdBack(keys, labels, all)
    return 'counted'
  }
}
