import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type PublishedJwk, readJwks } from '../../../src/security/signing/jwk.ts'
import { registeredKeys } from '../../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../../src/security/signing/memory-replay-store.ts'
import type { SignatureAlgorithm, SigningProfile } from '../../../src/security/signing/profile.ts'
import { operatorRevocations } from '../../../src/security/signing/revocation.ts'
import {
  localSigner,
  type OutgoingMessage,
  type Signer,
  type SignOptions,
  signMessage,
} from '../../../src/security/signing/sign.ts'
import type { ReceivedMessage, VerifyOptions } from '../../../src/security/signing/verify.ts'
import { AGENT_URL, hasDuplicateKey } from '../../support/installed-vectors.ts'
import { rsaKeyPair } from '../../support/shared-inputs.ts'

export const NOW = 1_776_520_800

const GENERATE: Record<SignatureAlgorithm, () => { publicKey: KeyObject; privateKey: KeyObject }> = {
  ed25519: () => generateKeyPairSync('ed25519'),
  'ecdsa-p256-sha256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'rsa-pss-sha512': rsaKeyPair,
}

const JOSE_ALG: Record<SignatureAlgorithm, string> = { ed25519: 'EdDSA', 'ecdsa-p256-sha256': 'ES256', 'rsa-pss-sha512': 'PS512' }

export interface TestAgent {
  readonly signer: Signer
  readonly jwk: PublishedJwk
  readonly privateKey: KeyObject
}

export function publish(publicKey: KeyObject, kid: string, algorithm: SignatureAlgorithm, use = 'request-signing'): PublishedJwk {
  const jwk = {
    ...publicKey.export({ format: 'jwk' }),
    kid,
    alg: JOSE_ALG[algorithm],
    use: 'sig',
    key_ops: ['verify'],
    adcp_use: use,
  }
  return readJwks({ keys: [jwk] })![0]!
}

/** A new agent with one key. */
export function testAgent(algorithm: SignatureAlgorithm, use?: string): TestAgent {
  const { publicKey, privateKey } = GENERATE[algorithm]()
  const kid = `test-${algorithm}`
  return { signer: localSigner(kid, algorithm, privateKey), jwk: publish(publicKey, kid, algorithm, use), privateKey }
}

/** Verifier that knows these keys; a fresh replay store each time. */
export function verifier(profile: SigningProfile, ...jwks: PublishedJwk[]): VerifyOptions {
  return {
    profile,
    keys: registeredKeys(AGENT_URL, jwks),
    replay: memoryReplayStore(),
    revocations: operatorRevocations(() => false),
    hasDuplicateKey,
  }
}

/** The message as the other side receives it. */
export async function sent(
  message: OutgoingMessage,
  signer: Signer,
  profile: SigningProfile,
  options?: SignOptions,
): Promise<ReceivedMessage> {
  const headers = await signMessage(message, signer, profile, NOW, options)
  const host = new URL(message.url).host
  return {
    method: message.method,
    url: message.url,
    rawHeaders: ['Host', host, ...Object.entries(headers).flat()],
    body: message.body ?? new Uint8Array(),
  }
}
