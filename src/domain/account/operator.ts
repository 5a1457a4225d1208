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
 * brand's brand.json cannot be read now, and its adagents.json does not list the operator.
 */
export type OperatorVerdict = 'authorized' | 'not-caller' | 'not-listed' | 'unknown'

/** Whether the operator is the brand itself, which needs no entry in its brand.json. */
export function isOwnOperator({ brandDomain, operator }: Pick<OperatorClaim, 'brandDomain' | 'operator'>): boolean {
  return brandDomain === operator
}

/** The list of operators in each file of a brand: brand.json by its schema, adagents.json by the authentication page (identity assertions of relays). */
const OPERATOR_LISTS = { 'brand.json': 'authorized_operators', 'adagents.json': 'authorized_operator' } as const

/** A file of a brand that may list operators, by its name below `/.well-known/`. */
export type OperatorFile = keyof typeof OPERATOR_LISTS

/**
 * Whether a file of a brand lets the operator buy media for it at a moment: an entry is a domain and the brands, or `*`, from 3.1 on with what it is for and
 * until when. A claim that names no brand of the house is about the house. Countries are not looked at: an account is in none.
 */
export function authorizesOperator(
  document: unknown,
  { operator, brandId }: Omit<OperatorClaim, 'agentUrl'>,
  now: Date,
  file: OperatorFile = 'brand.json',
): boolean {
  return list(member(document, OPERATOR_LISTS[file])).some((entry) => {
    const brands = list(member(entry, 'brands'))
    const domain = member(entry, 'domain')
    const covered = brandId === undefined || brands.includes('*') || brands.includes(brandId)
    return typeof domain === 'string' && domain.toLowerCase() === operator && brands.length > 0 && covered && holds(entry, now)
  })
}

/** Whether an entry holds now and for buying media; a date that is none holds never. */
function holds(entry: unknown, now: Date): boolean {
  const [scopes, from, until] = ['scopes', 'valid_from', 'valid_until'].map((name) => member(entry, name))
  if (scopes !== undefined && !list(scopes).some((scope) => scope === 'all' || scope === 'media_buying')) return false
  const at = now.getTime()
  return (from === undefined || at >= Date.parse(String(from))) && (until === undefined || at < Date.parse(String(until)))
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
