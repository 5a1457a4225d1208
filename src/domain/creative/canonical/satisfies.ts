import type { CanonicalParams } from './params.ts'

/** Parameters of a canonical format that are one fixed value; what names the format has to state the same. */
const FIXED = ['width', 'height', 'duration_ms_exact'] as const
/** Limits, each with the exact parameter that they hold and which side of it they bound. */
const LIMITS = [
  ['min_width', 'width', 'min_width', 'least'],
  ['max_width', 'width', 'max_width', 'most'],
  ['min_height', 'height', 'min_height', 'least'],
  ['max_height', 'height', 'max_height', 'most'],
] as const

/**
 * Whether a buyer's parameters of a canonical format keep to those that a product declares (AdCP 3.1 core/product-format-declaration.json, "Format matching vs
 * satisfaction"): what the product fixes has to be stated and the same, and every value that the buyer's limits permit has to lie within the product's limits.
 */
export function satisfies(declared: CanonicalParams, wanted: CanonicalParams): boolean {
  return (
    FIXED.every((name) => declared[name] === undefined || (declared[name] ?? undefined) === exactly(wanted, name)) &&
    LIMITS.every(([limit, exact, own, side]) =>
      within(numberIn(declared, limit), numberIn(wanted, exact) ?? numberIn(wanted, own), side),
    ) &&
    (declared.duration_ms_exact !== undefined || withinDuration(declared.duration_ms_range, wanted))
  )
}

/** A list of one size is that size. */
function exactly(wanted: CanonicalParams, name: (typeof FIXED)[number]): unknown {
  if (wanted[name] !== undefined || name === 'duration_ms_exact') return wanted[name]
  const sizes: readonly unknown[] = Array.isArray(wanted.sizes) ? wanted.sizes : []
  const [only] = sizes
  return sizes.length === 1 && typeof only === 'object' && only !== null
    ? Object.getOwnPropertyDescriptor(only, name)?.value
    : undefined
}

function within(limit: number | undefined, value: number | undefined, side: 'least' | 'most'): boolean {
  if (limit === undefined) return true
  if (value === undefined) return false
  return side === 'least' ? value >= limit : value <= limit
}

function withinDuration(declared: unknown, wanted: CanonicalParams): boolean {
  if (!Array.isArray(declared)) return true
  const exact = numberIn(wanted, 'duration_ms_exact')
  const asked: readonly unknown[] = Array.isArray(wanted.duration_ms_range) ? wanted.duration_ms_range : []
  const [least, most] = exact === undefined ? asked.map(finite) : [exact, exact]
  return within(finite(declared[0]), least, 'least') && within(finite(declared[1]), most, 'most')
}

function numberIn(params: CanonicalParams, name: string): number | undefined {
  return finite(params[name])
}

/** A null end of a range is open. */
function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
