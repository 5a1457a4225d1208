/** Who says, in the body of a request, that it buys for whom. Domains in lower case. */
export interface OperatorClaim {
  readonly brandDomain: string
  readonly brandId: string | undefined
  readonly operator: string
}

/** `unknown`: the brand's file cannot be read now. */
export type OperatorVerdict = 'authorized' | 'not-listed' | 'unknown'

/** Whether a claim needs no proof: a brand speaks for itself. */
export function isOwnOperator({ brandDomain, operator }: OperatorClaim): boolean {
  return brandDomain === operator
}

/**
 * Whether a brand's brand.json lets the operator act for it (AdCP brand.json, `authorized_operators`: a domain and the brands, or
 * `*`). A claim that names no brand of the house is about the house.
 */
export function authorizesOperator(brandJson: unknown, { operator, brandId }: OperatorClaim): boolean {
  return list(member(brandJson, 'authorized_operators')).some((entry) => {
    const brands = list(member(entry, 'brands'))
    const domain = member(entry, 'domain')
    const covered = brandId === undefined || brands.includes('*') || brands.includes(brandId)
    return typeof domain === 'string' && domain.toLowerCase() === operator && brands.length > 0 && covered
  })
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
