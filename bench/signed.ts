import { generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signRequest } from '@adcp/sdk/signing/client'
import type { Child } from '../tools/agent/child.ts'
import type { Target } from '../tools/measure/load.ts'
import { askOnce, type Subject, toolCall } from '../tools/measure/subject.ts'

const KID = 'bench-1'
const AGENT_URL = 'https://bench-signer.example/mcp'

/** What the signed row shares with the row that it is compared to. */
export interface SignedOptions {
  /** For the file of the public key. */
  readonly folder: string
  readonly server: Child
  readonly url: string
  /** Runs the command line of the server. */
  readonly cli: (...args: string[]) => Promise<string>
  /** `accounts[]` of the declaration that the purchase needs. */
  readonly account: object
  /** The purchase, with a new key each time. */
  readonly body: () => string
  readonly succeeded: Target['succeeded']
}

/**
 * The same purchase by an agent that signs its requests (RFC 9421, Ed25519, Content-Digest covered) with the SDK's signer, a fresh
 * signature each time: what a signature costs beside a key.
 */
export async function signedPurchase(options: SignedOptions): Promise<Subject> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const described = { kid: KID, alg: 'EdDSA', use: 'sig', adcp_use: 'request-signing' }
  const jwks = join(options.folder, 'bench-signer.json')
  await writeFile(jwks, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), ...described, key_ops: ['verify'] }] }))
  await options.cli('buyers', 'signing-keys', 'add', 'bench-signer', '--url', AGENT_URL, '--jwks', jwks)
  const sign = signerOf(options.url, { ...privateKey.export({ format: 'jwk' }), ...described, key_ops: ['sign'] })
  const target: Target = { url: options.url, headers: {}, sign, body: options.body, succeeded: options.succeeded }
  const declared = toolCall('sync_accounts', { idempotency_key: randomUUID(), accounts: [options.account] })
  await askOnce({ ...target, body: declared, succeeded: (reply) => reply.includes('"status":"active"') })
  return { id: 'create_media_buy_signed', title: 'ours: create_media_buy, signed', target, server: options.server }
}

function signerOf(url: string, privateKey: JsonWebKey): (body: string) => Record<string, string> {
  const { d = '', ...others } = privateKey
  const key = { keyid: KID, alg: 'ed25519' as const, privateKey: { ...others, kid: KID, kty: 'OKP', d } }
  const headers = { 'content-type': 'application/json' }
  return (body) => signRequest({ method: 'POST', url, headers, body }, key, { coverContentDigest: true }).headers
}
