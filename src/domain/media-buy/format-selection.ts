import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { instead, type NameSearch, quoted } from '../../protocol/nearest-name.ts'
import type { Declare } from '../creative/canonical/declaration.ts'
import { satisfies } from '../creative/canonical/satisfies.ts'
import { sameFormat } from '../creative/formats/format-id.ts'
import { ownReference } from '../creative/formats/official-formats.ts'
import type { FormatOption } from '../product/format-option.ts'
import { formatOptionsOf, type OfferedFormat, optionTest } from '../product/format-options.ts'
import type { FormatRef } from '../product/offer.ts'
import type { Product } from '../product/product.ts'
import type { FormatSelectors } from './media-buy.ts'

/**
 * The formats of a package: those that the buyer names, else all of the product's. References to options come before ids, and ids before a kind
 * with parameters. `names`: the search that all packages share. Throws UNSUPPORTED_FEATURE naming the entry that the product does not have (create_media_buy, "Format Workflow").
 */
export function selectedFormats(
  { offer }: Product,
  request: object,
  path: string,
  { declare, names }: { readonly declare: Declare; readonly names: NameSearch },
): readonly FormatRef[] {
  const { format_option_refs: references, format_ids: ids, format_kind: kind, params }: FormatSelectors = request
  const options = () => formatOptionsOf(offer, declare)
  if (Array.isArray(references)) {
    const known = options()
    return references.map((each, index) =>
      optionNamed(known, each, `${path}.format_option_refs[${index}]`, offer.product_id, names),
    )
  }
  if (ids) return ids.map((each, index) => formatNamed(offer, each, `${path}.format_ids[${index}]`, names))
  return kind === undefined ? offer.format_ids : formatsOfKind(options(), kind, params, path, offer.product_id)
}

/** What the buyer named its formats by, to be shown again; undefined when it named none. */
export function selectorsOf(request: object): FormatSelectors | undefined {
  const { format_option_refs, format_ids, format_kind, params }: FormatSelectors = request
  const given = Object.entries({ format_option_refs, format_ids, format_kind, params }).filter(([, value]) => value !== undefined)
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

function optionNamed(
  options: readonly OfferedFormat[],
  reference: unknown,
  field: string,
  productId: string,
  names: NameSearch,
): FormatRef {
  const named = isObject(reference) ? reference : {}
  const isNamed = optionTest([named])
  const found = options.find(({ declaration }) => isNamed(declaration))
  if (found) return found.format
  const supported = options.flatMap(({ declaration }) => referenceTo(declaration) ?? [])
  const ids = supported.map(({ format_option_id }) => format_option_id)
  const sent = String(named.format_option_id)
  const hint =
    named.scope === 'publisher' &&
    supported.some(({ scope, format_option_id }) => scope === 'product' && format_option_id === sent)
      ? ': its options are the product\'s own, so name it with "scope": "product"'
      : instead(sent, ids, 'get_products lists them as format_options', names)
  throw new AdcpError('UNSUPPORTED_FEATURE', `${field} ${quoted(sent)} is no format option of ${productId}${hint}`, {
    field,
    details: {
      ...(ids.length === 0 && { reason: 'format_option_refs_not_published' }),
      supported_format_option_refs: supported,
    },
  })
}

/** How buyers name an option; undefined for one without an id. */
function referenceTo({ format_option_id, publisher_domain }: FormatOption) {
  if (format_option_id === undefined) return undefined
  return publisher_domain === undefined
    ? { scope: 'product', format_option_id }
    : { scope: 'publisher', publisher_domain, format_option_id }
}

function formatNamed(offer: Product['offer'], format: FormatRef, field: string, names: NameSearch): FormatRef {
  // A product may itself name an official format.
  if (offer.format_ids.some((own) => sameFormat(format, own))) return format
  const named = offer.format_ids.find((own) => sameFormat(ownReference(format, own.agent_url), own))
  if (named) return ownReference(format, named.agent_url)
  const ids = offer.format_ids.map(({ id }) => id)
  const namesake = offer.format_ids.find(({ id }) => id === format.id)
  const hint = namesake
    ? `; its agent_url there is ${namesake.agent_url}`
    : withAgent(instead(format.id, ids, 'get_products lists them', names), offer.format_ids, format)
  throw new AdcpError('UNSUPPORTED_FEATURE', `${field} ${quoted(format.id)} is no format of ${offer.product_id}${hint}`, {
    field,
    details: { supported_formats: offer.format_ids.map(({ agent_url, id }) => ({ agent_url, id })) },
  })
}

/** The end of a sentence that names a format by its id, with the agent_url of that where another was sent. */
function withAgent(hint: string, formats: readonly FormatRef[], sent: FormatRef): string {
  const near = formats.find(({ id }) => hint === `; did you mean "${id}"?`)
  const isOwn = near && sameFormat(ownReference({ ...sent, id: near.id }, near.agent_url), near)
  return near && !isOwn ? `${hint} Its agent_url there is ${near.agent_url}` : hint
}

function formatsOfKind(options: readonly OfferedFormat[], kind: unknown, params: unknown, path: string, productId: string) {
  const ofKind = options.filter(({ declaration }) => declaration.format_kind === kind)
  const wanted = isObject(params) ? params : {}
  const found = ofKind.filter(({ declaration }) => satisfies(declaration.params, wanted))
  if (found.length > 0) return found.map(({ format }) => format)
  const kinds = [...new Set(options.map(({ declaration }) => declaration.format_kind))]
  const field = `${path}.${ofKind.length > 0 && params !== undefined ? 'params' : 'format_kind'}`
  const message =
    ofKind.length === 0
      ? `${field} ${quoted(String(kind))} is no format of ${productId}; it takes: ${kinds.join(', ')}`
      : `${field}: ${path}.params has to state the size or length of one of the ${String(kind)} formats of ${productId}, which get_products lists as format_options`
  throw new AdcpError('UNSUPPORTED_FEATURE', message, {
    field,
    details: { supported_format_kinds: kinds, supported_formats: ofKind.map(({ declaration }) => shape(declaration)) },
  })
}

function shape({ format_kind, format_option_id, params }: FormatOption) {
  const { slots: _slots, ...size } = params
  return { format_option_id, format_kind, params: size }
}
