import { describe, expect, it } from 'vitest'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface BrandVectors {
  readonly cases: readonly { readonly name: string }[]
}

const brand = (await wheelVectors('brand-response-signing')).get('brand-authorization-cross-check.json') as
  | BrandVectors
  | undefined

/** Vectors of what this agent does not do yet: shown as skipped, by name. */
describe.skipIf(wheelIsMissing)('vectors of 3.2.4 that are not supported', () => {
  const claims = brand?.cases ?? []

  it('are all named here', () => expect(claims).toHaveLength(14))

  for (const { name } of claims)
    it.skip(`brand-response-signing ${name}: answers of verify_brand_claim are neither signed nor read here`, () => {})
})
