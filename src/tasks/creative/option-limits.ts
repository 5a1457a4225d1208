import type { SyncCreativesRequest } from '@adcp/sdk'
import { checkManifest, slotsIn, type Violation } from '../../domain/creative/canonical/check-manifest.ts'
import type { SentCreative } from '../../domain/creative/creative.ts'
import { type FormatScope, resolveFormat } from '../../domain/creative/resolve-format.ts'
import type { FormatOption } from '../../domain/product/format-option.ts'
import type { Product } from '../../domain/product/product.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { byCanonicalNames, canonicalSlots } from './canonical-manifest.ts'
import { formatScopeOf } from './format-scope.ts'
import { productsOfAssignments } from './provenance-policies.ts'

/** What breaks the limits of the format options that a creative is meant for. `field` is its path, e.g. `creatives[0]`. */
export type LimitsOf = (creative: SentCreative, field: string) => readonly AdcpError[]

const KIND = 'native_in_feed'
/** Rules of limits: everything else about slots is checked against the format. */
const LIMITS: ReadonlySet<string> = new Set([
  'max_chars',
  'allowed_values',
  'main_image_sizes',
  'icon_size',
  'max_file_size_kb',
  'image_formats',
])

/**
 * The limits that products set for ads in a feed (AdCP 3.1, formats/canonical/native_in_feed.json), for creatives of a request: of the option that a
 * creative names, else of the products of the packages that it is assigned to, else of all products that take it, one of which has to. `product`: the only one that counts.
 */
export async function optionLimits(
  context: InTransaction<AuthenticatedContext>,
  { assignments, product }: { readonly assignments?: SyncCreativesRequest['assignments']; readonly product?: Product },
): Promise<LimitsOf> {
  // 3.0 has neither these limits nor the schemas of the kinds.
  if (!context.contract.rules.formatKinds) return () => []
  const { products } = await context.services.products.get(context.db, context.tenant, context.principal)
  const offered = product ? [product] : products
  const declared = offered.flatMap((each) => nativeOptions(each).map((option) => ({ product: each, option })))
  if (declared.length === 0 && !context.principal.conformance) return () => []
  const assigned = await productsOfAssignments(context, assignments)
  const scope = await formatScopeOf(context)
  const slots = () => canonicalSlots(KIND, context)
  return (creative, field) => {
    const meant = meantOptions(creative, declared, assigned.get(creative.creative_id))
    if (meant === undefined && !scope.conformance && takenElsewhere(creative, offered, scope)) return []
    const manifest = byCanonicalNames({ ...creative }, scope)
    if (scope.conformance && isStoryAd(creative))
      return breaches(manifest, STORY_OPTION, slots()).map((each) => errorOf(each, field))
    if (declared.length === 0) return []
    const options = (meant ?? declared).map(({ option }) => option)
    // What one story of a suite seeded does not bind the ads of another one.
    const fitting = scope.conformance && meant === undefined ? [STORY_OPTION, ...options] : options
    const verdicts = fitting.map((option) => breaches(manifest, option, slots()))
    const [least] = verdicts.toSorted((a, b) => a.length - b.length)
    return (least ?? []).map((each) => errorOf(each, field))
  }
}

/** The option that `creative/native_in_feed` of the official suites takes to be there (`--conformance`). */
const STORY_OPTION: FormatOption = {
  format_kind: KIND,
  params: {
    title_max_chars: 90,
    main_image_sizes: [
      { width: 1200, height: 627 },
      { width: 1200, height: 628 },
      { width: 1080, height: 1080 },
    ],
    cta_values: ['LEARN_MORE', 'SHOP_NOW', 'SIGN_UP', 'DOWNLOAD'],
  },
}

/** Whether a creative names the format of that story, which is another agent's. */
function isStoryAd({ format_id: format }: SentCreative): boolean {
  return format?.id === KIND
}

interface Declared {
  readonly product: Product
  readonly option: FormatOption
}

function nativeOptions({ offer }: Product): readonly FormatOption[] {
  return (offer.format_options ?? []).filter(({ format_kind: kind }) => kind === KIND)
}

/** The options that a creative is meant for; undefined where neither it nor an assignment says so. */
function meantOptions(
  creative: SentCreative & { readonly format_option_ref?: unknown },
  declared: readonly Declared[],
  products: ReadonlySet<string> | undefined,
): readonly Declared[] | undefined {
  const { format_option_ref: reference } = creative
  if (isObject(reference)) return declared.filter(({ option }) => option.format_option_id === reference.format_option_id)
  return products && declared.filter(({ product }) => products.has(product.id))
}

/** Whether a product that sets no limits takes the format of a creative. */
function takenElsewhere({ format_id: format }: SentCreative, offered: readonly Product[], scope: FormatScope): boolean {
  const resolved = resolveFormat(format, scope)
  const id = resolved.kind === 'known' ? resolved.format.format.format_id.id : undefined
  return offered.some(({ offer }) => offer.format_options === undefined && offer.format_ids.some((own) => own.id === id))
}

function breaches(manifest: Readonly<Record<string, unknown>>, { params }: FormatOption, slots: unknown): Violation[] {
  const found = checkManifest(manifest, { kind: KIND, params, slots: slotsIn(params.slots ?? slots) })
  return found.filter(({ rule }) => LIMITS.has(rule))
}

function errorOf({ rule, expected, field: path }: Violation, creative: string): AdcpError {
  const field = `${creative}.${path}`
  if (rule === 'allowed_values' && Array.isArray(expected)) {
    return new AdcpError('CREATIVE_VALUE_NOT_ALLOWED', `${field} must be one of: ${expected.join(', ')}`, {
      field,
      details: { allowed_values: expected },
    })
  }
  return new AdcpError('VALIDATION_ERROR', `${field} breaks ${rule} of the product: ${JSON.stringify(expected)}`, { field })
}
