import { type CapOf, DEFAULT_NONCE_CAP, type ReplayStore } from '../../domain/identity/replay-store.ts'

interface KeyNonces {
  readonly nonces: Set<string>
  /** Nonces by the last second at which they are live. A window is at most six minutes, so there are few buckets. */
  readonly byExpiry: Map<number, string[]>
}

/** Replay store of one process that may forget at restart; several processes need the SQL store. */
export function memoryReplayStore(capOf: CapOf = () => DEFAULT_NONCE_CAP): ReplayStore {
  const keys = new Map<string, KeyNonces>()
  let prunedAt = 0

  function prune(nowSeconds: number): void {
    if (nowSeconds <= prunedAt) return
    prunedAt = nowSeconds
    for (const [keyid, key] of keys) {
      dropExpired(key, nowSeconds)
      if (key.nonces.size === 0) keys.delete(keyid)
    }
  }

  return {
    async isFull(keyid, nowSeconds) {
      prune(nowSeconds)
      return (keys.get(keyid)?.nonces.size ?? 0) >= capOf(keyid)
    },
    async insert(keyid, nonce, expiresAtSeconds, nowSeconds) {
      prune(nowSeconds)
      const key = keys.get(keyid) ?? { nonces: new Set(), byExpiry: new Map() }
      if (key.nonces.size >= capOf(keyid)) return 'full'
      if (key.nonces.has(nonce)) return 'replayed'
      keys.set(keyid, key)
      key.nonces.add(nonce)
      const bucket = key.byExpiry.get(expiresAtSeconds)
      if (bucket) bucket.push(nonce)
      else key.byExpiry.set(expiresAtSeconds, [nonce])
      return 'inserted'
    },
  }
}

function dropExpired(key: KeyNonces, nowSeconds: number): void {
  for (const [expiresAtSeconds, nonces] of key.byExpiry) {
    if (expiresAtSeconds >= nowSeconds) continue
    for (const nonce of nonces) key.nonces.delete(nonce)
    key.byExpiry.delete(expiresAtSeconds)
  }
}
