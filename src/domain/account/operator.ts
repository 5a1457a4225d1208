/** Who says, in the body of a request, that it buys for whom. Domains in lower case. */
export interface OperatorClaim {
  readonly brandDomain: string
  readonly brandId: string | undefined
  readonly operator: string
  /** The agent that says so, by the address that the publisher has registered for it; undefined: none. */
  readonly agentUrl: string | undefined
}

/**
 * `not-caller`: nothing shows that the agent is the operator's. `not-listed`: the brand does not let the operator act for it. `unknown`: the
 * brand's file cannot be read now.
 */
export type OperatorVerdict = 'authorized' | 'not-caller' | 'not-listed' | 'unknown'

/** Whether the operator is the brand itself, which needs no entry in its brand.json. */
export function isOwnOperator({ brandDomain, operator }: Pick<OperatorClaim, 'brandDomain' | 'operator'>): boolean {
  return brandDomain === operator
}

/**
 * Whether a brand's brand.json lets the operator act for it (AdCP brand.json, `authorized_operators`: a domain and the brands, or
 * `*`). A claim that names no brand of the house is about the house.
 */
export function authorizesOperator(brandJson: unknown, { operator, brandId }: Omit<OperatorClaim, 'agentUrl'>): boolean {
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
