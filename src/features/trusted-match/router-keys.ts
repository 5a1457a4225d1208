import { acceptedEpochs } from '../../domain/trusted-match/daily-epoch.ts'
import { type MatchKey, signedEpoch } from '../../security/signing/trusted-match-signature.ts'

/** Whether a request was signed by a router that a provider serves. `baseOf`: the signed text for an epoch. */
export type VerifyRouter = (
  signed: { readonly keyId: string; readonly signature: string },
  baseOf: (epoch: number) => string,
) => Promise<boolean>

export interface RouterKeysParts {
  /** The keys that routers publish now. May reject. */
  readonly load: () => Promise<readonly MatchKey[]>
  readonly clock: () => Date
  readonly onFailure: (error: unknown) => void
}

/** How long keys are kept (specification, "Key rotation"). */
const KEEP_MS = 5 * 60_000
/** Keys are not read again sooner than this, however many signatures fail. */
const AGAIN_MS = 5_000

/**
 * Verifies signatures by the keys of routers. Keys are kept for five minutes, and read again when a signature fails, since the router may have changed its
 * key (specification, "Key rotation" and "Key revocation"). Keys that cannot be read count no longer than they are kept.
 */
export function routerVerification({ load, clock, onFailure }: RouterKeysParts): VerifyRouter {
  const known: { keys: readonly MatchKey[]; readAt: number; reading: Promise<void> | undefined } = {
    keys: [],
    readAt: Number.NEGATIVE_INFINITY,
    reading: undefined,
  }
  const readOlderThan = async (ageMs: number) => {
    const now = clock().getTime()
    if (now - known.readAt < ageMs) return
    known.reading ??= load()
      .then(
        (keys) => {
          known.keys = keys
        },
        (error: unknown) => {
          onFailure(error)
          if (now - known.readAt >= KEEP_MS) known.keys = []
        },
      )
      .finally(() => {
        known.readAt = now
        known.reading = undefined
      })
    await known.reading
  }
  return async ({ keyId, signature }, baseOf) => {
    await readOlderThan(KEEP_MS)
    const isSigned = () =>
      known.keys.some((key) => key.kid === keyId && signedEpoch(key, signature, acceptedEpochs(clock()), baseOf) !== undefined)
    if (isSigned()) return true
    await readOlderThan(AGAIN_MS)
    return isSigned()
  }
}
