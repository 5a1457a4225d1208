import { describe, expect, it } from 'vitest'
import { CLAIM_TYPE, constraintDigest, grantIssuer, grantSubject, SUBJECT_TYPE } from '../../../src/domain/rights/attestation.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

// biome-ignore lint/suspicious/noExplicitAny: a vector, judged by assertions
const [[, vectors] = []] = [...(await wheelVectors('rights-attestations'))].filter(([file]) => file.endsWith('.json')) as any

/** What a mutation makes of the constraint, for the cases that are about what is attested; the others are about how sellers evaluate it, which none here does. */
const MUTATED: Readonly<Record<string, object>> = {
  restriction_omitted: { restrictions: vectors?.base_constraint.restrictions.slice(1) },
  disclosure_mutated: { disclosure: { ...vectors?.base_constraint.disclosure, text: 'another' } },
  paused_grant: { grant_status: 'paused' },
}

describe.skipIf(wheelIsMissing)('rights-attestations vectors of 3.2.4', () => {
  it('the digest, the issuer and the subject of a grant', () => {
    const { content_digest: digest, attestation_refs: refs } = vectors.base_constraint
    expect(vectors.cases).toHaveLength(34)
    expect([vectors.claim_type, vectors.subject_resource_type]).toEqual([CLAIM_TYPE, SUBJECT_TYPE])
    expect(constraintDigest(vectors.base_constraint)).toBe(digest)
    expect(grantIssuer(vectors.base_constraint)).toEqual(refs[0].issuer)
    expect(grantSubject(vectors.base_constraint, digest)).toEqual(refs[0].subject)
  })

  it.each(Object.keys(MUTATED))('%s has another digest', (mutation) => {
    // biome-ignore lint/suspicious/noExplicitAny: a vector
    expect(vectors.cases.filter((each: any) => each.mutation === mutation)).toHaveLength(1)
    const { base_constraint: constraint } = vectors
    expect(constraintDigest({ ...constraint, ...MUTATED[mutation] })).not.toBe(constraint.content_digest)
  })
})
