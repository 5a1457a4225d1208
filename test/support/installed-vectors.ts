import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { keyidOfOwner, type ReplayStore } from '../../src/domain/identity/replay-store.ts'
import { parseJson } from '../../src/platform/decode/parse-json.ts'
import { type PublishedJwk, readJwks } from '../../src/security/signing/jwk.ts'
import { type KeySource, registeredKeys } from '../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../src/security/signing/memory-replay-store.ts'
import { operatorRevocations, type RevocationSource } from '../../src/security/signing/revocation.ts'
import type { ReceivedMessage } from '../../src/security/signing/verify.ts'

const root = join(
  dirname(createRequire(import.meta.url).resolve('@adcp/sdk/package.json')),
  'compliance/cache/3.0.6/test-vectors',
)

export const AGENT_URL = 'https://buyer.example.com/mcp'

export interface Vector {
  readonly id: string
  readonly name: string
  readonly reference_now: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Record<string, string>
    readonly body?: string
  }
  readonly verifier_capability?: {
    readonly covers_content_digest: 'required' | 'either' | 'forbidden'
    readonly required_for: string[]
  }
  readonly jwks_ref?: string[]
  readonly jwks_override?: Record<string, unknown>
  readonly test_harness_state?: {
    readonly replay_cache_entries?: { readonly keyid: string; readonly nonce: string }[]
    readonly replay_cache_per_keyid_cap_hit?: { readonly keyid: string }
    readonly per_keyid_cap_filled_for?: string
    readonly revocation_list?: { readonly revoked_kids: string[] }
    readonly revoked_kids?: string[]
    readonly revocation_list_stale_seconds?: number
  }
  readonly expected_signature_base?: string
  readonly expected_outcome: { readonly success: boolean; readonly error_code?: string; readonly failed_step?: number | string }
}

export function readVectorFile<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

export function readVectors(folder: string): Vector[] {
  return readdirSync(join(root, folder))
    .sort()
    .map((file) => ({ id: file.replace('.json', ''), ...readVectorFile<Omit<Vector, 'id'>>(`${folder}/${file}`) }))
}

/** The published test keys of a folder; each carries its private scalar under `_private_d_for_test_only`. */
export function testKeys(folder: string): Record<string, PublishedJwk & { readonly _private_d_for_test_only: string }> {
  const { keys } = readVectorFile<{ keys: (PublishedJwk & { _private_d_for_test_only: string })[] }>(`${folder}/keys.json`)
  return Object.fromEntries(keys.map((key) => [key.kid, key]))
}

/** Private JWK of a published test key. */
export function privateTestJwk(folder: string, kid: string) {
  const { _private_d_for_test_only: d, key_ops: _, use: __, adcp_use: ___, ...jwk } = testKeys(folder)[kid]!
  return { ...jwk, d }
}

export function received(vector: Vector): ReceivedMessage {
  const { method, url, headers, body = '' } = vector.request
  return { method, url, rawHeaders: Object.entries(headers).flat(), body: Buffer.from(body) }
}

export function keysOf(vector: Vector, folder: string): KeySource {
  const override = vector.jwks_override
  if (override) return registeredKeys(AGENT_URL, readJwks('keys' in override ? override : { keys: Object.values(override) })!)
  const published = testKeys(folder)
  return registeredKeys(AGENT_URL, readJwks({ keys: vector.jwks_ref!.map((kid) => published[kid]) })!)
}

/** A replay store in the state that the vector's harness asks for. */
export async function replayOf(vector: Vector): Promise<ReplayStore> {
  const state = vector.test_harness_state
  const capped = state?.replay_cache_per_keyid_cap_hit?.keyid ?? state?.per_keyid_cap_filled_for
  const store = memoryReplayStore((keyid) => (keyid === capped ? 3 : 1000))
  const until = vector.reference_now + 360
  if (capped) for (const nonce of ['one', 'two', 'three']) await store.insert(capped, nonce, until, vector.reference_now)
  for (const { keyid, nonce } of state?.replay_cache_entries ?? []) await store.insert(keyid, nonce, until, vector.reference_now)
  // The vectors name keys by their ids.
  return {
    isFull: (owner, now) => store.isFull(keyidOfOwner(owner), now),
    insert: (owner, ...rest) => store.insert(keyidOfOwner(owner), ...rest),
  }
}

export function revocationsOf(vector: Vector): RevocationSource {
  const state = vector.test_harness_state
  const revoked = state?.revocation_list?.revoked_kids ?? state?.revoked_kids ?? []
  if (state?.revocation_list_stale_seconds !== undefined) return { status: async () => 'stale' }
  return operatorRevocations((keyid) => revoked.includes(keyid))
}

export function hasDuplicateKey(body: Uint8Array): boolean {
  try {
    parseJson(body)
    return false
  } catch (error) {
    return error instanceof Error && 'fault' in error && error.fault === 'duplicate-key'
  }
}
