import { generateKeyPairSync } from 'node:crypto'
import { compactVerify, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  type GovernanceClaims,
  INTENT_SECONDS,
  MAX_TOKEN_CHARS,
  payloadHash,
  signGovernanceToken,
} from '../../../src/security/signing/governance-token.ts'
import { localSigner } from '../../../src/security/signing/sign.ts'
import { rsaKeyPair } from '../../support/shared-inputs.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer = localSigner('gov-1', 'ed25519', privateKey)

const claims: GovernanceClaims = {
  iss: 'https://governance.example/mcp',
  sub: 'plan_1',
  plan_hash: 'oR0jFDEtzcwgPbNf-Ofd_fZHYfAyD1TRbzGOFBVCG-c',
  aud: 'https://seller.example/mcp',
  iat: 1_800_000_000,
  exp: 1_800_000_000 + INTENT_SECONDS,
  jti: 'jti-1',
  phase: 'intent',
  caller: 'https://buyer.example/agent',
  check_id: 'chk_1',
  policy_decisions: [{ policy_id: 'weekly', outcome: 'compliant' }],
  status: 'approved',
}

async function opened(token: string, key = publicKey) {
  const { payload, protectedHeader } = await compactVerify(token, key, {
    crit: { authorized_commitment: true, authorized_task: true, authorized_payload_hash: true },
  })
  return { header: protectedHeader, claims: JSON.parse(Buffer.from(payload).toString()) }
}

describe('signGovernanceToken', () => {
  it('is a compact JWS that another library verifies, with exactly the claims', async () => {
    const token = await signGovernanceToken(claims, signer)
    expect(token).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/)
    const { header, claims: read } = await opened(token)
    expect(header).toEqual({ alg: 'EdDSA', kid: 'gov-1', typ: 'adcp-gov+jws' })
    expect(read).toEqual(claims)
  })

  it('signs ES256 in JOSE form, not DER', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const token = await signGovernanceToken(claims, localSigner('gov-2', 'ecdsa-p256-sha256', pair.privateKey))
    expect((await opened(token, pair.publicKey)).header.alg).toBe('ES256')
  })

  it('marks the claims that bind an action as critical', async () => {
    const token = await signGovernanceToken(
      { ...claims, authorized_task: 'create_media_buy', authorized_payload_hash: payloadHash({ a: 1 }) },
      signer,
    )
    expect(decodeProtectedHeader(token)).toMatchObject({
      crit: ['authorized_task', 'authorized_payload_hash'],
      authorized_task: true,
      authorized_payload_hash: true,
    })
    await expect(compactVerify(token, publicKey)).rejects.toThrow(/not recognized/)
  })

  it('replaces decisions that do not fit by their hash, and refuses what is still too long', async () => {
    const many = Array.from({ length: 200 }, (_, i) => ({ policy_id: `policy_${i}`, outcome: 'compliant' as const }))
    const token = await signGovernanceToken({ ...claims, policy_decisions: many }, signer)
    expect(token.length).toBeLessThanOrEqual(MAX_TOKEN_CHARS)
    const { claims: read } = await opened(token)
    expect(read.policy_decision_hash).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(read).not.toHaveProperty('policy_decisions')
    await expect(signGovernanceToken({ ...claims, sub: 'x'.repeat(5000) }, signer)).rejects.toThrow(RangeError)
  })

  it('refuses a key of another algorithm', async () => {
    const { privateKey: rsa } = rsaKeyPair()
    await expect(signGovernanceToken(claims, localSigner('rsa', 'rsa-pss-sha512', rsa))).rejects.toThrow(TypeError)
  })
})

describe('payloadHash', () => {
  it('leaves out the token and the echoed context, and nothing else', () => {
    const bare = payloadHash({ b: 1, a: [2] })
    expect(payloadHash({ a: [2], b: 1, governance_context: 'x', context: { y: 1 } })).toBe(bare)
    expect(payloadHash({ a: [2], b: 2 })).not.toBe(bare)
  })
})
