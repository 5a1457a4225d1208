import { describe, expect, it } from 'vitest'
import { payloadHash } from '../../../src/security/signing/governance-token.ts'
import { GovernanceTokenFault } from '../../../src/security/signing/governance-token-fault.ts'
import { verifyGovernanceToken } from '../../../src/security/signing/governance-token-verify.ts'
import { readJwks } from '../../../src/security/signing/jwk.ts'
import { resolvedKey } from '../../../src/security/signing/keys.ts'
import { wheelFile, wheelIsMissing } from '../../support/wheel.ts'

interface Facts {
  readonly payload: object
  readonly actual_commitment: { readonly amount: number; readonly currency: string }
}
interface Case {
  readonly id: string
  readonly compact_jws: string
  readonly verification_overrides?: Partial<Facts> & { readonly preconsumed_jti?: boolean }
  readonly expected: { readonly error: string | null }
}
interface Vectors {
  readonly payload_hash_cases: readonly { readonly id: string; readonly payload: object; readonly expected_hash: string }[]
  readonly signed_jws: {
    readonly test_key: object
    readonly verification_defaults: Facts & {
      readonly now: number
      readonly expected_issuer: string
      readonly expected_audience: string
      readonly authenticated_caller: string
      readonly expected_task: string
    }
    readonly cases: readonly Case[]
  }
}

const file = (await wheelFile('governance-authorization.json')) as Vectors | undefined
const { payload_hash_cases: hashes = [], signed_jws: signed } = file ?? {}

async function verdict({ compact_jws: token, verification_overrides: over = {} }: Case): Promise<string | null> {
  if (!signed) throw new Error('there are no vectors')
  const {
    now,
    expected_issuer: issuer,
    expected_audience: audience,
    authenticated_caller: caller,
    expected_task: tool,
    ...defaults
  } = signed.verification_defaults
  const { payload, actual_commitment: commitment, preconsumed_jti: isUsed = false } = { ...defaults, ...over }
  const keys = {
    find: async (_issuer: string, keyid: string) =>
      (readJwks({ keys: [signed.test_key] }) ?? [])
        .filter(({ kid }) => kid === keyid)
        .map((jwk) => resolvedKey(jwk, issuer))
        .at(0),
    status: async () => 'good' as const,
  }
  const act = {
    tool,
    needs: 'approval',
    phase: 'purchase',
    resourceId: 'mb',
    commitment,
    request: payload,
    caller,
    bindsAll: true,
  } as const
  const expected = { audience, issuers: [issuer], subject: undefined, act }
  try {
    await verifyGovernanceToken(token, expected, now, { keys, isUsed: async () => isUsed })
    return null
  } catch (fault) {
    if (fault instanceof GovernanceTokenFault) return fault.code
    throw fault
  }
}

describe.skipIf(wheelIsMissing)('governance-authorization vectors of 3.2.4', () => {
  it('are all there', () => {
    expect(hashes).toHaveLength(3)
    expect(signed?.cases).toHaveLength(27)
  })

  it.each(hashes.map((one) => [one.id, one] as const))('hash: %s', (_id, { payload, expected_hash: hash }) => {
    expect(payloadHash({ ...payload })).toBe(hash)
  })

  it.each((signed?.cases ?? []).map((one) => [one.id, one] as const))('token: %s', async (_id, one) => {
    const code = await verdict(one)
    expect(code).toBe(one.expected.error)
  })
})
