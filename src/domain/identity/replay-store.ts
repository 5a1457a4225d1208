/** Outcome of burning a nonce; only `inserted` lets the request through. */
export type NonceOutcome = 'inserted' | 'replayed' | 'full'

/** Names whose nonces are remembered together: one public key, by its digest, and the id under which it is published. */
export function nonceOwnerOf(keyDigest: string, keyid: string): string {
  return `${keyDigest}#${keyid}`
}

/** The key id of {@link nonceOwnerOf}. */
export function keyidOfOwner(owner: string): string {
  return owner.slice(owner.indexOf('#') + 1)
}

/**
 * Remembers `(owner, nonce)` until the signature can no longer be valid. Times are Unix seconds. Nothing is ever evicted early:
 * a full key is refused (AdCP replay dedup), because eviction would accept again what was evicted.
 */
export interface ReplayStore {
  /** Whether the key holds as many live nonces as it may: the cheap check before any cryptography. */
  isFull(owner: string, nowSeconds: number): Promise<boolean>
  /** Atomic over all users of the store: one of two equal nonces, and never more than the cap of different ones. */
  insert(owner: string, nonce: string, expiresAtSeconds: number, nowSeconds: number): Promise<NonceOutcome>
}

/** Live nonces a key may have; a key may be given its own cap (a conformance counterparty needs a small one). */
export type CapOf = (owner: string) => number

/** AdCP recommends at least this many in production. */
export const DEFAULT_NONCE_CAP = 1_000_000
